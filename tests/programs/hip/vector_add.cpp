// The first program that everyone runs: c = a + b over a length that is no multiple of the block.
#include "tests/programs/hip/hip_check.h"

__global__ void add(const float* a, const float* b, float* c, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    c[i] = a[i] + b[i];
}

int main() {
  const int count = 100003;
  std::vector<float> a(count), b(count), untouched(count + 64, -1.0f);
  for (int i = 0; i < count; ++i)
    a[i] = 0.25f * i, b[i] = 1.0f / (i + 1);
  Device<float> device_a(a), device_b(b), device_c(untouched);
  add<<<(count + 255) / 256, 256>>>(device_a, device_b, device_c, count);
  HIP(hipGetLastError());
  HIP(hipDeviceSynchronize());
  const std::vector<float> c = device_c.read();
  for (int i = 0; i < count; ++i)
    REQUIRE(c[i] == a[i] + b[i], "c[%d] is %g", i, c[i]);
  for (size_t i = count; i < c.size(); ++i)
    REQUIRE(c[i] == -1.0f, "c[%zu] past the end was written: %g", i, c[i]);
  printf("%d sums right\n", count);
  return pass();
}
