// Kernels that only move memory: a contiguous copy, an irregular gather, a strided read.
kernel void copy(global const uint* in, global uint* out, uint n) {
  uint i = get_global_id(0);
  if (i < n) out[i] = in[i];
}

kernel void copy4(global const uint4* in, global uint4* out, uint n) {
  uint i = get_global_id(0);
  if (i < n) out[i] = in[i];
}

kernel void gather(global const uint* in, global const uint* index, global uint* out, uint n) {
  uint i = get_global_id(0);
  if (i < n) out[i] = in[index[i]];
}

kernel void strided(global const uint* in, global uint* out, uint n, uint stride) {
  uint i = get_global_id(0);
  if (i < n) out[i] = in[i * stride];
}
