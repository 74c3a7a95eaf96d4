// What `--check race` says of two streams. Without an argument all is ordered, in one way after the other; with the
// name of a case, it is not.
#include "tests/programs/hip/hip_check.h"
#include <cstring>

constexpr int count = 5000, block = 256, blocks = (count + block - 1) / block;

__global__ void fill(int* data, int value) {
  const int i = int(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count)
    data[i] = value;
}
__global__ void twice(const int* data, int* out) {
  const int i = int(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count)
    out[i] = 2 * data[i];
}
__global__ void add(int* data) {
  const int i = int(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count)
    atomicAdd(data + i % 7, 1);
}

struct Stream {
  hipStream_t stream = nullptr;
  Stream() { HIP(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking)); }
  ~Stream() { HIP(hipStreamDestroy(stream)); }
  operator hipStream_t() const { return stream; }
};

void called(hipStream_t, hipError_t, void* data) { *static_cast<bool*>(data) = true; }

void use_in_order(int* data, int* out, const Stream& s, const Stream& t) {
  std::vector<int> host(count);
  hipEvent_t event;
  HIP(hipEventCreate(&event));
  fill<<<blocks, block, 0, s>>>(data, 1);
  twice<<<blocks, block, 0, s>>>(data, out); // one stream
  HIP(hipEventRecord(event, s));
  HIP(hipStreamWaitEvent(t, event, 0));
  fill<<<blocks, block, 0, t>>>(data, 2); // an event
  HIP(hipStreamSynchronize(t));
  twice<<<blocks, block, 0, s>>>(data, out); // the host waits for the other stream
  HIP(hipEventRecord(event, s));
  HIP(hipEventSynchronize(event));
  fill<<<blocks, block, 0, t>>>(data, 3); // ... for an event
  HIP(hipEventRecord(event, t));
  while (hipEventQuery(event) == hipErrorNotReady)
    ;
  twice<<<blocks, block, 0, s>>>(data, out); // ... and asks until it has come
  HIP(hipDeviceSynchronize());
  fill<<<blocks, block, 0, t>>>(data, 4);
  HIP(hipMemcpyAsync(host.data(), data, count * sizeof(int), hipMemcpyDeviceToHost, t)); // a copy in the same stream
  HIP(hipStreamSynchronize(t));
  HIP(hipMemcpyAsync(data, host.data(), count * sizeof(int), hipMemcpyHostToDevice, s));
  HIP(hipEventRecord(event, s));
  HIP(hipStreamWaitEvent(t, event, 0));
  twice<<<blocks, block, 0, t>>>(data, out); // ... and one in the other
  volatile bool done = false;
  HIP(hipStreamAddCallback(t, called, const_cast<bool*>(&done), 0));
  while (!done)
    ;
  fill<<<blocks, block, 0, s>>>(data, 5); // the host is called
  HIP(hipStreamSynchronize(s));
  add<<<blocks, block, 0, s>>>(data); // atomics need no order
  add<<<blocks, block, 0, t>>>(data);
  twice<<<blocks, block, 0, s>>>(out, out + count); // reads alone, and places of their own
  twice<<<blocks, block, 0, t>>>(out, out + 2 * count);
  HIP(hipDeviceSynchronize());
  HIP(hipEventDestroy(event));
}

int main(int argc, char** argv) {
  const std::string kind = argc > 1 ? argv[1] : "";
  Device<int> data(count), out(3 * count);
  HIP(hipMemset(data.data, 0, count * sizeof(int)));
  HIP(hipMemset(out.data, 0, 3 * count * sizeof(int)));
  HIP(hipDeviceSynchronize());
  Stream s, t;
  int* pinned = nullptr;
  HIP(hipHostMalloc(&pinned, count * sizeof(int), hipHostMallocDefault));
  std::fill_n(pinned, count, 7);
  if (kind.empty())
    use_in_order(data.data, out.data, s, t);
  if (kind == "kernels")
    fill<<<blocks, block, 0, s>>>(data.data, 1), twice<<<blocks, block, 0, t>>>(data.data, out.data);
  if (kind == "stores")
    fill<<<blocks, block, 0, s>>>(data.data, 1), fill<<<blocks, block, 0, t>>>(data.data, 2);
  if (kind == "value")
    fill<<<blocks, block, 0, s>>>(data.data, 1), fill<<<blocks, block, 0, t>>>(data.data, 1);
  if (kind == "atomic")
    add<<<blocks, block, 0, s>>>(data.data), twice<<<blocks, block, 0, t>>>(data.data, out.data);
  if (kind == "copy") {
    twice<<<blocks, block, 0, s>>>(data.data, out.data);
    HIP(hipMemcpyAsync(data.data, pinned, count * sizeof(int), hipMemcpyHostToDevice, t));
  }
  HIP(hipDeviceSynchronize());
  HIP(hipHostFree(pinned));
  std::puts("PASS");
}
