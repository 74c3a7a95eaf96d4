// Dwords of LDS at a stride, by one wavefront: lane l at dword s * l. Lanes 0 to 31 are served together, and lanes 32 to 63.
// With a stride of 2 to the k, 2 to the k lanes meet in each bank that is used; with an odd one none. All lanes in dword 0
// read it at once. Without conflicts a load takes 2 cycles and a store 4.
// targets: gfx803 gfx900 gfx906 gfx908 gfx90a
//
// launch: --kernel dwords --grid 64 --block 64 out=u32[1024] stride=1
// expect: lds_store@1 cycles=4 ideal_cycles=4 conflict_cycles=0 worst_degree=1
// expect: lds_load@1 bytes=4 accesses=1 lanes=64 cycles=2 ideal_cycles=2 conflict_cycles=0 broadcasts=0 worst_degree=1
// expect: store@1 lines=4
//
// launch: --kernel dwords --grid 64 --block 64 out=u32[1024] stride=2
// expect: lds_store@1 cycles=6
// expect: lds_load@1 cycles=4 ideal_cycles=2 worst_degree=2 worst_bank=0 worst_lanes=0,16 worst_addresses=0,128
// expect: store@1 lines=4
//
// launch: --kernel dwords --grid 64 --block 64 out=u32[1024] stride=4
// expect: lds_store@1 cycles=10
// expect: lds_load@1 cycles=8 ideal_cycles=2 worst_degree=4 worst_lanes=0,8
// expect: store@1 lines=4
//
// launch: --kernel dwords --grid 64 --block 64 out=u32[1024] stride=8
// expect: lds_store@1 cycles=18
// expect: lds_load@1 cycles=16 ideal_cycles=2 worst_degree=8 worst_lanes=0,4
// expect: store@1 lines=4
//
// launch: --kernel dwords --grid 64 --block 64 out=u32[1024] stride=16
// expect: lds_store@1 cycles=34
// expect: lds_load@1 cycles=32 ideal_cycles=2 worst_degree=16 worst_lanes=0,2
// expect: store@1 lines=4
//
// launch: --kernel dwords --grid 64 --block 64 out=u32[1024] stride=32
// expect: lds_store@1 cycles=66
// expect: lds_load@1 cycles=64 ideal_cycles=2 conflict_cycles=62 worst_degree=32 worst_lanes=0,1 worst_addresses=0,128
// expect: store@1 lines=4
//
// launch: --kernel dwords --grid 64 --block 64 out=u32[1024] stride=33
// expect: lds_store@1 cycles=4
// expect: lds_load@1 cycles=2 ideal_cycles=2
// expect: store@1 lines=4
//
// launch: --kernel dwords --grid 64 --block 64 out=u32[1024] stride=0
// expect: lds_store@1 cycles=4 broadcasts=0
// expect: lds_load@1 cycles=2 ideal_cycles=2 broadcasts=1 worst_degree=1
// expect: store@1 lines=4
__attribute__((reqd_work_group_size(64, 1, 1)))
__kernel void dwords(__global uint* out, uint stride) {
  __local uint tile[64 * 33];
  const uint l = get_local_id(0);
  tile[l * stride] = l;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[l] = tile[l * stride];
}
