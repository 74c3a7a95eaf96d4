// 10,000 dispatches over 8 queues from 8 threads. Each thread's dispatches must run in order, none may be lost, and
// small queues (16 packets) have to make their writers wait. `stress endless` goes on until it is killed.
#include <thread>

#include "tests/programs/hsa/hsa_check.h"

static const int threads = 8, items = 256;

static void work(Gpu& gpu, const Kernel& mix, const Kernel& count, int id, int dispatches, uint32_t* total) {
  hsa_queue_t* queue = gpu.queue(16);
  uint32_t* data = gpu.allocate<uint32_t>(gpu.fine, items);
  char* arguments = gpu.allocate<char>(gpu.kernarg, 64 * 64);
  memset(data, 0, items * 4);
  uint32_t expected = 0;
  hsa_signal_t batch = new_signal(0);
  for (int done = 0; done < dispatches;) {
    // The ring of arguments is reused after each batch of 50
    const int size = std::min(50, dispatches - done);
    hsa_signal_store_relaxed(batch, size);
    for (int k = 0; k < size; ++k, ++done) {
      const bool counts = done % 5 == 4;
      launch(queue, counts ? count : mix, arguments + 64 * k, counts ? total : data, counts ? 1 : done + id, items,
             batch);
      if (!counts)
        expected = expected * 31u + done + id;
    }
    wait_zero(batch, "a batch of dispatches");
  }
  for (int i = 0; i < items; ++i)
    REQUIRE(data[i] == expected, "thread %d item %d: %u, not %u", id, i, data[i], expected);
  HSA(hsa_signal_destroy(batch));
  HSA(hsa_queue_destroy(queue));
  HSA(hsa_amd_memory_pool_free(data));
  HSA(hsa_amd_memory_pool_free(arguments));
}

int main(int argc, char**) {
  HSA(hsa_init());
  {
    Gpu gpu;
    const Kernel mix = gpu.kernel("mix"), count = gpu.kernel("count");
    uint32_t* total = gpu.allocate<uint32_t>(gpu.fine, 1);
    const int dispatches = argc > 1 ? 500 : 1250;
    do {
      *total = 0;
      std::vector<std::thread> team;
      for (int id = 0; id < threads; ++id)
        team.emplace_back([&, id] { work(gpu, mix, count, id, dispatches, total); });
      for (std::thread& member : team)
        member.join();
      const uint32_t expected = uint32_t(threads * (dispatches / 5) * (items / 64));
      REQUIRE(*total == expected, "%u workgroups counted, not %u", *total, expected);
      if (argc > 1)
        puts("round"), fflush(stdout);
    } while (argc > 1);
    HSA(hsa_amd_memory_pool_free(total));
    gpu.release();
    printf("%d dispatches\n", threads * dispatches);
  }
  HSA(hsa_shut_down());
  return pass();
}
