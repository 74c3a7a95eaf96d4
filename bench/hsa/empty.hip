// The least that a HIP program can launch.
#include <hip/hip_runtime.h>

__global__ void nothing() {}

int main() {
  nothing<<<1, 64>>>();
  return hipDeviceSynchronize() == hipSuccess ? 0 : 1;
}
