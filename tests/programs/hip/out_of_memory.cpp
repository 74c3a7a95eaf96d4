// Memory ends where the card's ends: an allocation beyond it fails with hipErrorOutOfMemory, whole or bit by bit, and
// what is freed can be had again. The harness gives the card 96 MiB.
#include "tests/programs/hip/hip_check.h"

__global__ void touch(char* block, size_t size) { block[size / 64 * threadIdx.x] = char(threadIdx.x); }

int main() {
  size_t free_bytes = 0, total = 0;
  HIP(hipMemGetInfo(&free_bytes, &total));
  REQUIRE(total <= 96 << 20, "%zu bytes in all", total);
  void* block = nullptr;
  HIP_FAILS(hipErrorOutOfMemory, hipMalloc(&block, total + 1));
  HIP_FAILS(hipErrorOutOfMemory, hipMalloc(&block, size_t(1) << 50));
  const size_t piece = 4 << 20;
  for (int round = 0; round < 2; ++round) {
    std::vector<char*> pieces;
    hipError_t status;
    while ((status = hipMalloc(&block, piece)) == hipSuccess) {
      REQUIRE(pieces.size() < 24, "more than 96 MiB");
      touch<<<1, 64>>>(static_cast<char*>(block), piece);
      pieces.push_back(static_cast<char*>(block));
    }
    REQUIRE(status == hipErrorOutOfMemory, "%d", status);
    (void)hipGetLastError();
    REQUIRE(pieces.size() >= 18, "only %zu pieces of 4 MiB", pieces.size());
    printf("%zu pieces of 4 MiB\n", pieces.size());
    for (char* p : pieces) {
      char last = 0;
      HIP(hipMemcpy(&last, p + piece / 64 * 63, 1, hipMemcpyDeviceToHost));
      REQUIRE(last == 63, "memory holds %d", last);
      HIP(hipFree(p));
    }
  }
  return pass();
}
