// Eight host threads, each with two streams, memory and events of its own, launching and copying at the same time; and
// a counter in device memory that all of them add to.
#include <thread>

#include "tests/programs/hip/hip_check.h"

__global__ void step(unsigned* data, unsigned add, unsigned long long* total) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  data[i] = data[i] * 31 + add;
  if (threadIdx.x == 0)
    atomicAdd(total, 1ull);
}

static const int threads = 8, rounds = 25, count = 512;

static void work(int id, unsigned long long* total) {
  HIP(hipSetDevice(0));
  hipStream_t streams[2];
  unsigned* data[2];
  std::vector<unsigned> host[2], expected[2];
  for (int s = 0; s < 2; ++s) {
    HIP(hipStreamCreate(&streams[s]));
    HIP(hipMalloc(reinterpret_cast<void**>(&data[s]), count * 4));
    for (int i = 0; i < count; ++i)
      expected[s].push_back(id * 1000 + i + s);
    host[s] = expected[s];
    HIP(hipMemcpyAsync(data[s], host[s].data(), count * 4, hipMemcpyHostToDevice, streams[s]));
  }
  for (int round = 0; round < rounds; ++round)
    for (int s = 0; s < 2; ++s) {
      step<<<count / 64, 64, 0, streams[s]>>>(data[s], round + id, total);
      for (unsigned& value : expected[s])
        value = value * 31 + round + id;
    }
  for (int s = 0; s < 2; ++s) {
    HIP(hipMemcpyAsync(host[s].data(), data[s], count * 4, hipMemcpyDeviceToHost, streams[s]));
    HIP(hipStreamSynchronize(streams[s]));
    REQUIRE(host[s] == expected[s], "thread %d stream %d", id, s);
    HIP(hipFree(data[s]));
    HIP(hipStreamDestroy(streams[s]));
  }
}

int main() {
  Device<unsigned long long> total(1);
  HIP(hipMemset(total, 0, 8));
  HIP(hipDeviceSynchronize());
  std::vector<std::thread> team;
  for (int id = 0; id < threads; ++id)
    team.emplace_back(work, id, total.data);
  for (std::thread& member : team)
    member.join();
  const unsigned long long blocks = total.read()[0];
  REQUIRE(blocks == 2ull * threads * rounds * count / 64, "%llu blocks counted", blocks);
  printf("%llu blocks from %d threads\n", blocks, threads);
  return pass();
}
