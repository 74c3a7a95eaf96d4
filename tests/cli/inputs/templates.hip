// Kernels of one name: instances of a template, overloads, and a device function that is called.
#include <hip/hip_runtime.h>

namespace shapes {

struct Box {
  float v;
};

template <int N, class T> __global__ void scale(T* data, float by) { data[threadIdx.x].v = N * by; }
template __global__ void scale<3, Box>(Box*, float);
template __global__ void scale<4, Box>(Box*, float);

} // namespace shapes

__device__ __attribute__((noinline)) float twice(float x, int) { return x + x; }

namespace {
__global__ __attribute__((used)) void hidden(float* out) { out[0] = twice(out[1], 1); }
} // namespace

__global__ void set(float* out) { out[threadIdx.x] = 1; }
__global__ void set(int* out) { out[threadIdx.x] = 2; }
