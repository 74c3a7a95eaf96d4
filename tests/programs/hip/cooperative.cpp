// A cooperative launch: every block needs what the others wrote before grid.sync(), several times over, so that blocks
// that do not wait for each other, or are not all resident, give a wrong result or never end. On GCN the grid's barrier
// is ds_gws_barrier.
#include "tests/programs/hip/hip_check.h"
#include <hip/hip_cooperative_groups.h>

namespace cg = cooperative_groups;

// One step of a ring: each element becomes its left neighbour's value plus one; the neighbour is in another block.
__global__ void ring(int* a, int* b, int steps) {
  cg::grid_group grid = cg::this_grid();
  const unsigned size = gridDim.x * blockDim.x;
  const unsigned i = threadIdx.x * gridDim.x + blockIdx.x; // neighbours in memory are in neighbouring blocks
  for (int step = 0; step < steps; ++step) {
    b[i] = a[(i + size - 1) % size] + 1;
    grid.sync();
    int* const swap = a;
    a = b;
    b = swap;
  }
}

int main(int, char** argv) {
  int cooperative = 0;
  HIP(hipDeviceGetAttribute(&cooperative, hipDeviceAttributeCooperativeLaunch, 0));
  if (!strcmp(argv[1], "gfx803")) {
    // HIP offers this from gfx9 on, whatever the runtime says
    REQUIRE(!cooperative);
    HIP_FAILS(hipErrorLaunchFailure,
              hipLaunchCooperativeKernel(reinterpret_cast<void*>(ring), dim3(1), dim3(64), nullptr, 0, nullptr));
    puts("refused");
    return pass();
  }
  REQUIRE(cooperative == 1, "the card does not offer cooperative launches");
  const int blocks = 12, threads = 128, size = blocks * threads;
  int steps = 20, resident = 0;
  HIP(hipOccupancyMaxActiveBlocksPerMultiprocessor(&resident, ring, threads, 0));
  hipDeviceProp_t properties;
  HIP(hipGetDeviceProperties(&properties, 0));
  REQUIRE(resident * properties.multiProcessorCount >= blocks, "%d x %d", resident, properties.multiProcessorCount);

  std::vector<int> start(size);
  for (int i = 0; i < size; ++i)
    start[i] = i * i % 1009;
  Device<int> a(start), b(size);
  void* arguments[] = {&a.data, &b.data, &steps};
  HIP(hipLaunchCooperativeKernel(reinterpret_cast<void*>(ring), dim3(blocks), dim3(threads), arguments, 0, nullptr));
  HIP(hipDeviceSynchronize());
  const std::vector<int> result = a.read(); // an even number of steps ends in a
  for (int i = 0; i < size; ++i) {
    const int expected = start[(i - steps + size) % size] + steps;
    REQUIRE(result[i] == expected, "element %d is %d, not %d", i, result[i], expected);
  }
  // More blocks than fit at the same time must be refused, not left hanging
  const hipError_t refused =
      hipLaunchCooperativeKernel(reinterpret_cast<void*>(ring), dim3(resident * properties.multiProcessorCount + 1),
                                 dim3(threads), arguments, 0, nullptr);
  REQUIRE(refused == hipErrorCooperativeLaunchTooLarge, "%d", refused);
  printf("%d blocks met %d times\n", blocks, steps);
  return pass();
}
