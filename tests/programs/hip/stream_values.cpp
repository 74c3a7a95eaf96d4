// Streams that wait for a value in memory and write one. HIP does both with kernels: the waiting one spins, so it needs
// the other stream, or the CPU's store, to be seen while it runs.
#include <thread>

#include "tests/programs/hip/hip_check.h"

__global__ void copy(const int* from, int* to) { to[threadIdx.x] = from[threadIdx.x] + 1; }

int main() {
  int can = 0;
  HIP(hipDeviceGetAttribute(&can, hipDeviceAttributeCanUseStreamWaitValue, 0));
  hipStream_t consumer, producer;
  HIP(hipStreamCreateWithFlags(&consumer, hipStreamNonBlocking));
  HIP(hipStreamCreateWithFlags(&producer, hipStreamNonBlocking));
  Device<int> a(64), b(64), c(64);
  std::vector<int> start(64);
  for (int i = 0; i < 64; ++i)
    start[i] = i * 5;
  HIP(hipMemcpy(a, start.data(), a.bytes(), hipMemcpyHostToDevice));
  HIP(hipMemset(b, 0, b.bytes()));
  HIP(hipMemset(c, 0, c.bytes()));
  HIP(hipDeviceSynchronize());

  unsigned *word = nullptr, *device_word = nullptr;
  unsigned long long* wide = nullptr;
  HIP(hipHostMalloc(reinterpret_cast<void**>(&word), 64, hipHostMallocCoherent));
  HIP(hipExtMallocWithFlags(reinterpret_cast<void**>(&wide), 8, hipMallocSignalMemory));
  HIP(hipHostGetDevicePointer(reinterpret_cast<void**>(&device_word), word, 0));
  memset(word, 0, 64);
  *wide = 0;

  // The consumer waits for the producer's 64-bit value, the producer for the CPU's store.
  HIP(hipStreamWaitValue64(consumer, wide, 5, hipStreamWaitValueGte, ~0ull));
  copy<<<1, 64, 0, consumer>>>(b, c);
  HIP(hipStreamWaitValue32(producer, device_word, 0x80, hipStreamWaitValueAnd, 0xff));
  copy<<<1, 64, 0, producer>>>(a, b);
  HIP(hipStreamWriteValue64(producer, wide, 6, 0));
  HIP(hipStreamWriteValue32(producer, device_word + 1, 0xabcd, 0));

  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  REQUIRE(hipStreamQuery(consumer) == hipErrorNotReady && hipStreamQuery(producer) == hipErrorNotReady,
          "somebody did not wait");
  (void)hipGetLastError();
  __atomic_store_n(word, 0x1c0u, __ATOMIC_RELEASE);
  HIP(hipStreamSynchronize(consumer));
  HIP(hipStreamSynchronize(producer));
  const std::vector<int> result = c.read();
  for (int i = 0; i < 64; ++i)
    REQUIRE(result[i] == start[i] + 2, "element %d is %d", i, result[i]);
  REQUIRE(*wide == 6 && word[1] == 0xabcd, "%llu, %x", *wide, word[1]);
  printf("attribute CanUseStreamWaitValue: %d\n", can);
  HIP(hipFree(wide));
  HIP(hipHostFree(word));
  return pass();
}
