// Cooperative groups of a workgroup and of parts of it.
#include <hip/hip_runtime.h>
#include <hip/hip_cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void groups(const int* in, int* out) {
  __shared__ int part[256];
  const cg::thread_block block = cg::this_thread_block();
  part[block.thread_rank()] = in[blockIdx.x * blockDim.x + threadIdx.x];
  block.sync();
  for (unsigned half = block.size() / 2; half > 0; half /= 2) {
    if (block.thread_rank() < half)
      part[block.thread_rank()] += part[block.thread_rank() + half];
    block.sync();
  }
  const auto tile = cg::tiled_partition<16>(block);
  int sum = in[blockIdx.x * blockDim.x + threadIdx.x];
  for (int d = tile.size() / 2; d > 0; d /= 2)
    sum += tile.shfl_down(sum, d);
  int* o = out + 2 * (blockIdx.x * blockDim.x + threadIdx.x);
  o[0] = part[0];
  o[1] = tile.shfl(sum, 0);
}

// The grid meets three times: each time all of it has counted.
__global__ void grid(int* count, int* seen) {
  const cg::grid_group all = cg::this_grid();
  for (int k = 0; k < 3; ++k) {
    atomicAdd(count, 1);
    all.sync();
    seen[3 * all.thread_rank() + k] = __hip_atomic_load(count, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
    all.sync();
  }
}
