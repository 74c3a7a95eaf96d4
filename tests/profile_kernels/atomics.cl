// Atomics of 4 wavefronts: they are as many operations as lanes, however few lines they lie in. Stores to one address are one.
//
// All to one dword: 63 lanes beyond the first in each of 4 wavefronts.
// launch: --kernel count --grid 256 --block 64 counters=u32[4096] mask=0 apart=1
// expect: atomic@1 bytes=4 requests=4 lanes=256 lines=4 ideal_lines=4 l2_operations=256 address_collisions=252 clocks=16
// expect: atomic@1 same_address=16 pattern="broadcast"
// To 16 dwords of one line: 4 lanes meet at each, 3 beyond the first, 48 in a wavefront.
// launch: --kernel count --grid 256 --block 64 counters=u32[4096] mask=15 apart=1
// expect: atomic@1 lines=4 ideal_lines=4 l2_operations=256 address_collisions=192 quads_one_block=16
// To 4 dwords, a line each: 16 lanes at each, 60 beyond the first; 16 bytes would be one line.
// launch: --kernel count --grid 256 --block 64 counters=u32[4096] mask=3 apart=16
// expect: atomic@1 lines=16 ideal_lines=4 l2_operations=256 address_collisions=240 clocks=64 separate_quads=16
// Each lane its own: no two meet.
// launch: --kernel count --grid 256 --block 64 counters=u32[4096] mask=255 apart=1
// expect: atomic@1 lines=16 ideal_lines=16 l2_operations=256 address_collisions=0 pattern="contiguous"
//
// launch: --kernel overwrite --grid 256 --block 64 out=u32[4096] mask=0 apart=1
// expect: store@1 requests=4 lanes=256 lines=4 ideal_lines=4 l2_operations=4 address_collisions=0 pattern="broadcast"
// launch: --kernel overwrite --grid 256 --block 64 out=u32[4096] mask=3 apart=16
// expect: store@1 lines=16 ideal_lines=4 l2_operations=16 address_collisions=0

__kernel void count(volatile __global uint* counters, uint mask, uint apart) {
  atomic_inc(counters + (get_global_id(0) & mask) * apart);
}

__kernel void overwrite(__global uint* out, uint mask, uint apart) {
  const uint i = get_global_id(0);
  out[(i & mask) * apart] = i;
}
