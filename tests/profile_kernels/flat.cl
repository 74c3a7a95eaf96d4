// A FLAT instruction whose even lanes read global memory and whose odd lanes read LDS: a site in each. One wavefront.
//
// Even lanes: dwords 0, 2, 4, ...: all 4 lines of 256 bytes, of which 128 bytes are asked for. LDS, odd lanes: banks 1, 3, 5 ...
// of 32 for lanes 1 to 31, and again for lanes 33 to 63, the two groups of an access of 4 bytes: a cycle each. The
// store of all lanes takes 4.
// launch: --kernel mixed --grid 64 --block 64 in=u32[1024] out=u32[1024]
// expect: load@1 bytes=4 requests=1 lanes=32 lines=4 ideal_lines=2 bytes_asked=128 clocks=4 ideal_clocks=4 pattern="contiguous"
// expect: lds_store@1 bytes=4 accesses=1 lanes=64 cycles=4 ideal_cycles=4
// expect: lds_load@1 bytes=4 accesses=1 lanes=32 cycles=2 ideal_cycles=2
// expect: store@1 lanes=64 lines=4 pattern="contiguous"
__attribute__((reqd_work_group_size(64, 1, 1)))
__kernel void mixed(__global const uint* in, __global uint* out) {
  __local uint tile[64];
  const uint l = get_local_id(0);
  tile[l] = l;
  barrier(CLK_LOCAL_MEM_FENCE);
  const volatile __generic uint* p = l & 1 ? (const volatile __generic uint*)(tile + l) : (const volatile __generic uint*)(in + l);
  out[l] = *p;
}
