// Signals that change by a plain write to memory, from a kernel and from the CPU, wake who waits: in hsa_signal_wait,
// in hsa_amd_signal_wait_any, in a barrier packet and in an asynchronous handler. Waiting costs no core.
#include <sys/resource.h>
#include <time.h>

#include <thread>

#include "tests/programs/hsa/hsa_check.h"

static double cpu_seconds() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return now.tv_sec + now.tv_nsec * 1e-9;
}

int main() {
  HSA(hsa_init());
  {
    Gpu gpu;
    const Kernel store = gpu.kernel("store");
    hsa_queue_t *queue = gpu.queue(), *waiting = gpu.queue();
    char* arguments = gpu.allocate<char>(gpu.kernarg, 64 * 64);
    const hsa_signal_t plain = new_signal(1), unused = new_signal(1), behind = new_signal(1);
    volatile hsa_signal_value_t* value = nullptr;
    HSA(hsa_amd_signal_value_pointer(plain, &value));

    static std::atomic<long> handled{-1};
    HSA(hsa_amd_signal_async_handler(
        plain, HSA_SIGNAL_CONDITION_EQ, 42,
        [](hsa_signal_value_t seen, void*) {
          handled = seen;
          return false;
        },
        nullptr));

    // The kernel's store: the dispatch itself has no completion signal.
    launch(queue, store, arguments, const_cast<hsa_signal_value_t*>(value), 42, 64, {0});
    hsa_signal_t several[2] = {unused, plain};
    hsa_signal_condition_t conditions[2] = {HSA_SIGNAL_CONDITION_EQ, HSA_SIGNAL_CONDITION_GTE};
    hsa_signal_value_t values[2] = {0, 40}, satisfied = 0;
    const uint32_t which =
        hsa_amd_signal_wait_any(2, several, conditions, values, ~0ull, HSA_WAIT_STATE_BLOCKED, &satisfied);
    REQUIRE(which == 1 && satisfied == 42, "signal %u has %ld", which, long(satisfied));
    for (int i = 0; i < 2000 && handled < 0; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    REQUIRE(handled == 42, "the handler saw %ld", handled.load());

    // The CPU's store wakes a barrier packet and a waiter.
    barrier_packet(waiting, HSA_PACKET_TYPE_BARRIER_AND, {plain}, behind);
    std::thread writer([value] {
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
      *value = 0;
    });
    const double before = cpu_seconds();
    wait_zero(plain, "a plain store of the CPU");
    wait_zero(behind, "a barrier behind it");
    const double spent = cpu_seconds() - before;
    writer.join();
    REQUIRE(spent < 0.1, "200 ms of waiting took %.0f ms of CPU time", spent * 1000);
    printf("200 ms of waiting took %.1f ms of CPU time\n", spent * 1000);

    // All arithmetic on signals, and a wait that times out
    hsa_signal_store_relaxed(unused, 12);
    hsa_signal_add_relaxed(unused, 5);
    hsa_signal_subtract_relaxed(unused, 1);
    hsa_signal_xor_relaxed(unused, 3);
    hsa_signal_or_relaxed(unused, 64);
    hsa_signal_and_relaxed(unused, 0x5f);
    REQUIRE(hsa_signal_load_relaxed(unused) == ((((16 ^ 3) | 64)) & 0x5f), "%ld",
            long(hsa_signal_load_relaxed(unused)));
    REQUIRE(hsa_signal_cas_scacq_screl(unused, 0x53, 7) == 0x53 && hsa_signal_exchange_relaxed(unused, 8) == 7);
    REQUIRE(hsa_signal_wait_scacquire(unused, HSA_SIGNAL_CONDITION_NE, 8, 1000000, HSA_WAIT_STATE_ACTIVE) == 8);
    HSA(hsa_queue_destroy(queue));
    HSA(hsa_queue_destroy(waiting));
    for (hsa_signal_t signal : {plain, unused, behind})
      HSA(hsa_signal_destroy(signal));
    gpu.release();
  }
  HSA(hsa_shut_down());
  return pass();
}
