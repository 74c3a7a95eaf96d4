// Reads on a card what probes count: launches the kernel of if_else.cl from a code object with probes, and prints the
// counters of each wave. What they are is in docs/instrumentation.md, "Records".
//
//   crosslane instrument examples/if_else.cl --target gfx900 --clang=-mcode-object-version=4
//     --probe examples/probes/count_lanes.s --at edge -o probed.co        (HIP 5 reads versions up to 4)
//   hipcc examples/read_counters.cpp -o read_counters
//   ./read_counters probed.co 18        (as many counters as instrument says; without a card: crosslane run -- ...)
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <hip/hip_runtime_api.h>
#include <vector>

#define CHECK(CALL)                                                                                                    \
  do {                                                                                                                 \
    const hipError_t error = CALL;                                                                                     \
    if (error != hipSuccess) {                                                                                         \
      std::fprintf(stderr, "%s: %s\n", #CALL, hipGetErrorString(error));                                               \
      std::exit(1);                                                                                                    \
    }                                                                                                                  \
  } while (false)

// What the host tells the waves, at the symbol crosslane.control.KERNEL.
struct Control {
  uint64_t records;   // address
  uint32_t bytes;     // of all of them
  uint32_t groups[3]; // from one workgroup's records to the next one's in x, y, z; 0 where it and those behind are 1
  uint32_t items[2];  // work-items of a workgroup in x; in x times y
};

int main(int argc, char** argv) {
  const uint32_t counters = argc == 3 ? uint32_t(std::strtoul(argv[2], nullptr, 10)) : 0;
  if (counters == 0) {
    std::fprintf(stderr, "usage: read_counters PROBED.co COUNTERS\n");
    return 2;
  }
  constexpr uint32_t n = 500, items = 128, groups = (n + items - 1) / items, waves = items / 64;
  uint32_t record = 4; // bytes: a power of two
  while (record < counters * 4)
    record *= 2;

  hipModule_t module;
  hipFunction_t kernel;
  hipDeviceptr_t control;
  size_t control_bytes;
  CHECK(hipModuleLoad(&module, argv[1]));
  CHECK(hipModuleGetFunction(&kernel, module, "if_else"));
  CHECK(hipModuleGetGlobal(&control, &control_bytes, module, "crosslane.control.if_else"));

  void* records;
  constexpr uint32_t all_waves = groups * waves;
  CHECK(hipMalloc(&records, all_waves * record));
  CHECK(hipMemset(records, 0xff, all_waves * record)); // waves that come to no end leave it so
  Control told{};
  told.records = reinterpret_cast<uint64_t>(records), told.bytes = all_waves * record;
  told.groups[0] = waves * record; // y and z are 0: there is one dimension
  told.items[0] = told.items[1] = items;
  CHECK(hipMemcpyHtoD(control, &told, sizeof told));

  void *in, *out;
  CHECK(hipMalloc(&in, n * 4));
  CHECK(hipMemset(in, 0, n * 4));
  CHECK(hipMalloc(&out, 3 * n * 4));
  uint32_t limit = 32, count = n;
  void* arguments[] = {&in, &out, &limit, &count};
  CHECK(hipModuleLaunchKernel(kernel, groups, 1, 1, items, 1, 1, 0, nullptr, arguments, nullptr));
  CHECK(hipDeviceSynchronize());

  std::vector<uint32_t> read(all_waves * record / 4);
  CHECK(hipMemcpy(read.data(), records, all_waves * record, hipMemcpyDeviceToHost));
  for (uint32_t wave = 0; wave < all_waves; ++wave) {
    std::printf("workgroup %u wave %u:", wave / waves, wave % waves);
    for (uint32_t c = 0; c < counters; ++c)
      std::printf(" %u", read[wave * record / 4 + c]);
    std::printf("\n");
  }
  return 0;
}
