// A thread is in a call, and stays there, when the client shuts down and the process ends: what was counted is told all
// the same.
#include <atomic>
#include <thread>

#include "tests/programs/hsa/hsa_check.h"

int main() {
  HSA(hsa_init());
  Gpu gpu;
  const Kernel sleep = gpu.kernel("sleep_for");
  hsa_queue_t* queue = gpu.queue();
  char* arguments = gpu.allocate<char>(gpu.kernarg, 64);
  auto* told = gpu.allocate<uint64_t>(gpu.fine, 4);
  const hsa_signal_t done = new_signal(1);
  launch(queue, sleep, arguments, told, 1u, 64, done);
  wait_zero(done, "sleep_for");
  static std::atomic<bool> is_in{false};
  const auto stay = [](hsa_agent_t, void*) {
    is_in = true;
    std::this_thread::sleep_for(std::chrono::hours(1));
    return HSA_STATUS_SUCCESS;
  };
  std::thread([stay] { hsa_iterate_agents(stay, nullptr); }).detach();
  while (!is_in)
    std::this_thread::yield();
  HSA(hsa_shut_down());
  puts("PASS");
}
