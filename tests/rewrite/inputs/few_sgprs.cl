// Code that leaves too few SGPRs for all that probes would keep in them from beginning to end.
//   crosslane launch few_sgprs.cl --grid 1000 --block 256 in=u32[1024]:iota out=u32[2048] n=1000
//   crosslane launch few_sgprs.cl --grid 64,4,4 --block 64,2,1 in=u32[1024]:iota out=u32[2048] n=1000
kernel void few_sgprs(global const uint* in, global uint* out, uint n) {
  const uint i = get_global_id(0);
  if (i >= n)
    return;
  uint v = in[i];
  __asm__ volatile("s_mov_b32 s88, 7" ::: "s88");
  for (uint k = 0; k < v % 7; ++k) {
    if (v & 1)
      v = v * 3 + 1;
    else
      v >>= 1;
    if (v % 5 == 2)
      out[i + 1024] += k;
  }
  out[i] = v;
}
