// printf() and assert() of HIP.
#include <hip/hip_runtime.h>
#include <cassert>

__device__ const char* names[] = {"zero", "one", "a name of more than eight characters"};

__global__ void prints(const int* in) {
  const int i = threadIdx.x;
  if (i < 3)
    printf("%d: %s %5.2f %lld %c %x\n", i, names[i], 0.5 * in[i], static_cast<long long>(in[i]) << 40, 'a' + i, 255);
}
__global__ void asserts(const int* in, int limit) { assert(in[threadIdx.x] < limit); }
