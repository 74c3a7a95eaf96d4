// A HIP program as any other, for `crosslane run`: c = a * b on the GPU, compared with the same on the host.
//   hipcc --offload-arch=gfx900 -O2 examples/hip/matmul.cpp -o matmul && crosslane run -- ./matmul 512 512
// Usage: matmul [ROWS [COLUMNS]], 64 if nothing is said.
#include <cstdio>
#include <cstdlib>
#include <hip/hip_runtime.h>
#include <vector>

static void check(hipError_t error, const char* call) {
  if (error == hipSuccess)
    return;
  std::fprintf(stderr, "%s: %s\n", call, hipGetErrorString(error));
  std::exit(1);
}
#define CHECK(call) check(call, #call)

// a: rows x rows, b and c: rows x columns.
__global__ void matmul(const float* a, const float* b, float* c, int rows, int columns) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= rows || column >= columns)
    return;
  float sum = 0;
  for (int k = 0; k < rows; ++k)
    sum += a[row * rows + k] * b[k * columns + column];
  c[row * columns + column] = sum;
}

static float* on_device(const std::vector<float>& values) {
  float* memory;
  CHECK(hipMalloc(&memory, values.size() * sizeof(float)));
  CHECK(hipMemcpy(memory, values.data(), values.size() * sizeof(float), hipMemcpyHostToDevice));
  return memory;
}

int main(int argc, char** argv) {
  const int rows = argc > 1 ? std::atoi(argv[1]) : 64, columns = argc > 2 ? std::atoi(argv[2]) : rows;
  if (rows < 1 || columns < 1 || rows > 4096 || columns > 4096) {
    std::fprintf(stderr, "usage: matmul [ROWS [COLUMNS]], each 1 to 4096\n");
    return 2;
  }
  std::vector<float> a(size_t(rows) * rows), b(size_t(rows) * columns), c(b.size());
  // Small whole numbers, whose sums are exact in any order.
  for (size_t i = 0; i < a.size(); ++i)
    a[i] = float(i % 7);
  for (size_t i = 0; i < b.size(); ++i)
    b[i] = float(i % 5);
  float *device_a = on_device(a), *device_b = on_device(b), *device_c = on_device(c);
  const dim3 block(16, 16), grid((columns + 15) / 16, (rows + 15) / 16);
  matmul<<<grid, block>>>(device_a, device_b, device_c, rows, columns);
  CHECK(hipGetLastError());
  CHECK(hipMemcpy(c.data(), device_c, c.size() * sizeof(float), hipMemcpyDeviceToHost));
  for (float* memory : {device_a, device_b, device_c})
    CHECK(hipFree(memory));
  for (int row = 0; row < rows; ++row)
    for (int column = 0; column < columns; ++column) {
      float sum = 0;
      for (int k = 0; k < rows; ++k)
        sum += a[size_t(row) * rows + k] * b[size_t(k) * columns + column];
      if (c[size_t(row) * columns + column] != sum) {
        std::printf("c[%d][%d] is %g, not %g\n", row, column, c[size_t(row) * columns + column], sum);
        return 1;
      }
    }
  std::printf("%d x %d: all right\n", rows, columns);
  return 0;
}
