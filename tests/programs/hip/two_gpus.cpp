// Two cards of different generations in one program: each runs its own code, memory goes from one to the other with and
// without peer access, and a kernel of one reads the other's memory.
#include <string>

#include "tests/programs/hip/hip_check.h"

__global__ void multiply(const int* in, int* out, int factor) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i] * factor;
}

int main(int, char** argv) {
  int devices = 0;
  HIP(hipGetDeviceCount(&devices));
  REQUIRE(devices == 2, "%d devices", devices);
  for (int d = 0; d < 2; ++d) {
    hipDeviceProp_t properties;
    HIP(hipGetDeviceProperties(&properties, d));
    printf("device %d: %s\n", d, properties.gcnArchName);
    REQUIRE(std::string(properties.gcnArchName).substr(0, 6) == argv[1 + d], "device %d is to be %s", d, argv[1 + d]);
  }
  const int count = 256 * 20;
  std::vector<int> start(count);
  for (int i = 0; i < count; ++i)
    start[i] = i - 99;

  HIP(hipSetDevice(0));
  Device<int> first_in(start), first_out(count);
  multiply<<<20, 256>>>(first_in, first_out, 3);
  HIP(hipSetDevice(1));
  Device<int> second_in(count), second_out(count);
  hipStream_t stream;
  HIP(hipStreamCreate(&stream));
  HIP(hipSetDevice(0));
  HIP(hipDeviceSynchronize());
  HIP(hipMemcpyPeer(second_in, 1, first_out, 0, first_out.bytes()));
  HIP(hipSetDevice(1));
  multiply<<<20, 256, 0, stream>>>(second_in, second_out, 5);
  std::vector<int> result(count);
  HIP(hipMemcpyAsync(result.data(), second_out, second_out.bytes(), hipMemcpyDeviceToHost, stream));
  HIP(hipStreamSynchronize(stream));
  for (int i = 0; i < count; ++i)
    REQUIRE(result[i] == start[i] * 15, "element %d is %d", i, result[i]);

  int can = 0;
  HIP(hipDeviceCanAccessPeer(&can, 1, 0));
  REQUIRE(can == 1, "no access from the second card to the first");
  HIP(hipDeviceEnablePeerAccess(0, 0));
  HIP_FAILS(hipErrorPeerAccessAlreadyEnabled, hipDeviceEnablePeerAccess(0, 0));
  multiply<<<20, 256, 0, stream>>>(first_in, second_out, 7); // reads the other card's memory
  HIP(hipMemcpyPeerAsync(first_out, 0, second_out, 1, second_out.bytes(), stream));
  HIP(hipStreamSynchronize(stream));
  HIP(hipSetDevice(0));
  result = first_out.read();
  for (int i = 0; i < count; ++i)
    REQUIRE(result[i] == start[i] * 7, "element %d is %d through peer access", i, result[i]);
  return pass();
}
