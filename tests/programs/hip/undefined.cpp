// What `--check init` knows of device memory: put there by copies, fills and kernels in all their ways, it is defined;
// "part" leaves out what a copy, a fill and a kernel each do not reach, and uses it as an index.
#include "tests/programs/hip/hip_check.h"
#include <algorithm>

constexpr int count = 1000;

// Indexes of what is undefined are undefined.
__global__ void look_up(const int* index, const int* table, int* out, int n) {
  const int i = int(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n)
    out[i] = table[index[i] & 63];
}
__global__ void fill(int* data, int n) {
  const int i = int(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n)
    data[i] = i;
}

struct Table {
  Device<int> table{64}, out{count};
  Table() { HIP(hipMemset(table.data, 0, 64 * sizeof(int))); }
  void use(const int* index) {
    look_up<<<(count + 255) / 256, 256>>>(index, table.data, out.data, count);
    HIP(hipDeviceSynchronize());
  }
};

void use_defined(Table& table) {
  const std::vector<int> host(count, 5);
  constexpr size_t bytes = count * sizeof(int);
  hipStream_t stream;
  HIP(hipStreamCreate(&stream));
  Device<int> a(count), b(count), c(count), d(count), e(count), f(count);
  HIP(hipMemcpy(a.data, host.data(), bytes, hipMemcpyHostToDevice));
  HIP(hipMemcpyAsync(b.data, a.data, bytes, hipMemcpyDeviceToDevice, stream));
  HIP(hipStreamSynchronize(stream));
  HIP(hipMemsetAsync(c.data, 1, bytes, stream));
  HIP(hipMemsetD32(hipDeviceptr_t(d.data), 7, count));
  HIP(hipMemset2D(e.data, 40, 3, 40, bytes / 40));
  fill<<<(count + 63) / 64, 64, 0, stream>>>(f.data, count);
  HIP(hipStreamSynchronize(stream));
  for (const auto* data : {&a, &b, &c, &d, &e, &f})
    table.use(data->data);
  HIP(hipMemcpy2D(e.data, 80, host.data(), 80, 80, bytes / 80, hipMemcpyHostToDevice));
  table.use(e.data);
  int* managed = nullptr; // written by the host, without a call
  HIP(hipMallocManaged(&managed, bytes));
  std::copy(host.begin(), host.end(), managed);
  table.use(managed);
  HIP(hipFree(managed));
  int* pinned = nullptr;
  HIP(hipHostMalloc(&pinned, bytes, hipHostMallocDefault));
  std::copy(host.begin(), host.end(), pinned);
  table.use(pinned);
  HIP(hipHostFree(pinned));
  HIP(hipStreamDestroy(stream));
}

void use_part(Table& table) {
  const std::vector<int> host(count, 5);
  {
    Device<int> copied(count);
    HIP(hipMemcpy(copied.data, host.data(), (count - 1) * sizeof(int), hipMemcpyHostToDevice));
    table.use(copied.data);
  }
  Device<int> set(count), written(count); // where `copied` was, perhaps
  HIP(hipMemset(set.data, 0, count));
  table.use(set.data);
  fill<<<1, 256>>>(written.data, count);
  table.use(written.data);
}

int main(int argc, char** argv) {
  Table table;
  if (argc > 1 && !std::strcmp(argv[1], "part"))
    use_part(table);
  else
    use_defined(table);
  return pass();
}
