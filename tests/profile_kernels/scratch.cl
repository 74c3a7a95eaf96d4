// Private arrays in scratch memory, which is interleaved: dword d of all 64 lanes is 256 bytes, 4 lines.
//
// All lanes at one index: 4 lines, as contiguous as can be. 4 wavefronts.
// launch: --kernel private_array --grid 256 --block 64 out=u32[1024] mask=0 index=5
// expect: scratch_store@1 bytes=4 requests=4 lanes=256 lines=16 ideal_lines=16 clocks=16 pattern="contiguous"
// expect: scratch_load@1 bytes=4 requests=4 lanes=256 lines=16 ideal_lines=16 clocks=16 quads_one_block=16 pattern="contiguous"
// expect: store@1 lines=16 pattern="contiguous"
// Lane l at index l % 8: 8 rows of 256 bytes, with lanes i, i + 8, ... of which two share a line: 32 lines. The four lanes of a quad
// are in four rows.
// launch: --kernel private_array --grid 256 --block 64 out=u32[1024] mask=7 index=0
// expect: scratch_store@1 requests=4 lines=128 ideal_lines=16 clocks=64 separate_quads=16
// expect: scratch_load@1 requests=4 lines=128 ideal_lines=16 clocks=64 separate_quads=16
// expect: store@1 lines=16

__kernel void private_array(__global uint* out, uint mask, uint index) {
  const uint i = get_global_id(0);
  volatile uint a[8];
  a[(i & mask) + index] = i;
  out[i] = a[(i & mask) + index];
}
