// Every kind of memory that HIP hands out, written by a kernel and read by the CPU, or the other way round: device,
// managed, pinned (mapped, portable, coherent or not), the program's own pages registered and unregistered again.
#include <sys/mman.h>

#include "tests/programs/hip/hip_check.h"

__global__ void times_three(const int* in, int* out, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    out[i] += in[i] * 3 + 2; // of -1: once
}

static const int count = 10007, blocks = (count + 127) / 128;

static void fill(int* in, int* out, int seed) {
  for (int i = 0; i < count; ++i)
    in[i] = i * seed, out[i] = -1;
}

static void check(const int* out, int seed, const char* kind) {
  for (int i = 0; i < count; ++i)
    REQUIRE(out[i] == i * seed * 3 + 1, "%s: element %d is %d", kind, i, out[i]);
  printf("%s: right\n", kind);
}

static void device_memory() {
  std::vector<int> in(count), out(count);
  fill(in.data(), out.data(), 2);
  Device<int> device_in(in), device_out(out);
  times_three<<<blocks, 128>>>(device_in, device_out, count);
  check(device_out.read().data(), 2, "hipMalloc");
  hipPointerAttribute_t attributes;
  HIP(hipPointerGetAttributes(&attributes, device_in + 100));
  REQUIRE(attributes.memoryType == hipMemoryTypeDevice && attributes.device == 0);
  hipDeviceptr_t base = nullptr;
  size_t size = 0;
  HIP(hipMemGetAddressRange(&base, &size, device_in + 100));
  REQUIRE(base == device_in.data && size == device_in.bytes(), "%zu bytes at %p", size, base);
}

static void managed_memory() {
  int *in = nullptr, *out = nullptr;
  HIP(hipMallocManaged(reinterpret_cast<void**>(&in), count * sizeof(int), hipMemAttachGlobal));
  HIP(hipMallocManaged(reinterpret_cast<void**>(&out), count * sizeof(int), hipMemAttachGlobal));
  fill(in, out, 3);
  times_three<<<blocks, 128>>>(in, out, count);
  HIP(hipDeviceSynchronize());
  check(out, 3, "hipMallocManaged");
  HIP(hipFree(in));
  HIP(hipFree(out));
}

static void pinned_memory(unsigned flags, const char* kind) {
  int *in = nullptr, *out = nullptr, *device_in = nullptr, *device_out = nullptr;
  HIP(hipHostMalloc(reinterpret_cast<void**>(&in), count * sizeof(int), flags));
  HIP(hipHostMalloc(reinterpret_cast<void**>(&out), count * sizeof(int), flags));
  HIP(hipHostGetDevicePointer(reinterpret_cast<void**>(&device_in), in, 0));
  HIP(hipHostGetDevicePointer(reinterpret_cast<void**>(&device_out), out, 0));
  fill(in, out, 5);
  times_three<<<blocks, 128>>>(device_in, device_out, count);
  HIP(hipDeviceSynchronize());
  check(out, 5, kind);
  HIP(hipHostFree(in));
  HIP(hipHostFree(out));
}

// The program's own memory; the second round shows that the first one left nothing registered behind.
static void registered_memory() {
  const size_t bytes = count * sizeof(int);
  int* const in = static_cast<int*>(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  std::vector<int> heap(count + 3);
  int* const out = heap.data() + 3; // on no page boundary
  for (int round = 0; round < 2; ++round) {
    int *device_in = nullptr, *device_out = nullptr;
    HIP(hipHostRegister(in, bytes, hipHostRegisterDefault));
    HIP(hipHostRegister(out, bytes, hipHostRegisterMapped));
    HIP(hipHostGetDevicePointer(reinterpret_cast<void**>(&device_in), in, 0));
    HIP(hipHostGetDevicePointer(reinterpret_cast<void**>(&device_out), out, 0));
    fill(in, out, 7 + round);
    times_three<<<blocks, 128>>>(device_in, device_out, count);
    HIP(hipDeviceSynchronize());
    check(out, 7 + round, "hipHostRegister");
    Device<int> copy(count);
    HIP(hipMemcpy(copy, out, bytes, hipMemcpyHostToDevice));
    HIP(hipMemset(device_out, 0, bytes));
    HIP(hipDeviceSynchronize());
    REQUIRE(out[0] == 0 && out[count - 1] == 0, "memset of registered memory");
    check(copy.read().data(), 7 + round, "copy of registered memory");
    HIP(hipHostUnregister(in));
    HIP(hipHostUnregister(out));
  }
  heap[4] = 8; // still ours
  munmap(in, bytes);
}

static void accounting() {
  size_t before = 0, during = 0, after = 0, total = 0;
  HIP(hipMemGetInfo(&before, &total));
  void* block = nullptr;
  HIP(hipMalloc(&block, 64 << 20));
  HIP(hipMemGetInfo(&during, &total));
  HIP(hipFree(block));
  HIP(hipMemGetInfo(&after, &total));
  REQUIRE(before <= total && during + (64 << 20) <= before && after == before, "%zu, %zu, %zu of %zu", before, during,
          after, total);
  printf("%zu MiB of %zu MiB free\n", after >> 20, total >> 20);
  HIP_FAILS(hipErrorInvalidValue, hipFree(&total));
}

int main() {
  device_memory();
  registered_memory();
  managed_memory();
  pinned_memory(hipHostMallocDefault, "hipHostMalloc");
  pinned_memory(hipHostMallocMapped | hipHostMallocPortable, "mapped and portable");
  pinned_memory(hipHostMallocNonCoherent, "not coherent");
  pinned_memory(hipHostMallocCoherent, "coherent");
  accounting();
  return pass();
}
