// What the card says of itself, against the data sheets; attributes, occupancy and memory limits that follow from them;
// and a kernel's own resources as compiled.
#include <string>

#include "tests/programs/hip/hip_check.h"

struct Card {
  const char* gfx;
  int compute_units, clock_mhz, bus_bits, gib, l2_kib;
};
// AMD: R9 Fury X (Fiji), RX Vega 64 (Vega 10), Radeon VII (Vega 20). L2: what the kernel driver tells, as in public
// outputs of rocminfo.
static const Card cards[] = {
    {"gfx803", 64, 1050, 4096, 4, 2048},
    {"gfx900", 64, 1630, 2048, 8, 4096},
    {"gfx906", 60, 1800, 4096, 16, 8192},
};

__global__ void uses_lds(float* out) {
  __shared__ float tile[4096]; // 16 KiB: four workgroups to a compute unit
  tile[threadIdx.x] = out[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = tile[(threadIdx.x * 61) % 256];
}
__global__ void tiny(int* out) { out[threadIdx.x] = warpSize + threadIdx.x; }

int main(int, char** argv) {
  hipDeviceProp_t p;
  HIP(hipGetDeviceProperties(&p, 0));
  const std::string gfx = std::string(p.gcnArchName).substr(0, 6);
  printf("%s: %s, %d CUs, %d MHz, %d bit memory, %zu MiB, L2 %d KiB\n", p.gcnArchName, p.name, p.multiProcessorCount,
         p.clockRate / 1000, p.memoryBusWidth, p.totalGlobalMem >> 20, p.l2CacheSize >> 10);
  const Card* card = nullptr;
  for (const Card& c : cards)
    if (gfx == c.gfx)
      card = &c;
  REQUIRE(card && gfx == argv[1], "asked for %s", argv[1]);
  REQUIRE(p.name[0] != 0);
  REQUIRE(p.multiProcessorCount == card->compute_units);
  REQUIRE(p.clockRate > card->clock_mhz * 800 && p.clockRate < card->clock_mhz * 1200, "%d kHz", p.clockRate);
  REQUIRE(p.memoryBusWidth == card->bus_bits);
  REQUIRE(p.totalGlobalMem > (size_t(card->gib) << 30) / 10 * 9 && p.totalGlobalMem <= size_t(card->gib) << 30);
  REQUIRE(p.l2CacheSize == card->l2_kib << 10, "%d", p.l2CacheSize);
  REQUIRE(p.warpSize == 64 && p.maxThreadsPerBlock == 1024 && p.maxThreadsDim[0] == 1024);
  REQUIRE(p.sharedMemPerBlock == 64 << 10 && p.maxSharedMemoryPerMultiProcessor == 64 << 10);
  REQUIRE(p.maxThreadsPerMultiProcessor == 2560, "%d", p.maxThreadsPerMultiProcessor);
  REQUIRE(p.arch.hasDoubles && p.arch.hasWarpShuffle && p.arch.hasGlobalInt32Atomics);
  REQUIRE(p.pciBusID > 0 || p.pciDeviceID > 0 || p.pciDomainID == 0);

  int version = 0, value = 0, count = 0;
  HIP(hipDriverGetVersion(&version));
  HIP(hipGetDeviceCount(&count));
  REQUIRE(count == 1 && version > 0);
  HIP(hipDeviceGetAttribute(&value, hipDeviceAttributeWarpSize, 0));
  REQUIRE(value == 64);
  HIP(hipDeviceGetAttribute(&value, hipDeviceAttributeMaxGridDimX, 0));
  REQUIRE(value >= 0x7fffffff / 2, "%d", value);
  HIP_FAILS(hipErrorInvalidDevice, hipSetDevice(7));
  size_t limit = 0;
  HIP(hipDeviceGetLimit(&limit, hipLimitMallocHeapSize));

  int blocks = 0, block_size = 0, grid = 0;
  HIP(hipOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, uses_lds, 256, 0));
  REQUIRE(blocks == 4, "%d blocks of 16 KiB in 64 KiB", blocks);
  HIP(hipOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, tiny, 256, 40 << 10));
  REQUIRE(blocks == 1, "%d blocks of 40 KiB in 64 KiB", blocks);
  HIP(hipOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, tiny, 256, 0));
  REQUIRE(blocks == 10 || blocks == 8, "%d blocks of four waves where ten waves to a SIMD fit", blocks);
  HIP(hipOccupancyMaxPotentialBlockSize(&grid, &block_size, tiny, 0, 0));
  REQUIRE(block_size >= 64 && block_size <= 1024 && grid >= p.multiProcessorCount, "%d x %d", grid, block_size);

  hipFuncAttributes attributes;
  HIP(hipFuncGetAttributes(&attributes, reinterpret_cast<const void*>(uses_lds)));
  REQUIRE(attributes.sharedSizeBytes == 16 << 10, "%zu", attributes.sharedSizeBytes);
  REQUIRE(attributes.numRegs > 0 && attributes.numRegs <= 32, "%d", attributes.numRegs);
  REQUIRE(attributes.maxThreadsPerBlock == 1024, "%d", attributes.maxThreadsPerBlock);

  Device<int> out(64);
  tiny<<<1, 64>>>(out);
  REQUIRE(out.read()[63] == 127);
  tiny<<<1, 2048>>>(out);
  REQUIRE(hipGetLastError() != hipSuccess, "a block of 2048 threads was accepted");
  return pass();
}
