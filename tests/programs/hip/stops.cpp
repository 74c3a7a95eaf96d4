// Kernels that must end the program as on a GPU: by SIGABRT and with a diagnosis.
//   stops assert|abort|wild|null|freed|past_end|passing
#include <cassert>
#include <string>

#include "tests/programs/hip/hip_check.h"

__global__ void asserts(int* data) {
  data[threadIdx.x] = threadIdx.x;
  assert(threadIdx.x != 33 && "the thirty-fourth lane");
}
__global__ void aborts(int* data) {
  data[threadIdx.x] = 1;
  if (threadIdx.x == 3)
    abort();
}
__global__ void stores(int* data, long offset) { data[threadIdx.x + offset] = 7; }
__global__ void loads(const int* data, int* out) { out[threadIdx.x] = data[threadIdx.x]; }

int main(int, char** argv) {
  const std::string what = argv[1];
  Device<int> data(1 << 20), out(64);
  // First one that is right, so that the failure below is the kernel's and not of a machine that runs none
  stores<<<1, 64>>>(data, 100);
  REQUIRE(data.read()[163] == 7, "the kernel did not run");
  puts("first kernel right");
  fflush(stdout);
  if (what == "assert")
    asserts<<<1, 64>>>(data);
  if (what == "abort")
    aborts<<<1, 64>>>(data);
  if (what == "wild")
    stores<<<1, 64>>>(data, 1l << 40);
  if (what == "past_end")
    stores<<<1, 64>>>(data, (1 << 20) + 100);
  if (what == "null")
    loads<<<1, 64>>>(nullptr, out);
  if (what == "freed") {
    int* block = nullptr;
    HIP(hipMalloc(reinterpret_cast<void**>(&block), 8 << 20));
    HIP(hipFree(block));
    loads<<<1, 64>>>(block, out);
  }
  HIP(hipDeviceSynchronize());
  if (what == "passing")
    return pass();
  puts("the program went on");
  return 0;
}
