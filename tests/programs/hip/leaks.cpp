// Memory of all kinds that HIP gives out, each kind once more than it is freed, or "all" of it freed: what
// `--check leaks` tells of it, and what HIP keeps for itself meanwhile it must not. "past_end" fills two bytes too
// many.
#include "tests/programs/hip/hip_check.h"

__global__ void add_one(int* data, int n) {
  const int i = int(threadIdx.x);
  if (i < n)
    data[i] += 1;
}

struct Kinds {
  void *device = nullptr, *host = nullptr, *managed = nullptr, *pitched = nullptr;
  hipArray* array = nullptr;
  int* words = nullptr; // by templates of HIP's headers, which are none of the program's
  double* reals = nullptr;

  Kinds() {
    size_t pitch = 0;
    const hipChannelFormatDesc format = hipCreateChannelDesc<float>();
    HIP(hipMalloc(&device, 1000));
    HIP(hipHostMalloc(&host, 2000, 0));
    HIP(hipMallocManaged(&managed, 3000));
    HIP(hipMallocPitch(&pitched, &pitch, 100, 10));
    HIP(hipMallocArray(&array, &format, 64, 64));
    HIP(hipMalloc(&words, 4000));
    HIP(hipMalloc(&reals, 8000));
  }
  void free() {
    HIP(hipFree(device));
    HIP(hipHostFree(host));
    HIP(hipFree(managed));
    HIP(hipFree(pitched));
    HIP(hipFreeArray(array));
    HIP(hipFree(words));
    HIP(hipFree(reals));
  }
};

int main(int argc, char** argv) {
  const bool all = argc > 1 && !std::strcmp(argv[1], "all");
  if (argc > 1 && !std::strcmp(argv[1], "past_end")) {
    const Device<char> rows(3 * 512 + 98);
    HIP(hipMemset2D(rows, 512, 0, 100, 4));
    HIP(hipDeviceSynchronize());
    return pass();
  }
  Kinds first, second; // the first initialises HIP
  hipStream_t stream;
  HIP(hipStreamCreate(&stream));
  HIP(hipMemsetAsync(first.device, 0, 1000, stream));
  add_one<<<1, 64, 0, stream>>>(static_cast<int*>(first.device), 64);
  HIP(hipMemcpyAsync(first.host, first.device, 1000, hipMemcpyDeviceToHost, stream));
  HIP(hipStreamSynchronize(stream));
  REQUIRE(static_cast<int*>(first.host)[63] == 1);
  first.free();
  if (all)
    second.free();
  return pass(); // the stream stays: there is no memory of its own to free
}
