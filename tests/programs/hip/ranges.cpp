// Kernels whose workgroups have nothing to do with each other, and some that have: tests/fleet/check_ranges.py
// captures them and runs them in ranges. With "fault" one workgroup of a last kernel loads from outside of memory. With
// "large" it is one kernel of a grid that fills a card many times.
#include "tests/programs/hip/hip_check.h"
#include <cstring>

constexpr int blocks = 256, threads = 256, count = blocks * threads;

__device__ int index_here() { return int(blockIdx.x * blockDim.x + threadIdx.x); }

// Apart from each other: memory of their own, one value for all, atomics of their own.
__global__ void independent(const int* in, int* out, int n) {
  int value = in[index_here()];
  for (int i = 0; i < n; ++i)
    value = value * 1664525 + 1013904223;
  out[index_here()] = value;
}
__global__ void same_flag(const int* in, int* flag) {
  if (in[index_here()] >= 0)
    flag[0] = 1;
}
__global__ void own_atomics(const int* in, int* sums) { atomicAdd(&sums[blockIdx.x], in[index_here()]); }

// Not apart.
__global__ void last_one(int* last) { last[33] = int(blockIdx.x); }
__global__ void moved(int* data) {
  const int i = index_here();
  if (i + int(blockDim.x) < count)
    data[i] = data[i + int(blockDim.x)];
}
__global__ void common_atomics(const int* in, int* sum) { atomicAdd(&sum[5], in[index_here()]); }

__global__ void faulty(const int* in, int* out, int wild) {
  out[index_here()] = blockIdx.x == 200 ? in[index_here() + wild] : in[index_here()];
}

__global__ void wide(const int* in, int* out) {
  const int i = index_here();
  out[i] = in[i % count] + 1;
}

int large() {
  constexpr int all = 18'000 * threads; // a Vega holds 512 such workgroups
  const Device<int> in(count), out(all);
  HIP(hipMemset(in, 0, in.bytes()));
  wide<<<all / threads, threads>>>(in, out);
  HIP(hipGetLastError());
  REQUIRE(out.read()[all - 1] == 1);
  return pass();
}

int main(int argc, char** argv) {
  if (argc > 1 && !std::strcmp(argv[1], "large"))
    return large();
  std::vector<int> numbers(count);
  for (int i = 0; i < count; ++i)
    numbers[size_t(i)] = i % 1000;
  const Device<int> in(numbers), out(count), data(numbers), flag(64), sums(blocks), last(64), sum(64);
  for (const Device<int>* zeros : {&flag, &sums, &last, &sum})
    HIP(hipMemset(*zeros, 0, zeros->bytes()));
  independent<<<blocks, threads>>>(in, out, 200);
  same_flag<<<blocks, threads>>>(in, flag);
  own_atomics<<<blocks, threads>>>(in, sums);
  last_one<<<blocks, threads>>>(last);
  moved<<<blocks, threads>>>(data);
  common_atomics<<<blocks, threads>>>(in, sum);
  if (argc > 1 && !std::strcmp(argv[1], "fault"))
    faulty<<<blocks, threads>>>(in, out, 1 << 28);
  HIP(hipGetLastError());
  HIP(hipDeviceSynchronize());
  REQUIRE(flag.read()[0] == 1);
  return pass();
}
