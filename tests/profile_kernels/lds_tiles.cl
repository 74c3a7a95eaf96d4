// A tile of 32 x 32 dwords that is written by rows and read by columns, as a transpose does, with rows of `pitch` dwords.
// 1024 work-items are 16 wavefronts; lane l of wavefront w is x = l % 32, y = 2 w + l / 32. An LDS access of dwords serves
// lanes 0 to 31 in a cycle and lanes 32 to 63 in another if no bank has two dwords: loads take 16 * 2 = 32 cycles at best, stores
// 16 * 4 = 64.
// Rows: lanes 0 to 31 write dwords y * pitch + 0 ... 31, each bank once.
// Columns: lanes 0 to 31 read dwords x * pitch + y. Pitch 32: bank y for all, 32 cycles; 16 * 2 * 32 = 1024. Lanes 0 and 1
// of the first wavefront meet in bank 0, at bytes 0 and 128. Pitch 33: bank (x + y) % 32, each once.
// Global memory: 64 dwords in sequence are 4 lines, of 16 wavefronts 64.
// targets: gfx803 gfx900 gfx906 gfx908 gfx90a
//
// launch: --kernel columns --grid 32,32 --block 32,32 in=u32[1024] out=u32[1024] pitch=32
// expect: load@1 requests=16 lines=64 ideal_lines=64
// expect: lds_store@1 bytes=4 accesses=16 lanes=1024 cycles=64 ideal_cycles=64 conflict_cycles=0 worst_degree=1
// expect: lds_load@1 bytes=4 accesses=16 lanes=1024 cycles=1024 ideal_cycles=32 conflict_cycles=992 broadcasts=0
// expect: lds_load@1 worst_degree=32 worst_bank=0 worst_lanes=0,1 worst_addresses=0,128 worst_wave=0
// expect: store@1 requests=16 lines=64 ideal_lines=64
//
// launch: --kernel columns --grid 32,32 --block 32,32 in=u32[1024] out=u32[1024] pitch=33
// expect: load@1 lines=64
// expect: lds_store@1 cycles=64 ideal_cycles=64
// expect: lds_load@1 accesses=16 lanes=1024 cycles=32 ideal_cycles=32 conflict_cycles=0 worst_degree=1
// expect: store@1 lines=64
//
// Pitch 34: dword 34 x + y, bank (2 x + y) % 32: lanes x and x + 16 meet, two to each second bank: 2 cycles a half, 64. The
// first two are lanes 0 and 16, at bytes 0 and 4 * 34 * 16 = 2176.
// launch: --kernel columns --grid 32,32 --block 32,32 in=u32[1024] out=u32[1024] pitch=34
// expect: load@1 lines=64
// expect: lds_store@1 cycles=64
// expect: lds_load@1 cycles=64 ideal_cycles=32 worst_degree=2 worst_bank=0 worst_lanes=0,16 worst_addresses=0,2176
// expect: store@1 lines=64
__attribute__((reqd_work_group_size(32, 32, 1)))
__kernel void columns(__global const uint* in, __global uint* out, uint pitch) {
  __local uint tile[32 * 34];
  const uint x = get_local_id(0), y = get_local_id(1);
  tile[y * pitch + x] = in[y * 32 + x];
  barrier(CLK_LOCAL_MEM_FENCE);
  out[y * 32 + x] = tile[x * pitch + y];
}
