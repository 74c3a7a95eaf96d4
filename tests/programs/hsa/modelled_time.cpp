// Under `crosslane run --time`: the times of signals and the clocks of kernels are the modelled card's. What the host
// does takes none of it, and the next dispatch begins where the one before has ended.
#include <thread>

#include "tests/programs/hsa/hsa_check.h"

int main() {
  HSA(hsa_init());
  {
    Gpu gpu;
    const Kernel sleep = gpu.kernel("sleep_for");
    hsa_queue_t* queue = gpu.queue();
    HSA(hsa_amd_profiling_set_profiler_enabled(queue, 1));
    char* arguments = gpu.allocate<char>(gpu.kernarg, 64);
    auto* told = gpu.allocate<uint64_t>(gpu.fine, 4); // cycles and ticks, before and behind
    uint32_t megahertz = 0;
    HSA(hsa_agent_get_info(gpu.agent, hsa_agent_info_t(HSA_AMD_AGENT_INFO_MAX_CLOCK_FREQUENCY), &megahertz));
    const hsa_signal_t done = new_signal(1);
    uint64_t last_end = 0;
    for (const uint32_t rounds : {1000u, 4000u, 4000u}) {
      hsa_signal_store_relaxed(done, 1);
      launch(queue, sleep, arguments, told, rounds, 64, done);
      wait_zero(done, "sleep_for");
      std::this_thread::sleep_for(std::chrono::milliseconds(20)); // of the host
      hsa_amd_profiling_dispatch_time_t time;
      HSA(hsa_amd_profiling_get_dispatch_time(gpu.agent, done, &time));
      // s_sleep takes 64 cycles for each of its units.
      const uint64_t cycles = told[2] - told[0];
      REQUIRE(cycles > rounds * 6400ull && cycles < rounds * 6464ull, "%u rounds took %llu cycles", rounds,
              (unsigned long long)cycles);
      const double us = double(cycles) / megahertz, ticks = double(told[3] - told[1]) * 1e-2;
      REQUIRE(ticks > us - 1 && ticks < us + 1, "%g us of cycles are %g us of ticks", us, ticks);
      // The launch, and the first fetch of code, add some microseconds.
      const double dispatch = double(time.end - time.start) * 1e-3;
      REQUIRE(dispatch > us && dispatch < us + 10, "a dispatch of %g us with a kernel of %g us", dispatch, us);
      uint64_t began = 0, ended = 0;
      HSA(hsa_amd_profiling_convert_tick_to_system_domain(gpu.agent, told[1], &began));
      HSA(hsa_amd_profiling_convert_tick_to_system_domain(gpu.agent, told[3], &ended));
      REQUIRE(time.start <= began && ended <= time.end, "the kernel's clock is outside of its dispatch");
      REQUIRE(!last_end || time.start == last_end, "%llu ns between dispatches",
              (unsigned long long)(time.start - last_end));
      last_end = time.end;
      printf("%u rounds: %.2f us\n", rounds, dispatch);
    }
    HSA(hsa_signal_destroy(done));
    HSA(hsa_queue_destroy(queue));
    HSA(hsa_amd_memory_pool_free(told));
    HSA(hsa_amd_memory_pool_free(arguments));
    gpu.release();
  }
  HSA(hsa_shut_down());
  puts("PASS");
}
