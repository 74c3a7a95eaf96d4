// HIP compiled by clang-19 instead of hipcc, with the code object version that Debian's HIP can load: a transposition
// through LDS, a template, math functions and double-precision atomics.
#include "tests/programs/hip/hip_check.h"

#include <cmath>

template <int Side> __global__ void transpose(const float* in, float* out, int width) {
  __shared__ float tile[Side][Side + 1];
  const int x = blockIdx.x * Side + threadIdx.x, y = blockIdx.y * Side + threadIdx.y;
  tile[threadIdx.y][threadIdx.x] = in[y * width + x];
  __syncthreads();
  out[(blockIdx.x * Side + threadIdx.y) * width + blockIdx.y * Side + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}

__global__ void integrate(double* total, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    atomicAdd(total, sin((i + 0.5) / count) * sqrt(1.0 + i) / sqrtf(1.0f + i));
}

int main() {
  const int width = 96;
  std::vector<float> in(width * width);
  for (int i = 0; i < width * width; ++i)
    in[i] = 0.5f * i;
  Device<float> device_in(in), device_out(in.size());
  transpose<16><<<dim3(width / 16, width / 16), dim3(16, 16)>>>(device_in, device_out, width);
  const std::vector<float> out = device_out.read();
  for (int y = 0; y < width; ++y)
    for (int x = 0; x < width; ++x)
      REQUIRE(out[x * width + y] == in[y * width + x], "row %d column %d", y, x);

  const int count = 1000;
  Device<double> total(std::vector<double>(1, 0.0));
  integrate<<<(count + 63) / 64, 64>>>(total, count);
  const double mean = total.read()[0] / count;
  REQUIRE(std::fabs(mean - (1 - std::cos(1.0))) < 1e-6, "%.9f", mean);
  printf("the mean of the sine is %.9f\n", mean);
  return pass();
}
