// A program that frees not all of its memory and copies too much: what `--check memory,leaks` tells of it. "right" does
// neither.
#include "tests/programs/hsa/hsa_check.h"

static void copy(Gpu& gpu, void* to, const void* from, size_t bytes) {
  const hsa_signal_t done = new_signal(1);
  HSA(hsa_amd_memory_async_copy(to, gpu.agent, from, gpu.cpu, bytes, 0, nullptr, done));
  wait_zero(done, "a copy");
  HSA(hsa_signal_destroy(done));
}

int main(int argc, char** argv) {
  const bool right = argc > 1 && !strcmp(argv[1], "right");
  HSA(hsa_init());
  {
    Gpu gpu;
    hsa_queue_t* const queue = gpu.queue(); // the runtime's own memory
    std::vector<char> host(1004, 'x');
    char* blocks[5];
#pragma clang loop unroll(disable)
    for (char*& block : blocks)
      block = gpu.allocate<char>(gpu.vram, 1000);
    copy(gpu, blocks[0], host.data(), right ? 1000 : 1004);
    HSA(hsa_memory_copy(host.data() + 4, blocks[0] + 4, right ? 996 : 1000));
    for (int n = right ? 0 : 3; n < 5; ++n)
      HSA(hsa_amd_memory_pool_free(blocks[n]));
    HSA(hsa_queue_destroy(queue));
  }
  HSA(hsa_shut_down());
  return pass();
}
