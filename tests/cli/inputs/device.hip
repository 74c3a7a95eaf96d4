// HIP without ROCm: host code in the same file, templates, shared memory, shuffles, atomics, math.
#include <hip/hip_runtime.h>
#include <cmath>
#include <vector>

template <class T> __global__ void axpy(T a, const T* x, T* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}
template __global__ void axpy<double>(double, const double*, double*, int);

__global__ void sums(const float* in, float* out, int* count) {
  __shared__ float part[16];
  extern __shared__ float dynamic[];
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  dynamic[threadIdx.x] = in[i];
  __syncthreads();
  float v = dynamic[threadIdx.x];
  for (int d = 32; d > 0; d /= 2) v += __shfl_xor(v, d);
  if (threadIdx.x % warpSize == 0) part[threadIdx.x / warpSize] = v;
  __syncthreads();
  if (threadIdx.x == 0) {
    float sum = 0;
    for (unsigned w = 0; w < blockDim.x / warpSize; ++w) sum += part[w];
    out[blockIdx.x] = sum;
  }
  if (in[i] > 2) atomicAdd(count, 1);
  if (__lane_id() == 0) atomicMax(count + 1, static_cast<int>(gridDim.x * 100 + i));
}

// Tickets of a ring of 20, and of one of 8 that is gone round the other way.
__global__ void wraps(unsigned* rings, unsigned* seen) {
  seen[threadIdx.x] = atomicInc(rings, 19u) + 100 * atomicDec(rings + 1, 7u);
}

__global__ void math(const double* x, double* out) {
  const int i = threadIdx.x;
  out[4 * i + 0] = sin(x[i]);
  out[4 * i + 1] = powf(static_cast<float>(x[i]), 1.5f);
  out[4 * i + 2] = exp(x[i]) + fabs(-x[i]);
  out[4 * i + 3] = rsqrtf(static_cast<float>(x[i])) + max(1.0, x[i]);
}

struct Pair {
  int a;
  float b;
};
__global__ void by_value(Pair p, float3 v, float* out) {
  out[0] = p.a + p.b;
  out[1] = v.x + v.y + v.z;
}

int main() {
  std::vector<float> host(64);
  float* device = nullptr;
  hipMalloc(&device, 256);
  hipMemcpy(device, host.data(), 256, hipMemcpyHostToDevice);
  sums<<<1, 64, 256>>>(device, device, nullptr);
  hipLaunchKernelGGL(math, dim3(1), dim3(64), 0, 0, nullptr, nullptr);
  return hipDeviceSynchronize() != hipSuccess;
}
