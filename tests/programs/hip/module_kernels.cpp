// Device code alone: modules.cpp loads what hipcc --genco makes of it.
#include <hip/hip_runtime.h>

__device__ int scale = 2;
__device__ int history[4];

extern "C" __global__ void scaled(const int* in, int* out, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    out[i] = in[i] * scale;
  if (i < 4)
    history[i] = scale + i;
}
