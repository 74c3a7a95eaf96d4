// Sums in three ways that all need lanes to talk to each other: LDS with barriers, __shfl_down within a wavefront, and
// atomics; __shfl, __shfl_xor, __ballot, __any and __all by value; LDS whose size only the launch knows.
#include "tests/programs/hip/hip_check.h"

__global__ void sum_lds(const unsigned* in, unsigned* out, int count) {
  __shared__ unsigned part[256];
  const int i = blockIdx.x * 256 + threadIdx.x;
  part[threadIdx.x] = i < count ? in[i] : 0;
  __syncthreads();
  for (int step = 128; step > 0; step /= 2) {
    if (threadIdx.x < step)
      part[threadIdx.x] += part[threadIdx.x + step];
    __syncthreads();
  }
  if (threadIdx.x == 0)
    out[blockIdx.x] = part[0];
}

__global__ void sum_shuffle(const unsigned* in, unsigned* total, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned value = i < count ? in[i] : 0;
  for (int step = warpSize / 2; step > 0; step /= 2)
    value += __shfl_down(value, step);
  if (threadIdx.x % warpSize == 0)
    atomicAdd(total, value);
}

__global__ void reverse_dynamic(const unsigned* in, unsigned* out) {
  extern __shared__ unsigned row[];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  row[threadIdx.x] = in[i];
  __syncthreads();
  out[i] = row[blockDim.x - 1 - threadIdx.x];
}

struct Votes {
  unsigned long long odd;
  int any_63, all_below_64, all_odd;
  unsigned from_5[64], crossed[64];
};

__global__ void vote(Votes* votes) {
  const unsigned lane = threadIdx.x;
  const unsigned long long odd = __ballot(lane & 1);
  const int any_63 = __any(lane == 63), all_below_64 = __all(lane < 64), all_odd = __all(lane & 1);
  votes->from_5[lane] = __shfl(lane * 10, 5);
  votes->crossed[lane] = __shfl_xor(lane, 0x2a);
  if (lane == 0)
    votes->odd = odd, votes->any_63 = any_63, votes->all_below_64 = all_below_64, votes->all_odd = all_odd;
}

int main() {
  const int count = 50021, blocks = (count + 255) / 256;
  std::vector<unsigned> in(blocks * 256);
  unsigned expected = 0;
  for (int i = 0; i < count; ++i)
    expected += in[i] = unsigned(i) * 2654435761u;
  Device<unsigned> device_in(in), parts(blocks), total(1), reversed(in.size());

  sum_lds<<<blocks, 256>>>(device_in, parts, count);
  unsigned sum = 0;
  for (unsigned part : parts.read())
    sum += part;
  REQUIRE(sum == expected, "%u by LDS, %u expected", sum, expected);

  HIP(hipMemset(total, 0, 4));
  sum_shuffle<<<blocks, 256>>>(device_in, total, count);
  REQUIRE(total.read()[0] == expected, "%u by shuffles, %u expected", total.read()[0], expected);

  const int widths[] = {64, 256, 1024};
  for (int width : widths) {
    const int rows = int(in.size()) / width;
    HIP(hipMemset(reversed, 0, reversed.bytes()));
    reverse_dynamic<<<rows, width, width * sizeof(unsigned)>>>(device_in, reversed);
    const std::vector<unsigned> out = reversed.read();
    for (int i = 0; i < rows * width; ++i) {
      const int from = i / width * width + width - 1 - i % width;
      REQUIRE(out[i] == in[from], "element %d of rows of %d", i, width);
    }
  }

  Device<Votes> votes(1);
  vote<<<1, 64>>>(votes);
  const Votes v = votes.read()[0];
  REQUIRE(v.odd == 0xaaaaaaaaaaaaaaaaull, "ballot %llx", v.odd);
  REQUIRE(v.any_63 && v.all_below_64 && !v.all_odd);
  for (unsigned lane = 0; lane < 64; ++lane) {
    REQUIRE(v.from_5[lane] == 50, "lane %u has %u", lane, v.from_5[lane]);
    REQUIRE(v.crossed[lane] == (lane ^ 0x2a), "lane %u has %u", lane, v.crossed[lane]);
  }
  printf("sum %u, ballot %llx\n", sum, v.odd);
  return pass();
}
