// Some hundred times hsa_init, a queue, a kernel, hsa_shut_down: nothing stays, be it threads, files or memory.
// Initialisation is counted, and nothing works before the first or after the last.
#include <dirent.h>

#include <algorithm>
#include <chrono>
#include <climits>

#include "tests/programs/hsa/hsa_check.h"

static int entries(const char* folder) {
  int count = 0;
  DIR* const directory = opendir(folder);
  while (readdir(directory))
    ++count;
  closedir(directory);
  return count;
}

static long resident_pages() {
  long size = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> size >> resident;
  return resident;
}

static void one_round(int round) {
  Gpu gpu;
  const Kernel add = gpu.kernel("add");
  hsa_queue_t* queue = gpu.queue();
  uint32_t* data = gpu.allocate<uint32_t>(gpu.fine, 128);
  char* arguments = gpu.allocate<char>(gpu.kernarg, 64);
  for (int i = 0; i < 128; ++i)
    data[i] = i;
  const hsa_signal_t done = new_signal(1);
  launch(queue, add, arguments, data, round, 128, done);
  wait_zero(done, "a kernel");
  for (int i = 0; i < 128; ++i)
    REQUIRE(data[i] == uint32_t(i + round), "round %d item %d", round, i);
  HSA(hsa_signal_destroy(done));
  // Every other round leaves it to hsa_shut_down to clean up
  if (round % 2) {
    HSA(hsa_queue_destroy(queue));
    HSA(hsa_amd_memory_pool_free(data));
    HSA(hsa_amd_memory_pool_free(arguments));
    gpu.release();
  }
}

int main() {
  REQUIRE(hsa_shut_down() == HSA_STATUS_ERROR_NOT_INITIALIZED);
  hsa_signal_t signal;
  REQUIRE(hsa_signal_create(1, 0, nullptr, &signal) == HSA_STATUS_ERROR_NOT_INITIALIZED);
  const int threads = entries("/proc/self/task");
  const auto rounds = [](int count) {
    for (int round = 0; round < count; ++round) {
      HSA(hsa_init());
      HSA(hsa_init());
      HSA(hsa_shut_down());
      one_round(round);
      HSA(hsa_shut_down());
      REQUIRE(hsa_shut_down() == HSA_STATUS_ERROR_NOT_INITIALIZED, "round %d", round);
    }
  };
  const auto start = std::chrono::steady_clock::now();
  rounds(20); // what these leave behind is there once: pools of worker threads, caches of the allocator
  const int files = entries("/proc/self/fd");
  // A leak shows in every period; now and then the system puts a huge page where small ones were.
  long growth = LONG_MAX;
  for (int period = 0; period < 5; ++period) {
    const long before = resident_pages();
    rounds(80);
    growth = std::min(growth, resident_pages() - before);
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const int threads_after = entries("/proc/self/task");
  printf("420 rounds in %.2f s; threads %d, then %d; at least %ld KiB more in 80 rounds\n", seconds, threads,
         threads_after, growth * 4);
  REQUIRE(growth * 4 < 256, "memory grows");
  REQUIRE(entries("/proc/self/fd") == files, "%d files, then %d", files, entries("/proc/self/fd"));
  return pass();
}
