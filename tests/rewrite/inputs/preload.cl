// Arguments in SGPRs before the kernel begins.
//   crosslane launch preload.cl --target gfx90a --clang=-mllvm --clang=-amdgpu-kernarg-preload-count=8 --kernel linear --grid 1000 --block 256 in=u32[1000]:iota out=u32[1000] factor=3 n=990
//   crosslane launch preload.cl --target gfx90a --clang=-mllvm --clang=-amdgpu-kernarg-preload-count=3 --kernel rows --grid 40,30 --block 16,8 out=u32[1200] factor=5
kernel void linear(global const uint* in, global uint* out, uint factor, uint n) {
  const uint i = get_global_id(0);
  if (i >= n)
    return;
  uint v = in[i];
  for (uint k = 0; k < v % 5; ++k)
    v = v * factor + 1;
  out[i] = v;
}

kernel void rows(global uint* out, uint factor) {
  const uint x = get_global_id(0), y = get_global_id(1);
  uint v = x;
  if (x % 3 > y % 2)
    v = v * factor + y;
  out[y * get_global_size(0) + x] = v + get_group_id(1);
}
