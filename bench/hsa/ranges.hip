// Two dispatches for bench/ranges.py: a step of n bodies, which is nearly all arithmetic, and an addition of floats,
// which is nearly all memory. No workgroup depends on another one. Usage: ranges [BODIES] [FLOATS], 32768 and 2^24
// if nothing is said.
#include <cstdio>
#include <cstdlib>
#include <hip/hip_runtime.h>
#include <vector>

namespace {

void must(hipError_t e, const char* what) {
  if (e == hipSuccess)
    return;
  std::fprintf(stderr, "%s: %s\n", what, hipGetErrorString(e));
  std::exit(1);
}
#define MUST(call) must(call, #call)

__global__ void step(const float4* __restrict__ bodies, float4* __restrict__ moved, unsigned n, float dt) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const float4 me = bodies[i];
  float x = 0, y = 0, z = 0;
  for (unsigned j = 0; j < n; ++j) {
    const float4 other = bodies[j];
    const float dx = other.x - me.x, dy = other.y - me.y, dz = other.z - me.z;
    const float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + 1e-3f);
    const float pull = other.w * inverse * inverse * inverse;
    x += pull * dx, y += pull * dy, z += pull * dz;
  }
  moved[i] = make_float4(me.x + dt * x, me.y + dt * y, me.z + dt * z, me.w);
}

__global__ void add(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    c[i] = a[i] + b[i];
}

template <class T> T* device(const std::vector<T>& values) {
  T* p;
  MUST(hipMalloc(&p, values.size() * sizeof(T)));
  MUST(hipMemcpy(p, values.data(), values.size() * sizeof(T), hipMemcpyHostToDevice));
  return p;
}

unsigned number(int argc, char** argv, int at, unsigned otherwise) {
  return argc > at ? unsigned(std::strtoul(argv[at], nullptr, 10)) : otherwise;
}

} // namespace

int main(int argc, char** argv) {
  const unsigned n = number(argc, argv, 1, 32768), floats = number(argc, argv, 2, 1 << 24);
  std::vector<float4> bodies(n);
  for (unsigned i = 0; i < n; ++i)
    bodies[i] = make_float4(float(i * 7919 % 1000), float(i * 104729 % 1000), float(i * 1299709 % 1000), 1);
  std::vector<float> a(floats), b(floats, 0.5f);
  for (unsigned i = 0; i < floats; ++i)
    a[i] = float(i % 4093);
  const float4* in = device(bodies);
  float4* moved = device(std::vector<float4>(n));
  hipLaunchKernelGGL(step, dim3((n + 255) / 256), dim3(256), 0, 0, in, moved, n, 0.01f);
  MUST(hipDeviceSynchronize());
  MUST(hipFree(const_cast<float4*>(in)));
  MUST(hipFree(moved));
  const float *first = device(a), *second = device(b);
  float* sum = device(std::vector<float>(floats));
  hipLaunchKernelGGL(add, dim3((floats + 255) / 256), dim3(256), 0, 0, first, second, sum, floats);
  MUST(hipDeviceSynchronize());
  return 0;
}
