// hipDeviceReset, and everything works again afterwards. (HIP 5.2 gives no memory back then: it never frees the
// blocks.)
#include "tests/programs/hip/hip_check.h"

__global__ void square(int* data) { data[threadIdx.x] *= data[threadIdx.x]; }

int main() {
  for (int round = 1; round <= 3; ++round) {
    int* data = nullptr;
    HIP(hipMalloc(reinterpret_cast<void**>(&data), 1 << 20));
    hipStream_t stream;
    HIP(hipStreamCreate(&stream));
    std::vector<int> host(64);
    for (int i = 0; i < 64; ++i)
      host[i] = i + round;
    HIP(hipMemcpyAsync(data, host.data(), 256, hipMemcpyHostToDevice, stream));
    square<<<1, 64, 0, stream>>>(data);
    HIP(hipMemcpyAsync(host.data(), data, 256, hipMemcpyDeviceToHost, stream));
    HIP(hipStreamSynchronize(stream));
    for (int i = 0; i < 64; ++i)
      REQUIRE(host[i] == (i + round) * (i + round), "round %d element %d is %d", round, i, host[i]);
    HIP(hipDeviceReset());
  }
  puts("three rounds");
  return pass();
}
