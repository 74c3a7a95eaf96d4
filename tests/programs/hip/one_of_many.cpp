// 4096 workgroups, one of which makes a mistake that its data ask for: a load far outside of memory ("fault"), or a
// barrier that is left out ("race").
#include "tests/programs/hip/hip_check.h"
#include <cstring>

__global__ void gather(const int* index, const int* in, int* out, int n) {
  const int i = int(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n)
    out[i] = in[index[i]] * 2;
}

__global__ void reverse(const int* in, int* out) {
  __shared__ int lds[256];
  const int first = int(blockIdx.x) * 256, i = int(threadIdx.x);
  lds[i] = in[first + i];
  if (in[first] != 4242)
    __syncthreads();
  out[first + i] = lds[255 - i];
}

int main(int argc, char** argv) {
  const bool race = argc > 1 && !std::strcmp(argv[1], "race");
  const int n = 4096 * 256;
  std::vector<int> index(n);
  for (int i = 0; i < n; ++i)
    index[size_t(i)] = int(int64_t(i) * 7919 % n);
  if (race)
    index[617 * 256] = 4242;
  else
    index[617 * 256 + 33] = 1 << 28;
  const Device<int> numbers(index), in(index), out(index);
  if (race)
    reverse<<<n / 256, 256>>>(numbers, out);
  else
    gather<<<n / 256, 256>>>(numbers, in, out, n);
  HIP(hipGetLastError());
  HIP(hipDeviceSynchronize());
  return pass();
}
