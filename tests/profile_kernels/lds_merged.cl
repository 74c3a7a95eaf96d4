// Accesses that compilers merge into instructions with two addresses, by one wavefront.
//
// Writes: tile[l] and tile[64 + l] become ds_write2st64_b32, 6 cycles; tile[128 + l] remains a ds_write_b32 of 4 cycles. No two
// lanes that are served together meet.
// Reads: tile[l] and tile[l + 2] become ds_read2_b32 offset1:2, two accesses in sequence, 4 cycles; of lanes 0 to 31 none
// reads what another does in the same one of them.
// tile[2 l] and tile[2 l + 1] become ds_read2_b32 offset1:1: 8 bytes a lane, next to each other, which go like a
// ds_read_b64: 16 lanes have 32 dwords, 4 cycles.
// targets: gfx803 gfx900 gfx906 gfx908 gfx90a
//
// launch: --kernel merged --grid 64 --block 64 in=u32[192] out=u32[128]
// expect: load@1 lines=4
// expect: load@2 lines=4
// expect: load@3 lines=4
// expect: lds_store@1 bytes=4 accesses=1 lanes=64 cycles=6 ideal_cycles=6
// expect: lds_store@2 bytes=4 accesses=1 lanes=64 cycles=4 ideal_cycles=4
// expect: lds_load@1 bytes=4 accesses=1 lanes=64 cycles=4 ideal_cycles=4 broadcasts=0
// expect: lds_load@2 bytes=4 accesses=1 lanes=64 cycles=4 ideal_cycles=4 broadcasts=0
// expect: store@1 lines=4
// expect: store@2 lines=4
__attribute__((reqd_work_group_size(64, 1, 1)))
__kernel void merged(__global const uint* in, __global uint* out) {
  __local uint tile[192];
  const uint l = get_local_id(0);
  tile[l] = in[l];
  tile[64 + l] = in[64 + l];
  tile[128 + l] = in[128 + l];
  barrier(CLK_LOCAL_MEM_FENCE);
  out[l] = tile[l] + tile[l + 2] * 3;
  out[64 + l] = tile[2 * l] - tile[2 * l + 1];
}
