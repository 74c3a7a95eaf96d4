// As count_lanes.cl, in HIP.
#include <hip/hip_runtime.h>

struct Counts {
  unsigned waves, lanes, full;
};

__device__ Counts probe(uint64_t exec) {
  const unsigned lanes = __popcll(exec);
  return {1, lanes, lanes == 64};
}
