// What `--check init` knows of copies by HSA: what they copy out of memory that nothing has written is as undefined
// where it comes to; with an argument, that is filled before.
#include "tests/programs/hsa/hsa_check.h"

int main(int argc, char**) {
  HSA(hsa_init());
  {
    Gpu gpu;
    const Kernel look_up = gpu.kernel("look_up");
    hsa_queue_t* const queue = gpu.queue();
    auto* from = gpu.allocate<uint32_t>(gpu.vram, 4096);
    auto* to = gpu.allocate<uint32_t>(gpu.vram, 4096);
    char* arguments = gpu.allocate<char>(gpu.kernarg, 64);
    if (argc > 1)
      HSA(hsa_amd_memory_fill(from, 7, 4096));
    const hsa_signal_t copied = new_signal(1), done = new_signal(1);
    HSA(hsa_amd_memory_async_copy(to, gpu.agent, from, gpu.agent, 4096 * 4, 0, nullptr, copied));
    wait_zero(copied, "the copy");
    launch(queue, look_up, arguments, to, 1, 64, done);
    wait_zero(done, "the kernel");
    HSA(hsa_queue_destroy(queue));
    gpu.release();
  }
  HSA(hsa_shut_down());
  return pass();
}
