// Real calls, in HIP (OpenCL C forbids both): a recursive function, whose depth the compiler cannot know, and functions chosen per
// lane through a table of pointers, which the compiler calls one distinct target after the other.
#include <hip/hip_runtime.h>

__device__ __attribute__((noinline)) unsigned fibonacci(unsigned n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

extern "C" __global__ void recursive(const unsigned* in, unsigned* out, unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = fibonacci(in[i] % 11);
}

__device__ __attribute__((noinline)) unsigned twice(unsigned x) { return x * 2 + 1; }
__device__ __attribute__((noinline)) unsigned square(unsigned x) { return x * x; }
__device__ __attribute__((noinline)) unsigned fold(unsigned x) { return (x >> 16) ^ x; }

__constant__ unsigned (*const table[])(unsigned) = {twice, square, fold};

extern "C" __global__ void indirect(const unsigned* in, unsigned* out, unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = table[in[i] % 3](in[i]);
}
