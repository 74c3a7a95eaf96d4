// Kernels that must end the program as on a GPU: by SIGABRT and with a diagnosis.
//   stops assert|abort|wild|null|freed|past_end|host_heap|host_stack|host_static|registered|passing
#include <unistd.h>

#include <cassert>
#include <csignal>
#include <string>

#include <cstring>

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

// Memory of the program that no device was told of. When the program is ended, it is as it was.
static int in_data[64] = {1};
static int* host = nullptr;
static void at_abort(int) {
  bool same = host[0] == 1;
  for (int i = 1; i < 64; ++i)
    same &= host[i] == 0;
  const char* text = same ? "host memory untouched\n" : "host memory overwritten\n";
  (void)!write(1, text, strlen(text));
}
static void store_to_host(int* memory) {
  host = memory;
  signal(SIGABRT, at_abort);
  stores<<<1, 64>>>(host, 0);
}

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
  int on_stack[64] = {1};
  if (what == "host_heap") {
    int* const block = static_cast<int*>(calloc(64, sizeof(int)));
    block[0] = 1;
    store_to_host(block);
  }
  if (what == "host_stack")
    store_to_host(on_stack);
  if (what == "host_static")
    store_to_host(in_data);
  if (what == "registered") { // through the host's address instead of the device's
    HIP(hipHostRegister(in_data, sizeof in_data, hipHostRegisterMapped));
    store_to_host(in_data);
  }
  if (what == "freed") {
    int* block = nullptr;
    HIP(hipMalloc(reinterpret_cast<void**>(&block), 8 << 20));
    HIP(hipFree(block));
    loads<<<1, 64>>>(block, out);
  }
  HIP(hipDeviceSynchronize());
  if (what == "passing")
    return pass();
  if (host && host[63] == 7)
    puts("the kernel wrote host memory");
  puts("the program went on");
  return 0;
}
