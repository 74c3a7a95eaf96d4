// One kernel with something for every view to see, for check_profile.py: branches that diverge, loads that are not
// coalesced, bank conflicts, atomics on few addresses. All sizes are whole pages, so that buffers lie alike wherever
// they are.
//   profiled            runs it once
//   profiled twice      another kernel first, of workgroups of one wavefront
//   profiled sizes      launches of many and of few wavefronts, long and short ones, after each other and side by side
//   profiled endless    work, then one that does not end; `handler`: with a handler of its own for SIGINT, which ends
//   the program
#include "tests/programs/hip/hip_check.h"
#include <csignal>
#include <cstring>
#include <unistd.h>

constexpr int count = 8192, block = 256, side = 32;

__global__ void work(const float* in, float* out, unsigned* sums, int limit) {
  __shared__ float tile[side * side];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  // A column of the tile at a time: all lanes of a row in one bank.
  for (int row = threadIdx.x / side; row < side; row += blockDim.x / side)
    tile[(threadIdx.x % side) * side + row] = in[(i * 33 + row * 7) % count];
  __syncthreads();
  float value = tile[threadIdx.x];
  if (i % 64 < limit)
    value = value * value + 1;
  else
    for (int round = 0; round < i % 5; ++round)
      value += in[(i * 17 + round) % count];
  out[i] = value;
  atomicAdd(&sums[i % 3], 1u);
}

__global__ void single(float* out) { out[blockIdx.x * blockDim.x + threadIdx.x] = 1; }

__global__ void rounds(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float value = 0;
  for (int round = 0; round < n + i % 3; ++round)
    value += in[(i * 17 + round * 64) % count];
  out[i] = value;
}

void launch_sizes(const float* in, float* out) {
  const int sizes[][2] = {{1, 1}, {32, 2}, {4, 40}, {4, 1}, {32, 1}, {1, 90}, {30, 3}}; // workgroups, rounds
  for (const auto& [groups, n] : sizes)
    rounds<<<groups, block>>>(in, out, n);
  Device<float> others(size_t{32} * 64);
  hipStream_t streams[2];
  for (hipStream_t& stream : streams)
    HIP(hipStreamCreate(&stream));
  for (const auto& [groups, n] : sizes) {
    rounds<<<groups, block, 0, streams[0]>>>(in, out, n);
    single<<<groups, 64, 0, streams[1]>>>(others);
  }
  for (hipStream_t stream : streams)
    HIP(hipStreamDestroy(stream));
}

__global__ void endless(volatile int* word) {
  while (*word == 0)
    ;
}

void own_handler(int) {
  (void)!write(1, "my own handler\n", 15);
  exit(3);
}

int main(int argc, char** argv) {
  std::vector<float> in(count);
  for (int i = 0; i < count; ++i)
    in[i] = float(i);
  Device<float> device_in(in), device_out(std::vector<float>(count, 0));
  Device<unsigned> device_sums(std::vector<unsigned>(1024, 0));
  const bool twice = argc > 1 && !strcmp(argv[1], "twice");
  if (twice)
    single<<<8, 64>>>(device_out);
  const bool sizes = argc > 1 && !strcmp(argv[1], "sizes");
  if (sizes)
    launch_sizes(device_in, device_out);
  work<<<count / block, block>>>(device_in, device_out, device_sums, 40);
  HIP(hipGetLastError());
  HIP(hipDeviceSynchronize());
  const std::vector<unsigned> sums = device_sums.read();
  REQUIRE(sums[0] + sums[1] + sums[2] == unsigned(count), "%u + %u + %u", sums[0], sums[1], sums[2]);
  if (argc > 1 && !twice && !sizes) {
    if (!strcmp(argv[1], "handler"))
      signal(SIGINT, own_handler);
    Device<int> word(std::vector<int>(1024, 0));
    endless<<<4, 64>>>(word);
    printf("started\n");
    fflush(stdout);
    HIP(hipDeviceSynchronize());
  }
  return pass();
}
