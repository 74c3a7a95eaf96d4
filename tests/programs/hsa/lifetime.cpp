// A hundred times hsa_init, a queue, a kernel, hsa_shut_down: nothing stays, be it threads, files or memory.
// Initialisation is counted, and nothing works before the first or after the last.
#include <dirent.h>

#include <chrono>

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
  int files = 0;
  long pages = 0;
  const auto start = std::chrono::steady_clock::now();
  for (int round = 0; round < 100; ++round) {
    HSA(hsa_init());
    HSA(hsa_init());
    HSA(hsa_shut_down());
    one_round(round);
    HSA(hsa_shut_down());
    REQUIRE(hsa_shut_down() == HSA_STATUS_ERROR_NOT_INITIALIZED, "round %d", round);
    // What the first rounds leave behind is there once: pools of worker threads, caches of the allocator
    if (round == 19)
      pages = resident_pages(), files = entries("/proc/self/fd");
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const int threads_after = entries("/proc/self/task");
  printf("100 rounds in %.2f s; threads %d, then %d; %ld KiB more after 80 rounds\n", seconds, threads, threads_after,
         (resident_pages() - pages) * 4);
  REQUIRE(resident_pages() - pages < 2048, "memory grows");
  REQUIRE(entries("/proc/self/fd") == files, "%d files, then %d", files, entries("/proc/self/fd"));
  return pass();
}
