// A histogram in LDS, in four wavefronts: each work-item adds 1 to a bin. Atomics on one dword go one after the other, 32 of
// them for lanes 0 to 31 and 32 for the others.
// The bins are written and read by work-item, a dword each in sequence: a store takes 4 cycles a wavefront, 16, a load 2, 8.
// An atomic takes 4 as well where no lane waits. Global memory: 4 lines a wavefront.
// targets: gfx803 gfx900 gfx906 gfx908 gfx90a
//
// All in bin 7, bank 7. In each half 31 lanes wait beyond the first, a cycle each: 4 * 2 * 31 = 248, and 16.
// launch: --kernel bins --grid 256 --block 256 values=u32[256]:7 out=u32[256]
// expect: load@1 requests=4 lines=16
// expect: lds_store@1 accesses=4 cycles=16 ideal_cycles=16
// expect: lds_atomic@1 bytes=4 accesses=4 lanes=256 cycles=264 ideal_cycles=16 conflict_cycles=248
// expect: lds_atomic@1 same_address_atomics=248 same_address_cycles=248
// expect: lds_atomic@1 worst_degree=32 worst_bank=7 worst_lanes=0,1 worst_addresses=28,28 worst_wave=0 broadcasts=0
// expect: lds_load@1 accesses=4 cycles=8 ideal_cycles=8 broadcasts=0
// expect: store@1 requests=4 lines=16
//
// Each in a bin of its own, in sequence: no lane waits.
// launch: --kernel bins --grid 256 --block 256 values=u32[256]:iota out=u32[256]
// expect: load@1 requests=4
// expect: lds_store@1 cycles=16
// expect: lds_atomic@1 lanes=256 cycles=16 ideal_cycles=16 conflict_cycles=0
// expect: lds_atomic@1 same_address_atomics=0 same_address_cycles=0 worst_degree=1
// expect: lds_load@1 cycles=8
// expect: store@1 requests=4
__attribute__((reqd_work_group_size(256, 1, 1)))
__kernel void bins(__global const uint* values, __global uint* out) {
  __local uint mine[256];
  const uint l = get_local_id(0);
  mine[l] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_add(&mine[values[l] & 255], 1u);
  barrier(CLK_LOCAL_MEM_FENCE);
  out[l] = mine[l];
}
