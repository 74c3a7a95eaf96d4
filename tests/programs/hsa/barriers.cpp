// Barrier packets between queues: barrier-and waits for all its signals, barrier-or for one of them, a chain goes
// twelve times around three queues, and a queue that waits holds up no other.
#include "tests/programs/hsa/hsa_check.h"

int main() {
  HSA(hsa_init());
  {
    Gpu gpu;
    const Kernel mix = gpu.kernel("mix");
    hsa_queue_t* queues[3] = {gpu.queue(), gpu.queue(), gpu.queue()};
    uint32_t* data = gpu.allocate<uint32_t>(gpu.fine, 64);
    char* arguments = gpu.allocate<char>(gpu.kernarg, 64 * 64);
    memset(data, 0, 256);

    // Each link waits for the one before, which is in another queue
    const int links = 12;
    std::vector<hsa_signal_t> done;
    for (int i = 0; i <= links; ++i)
      done.push_back(new_signal(1));
    const hsa_signal_t open = new_signal(0);
    uint32_t expected = 0;
    for (int i = 0; i < links; ++i)
      expected = expected * 31u + i + 1;
    for (int i = 0; i < links; ++i) {
      barrier_packet(queues[i % 3], HSA_PACKET_TYPE_BARRIER_AND, {done[i], open}, {0});
      launch(queues[i % 3], mix, arguments + 64 * i, data, i + 1, 64, done[i + 1]);
    }
    REQUIRE(hsa_signal_load_scacquire(done[links]) == 1 && data[0] == 0, "nobody waited");

    // Meanwhile another queue works
    hsa_queue_t* other = gpu.queue();
    uint32_t* elsewhere = gpu.allocate<uint32_t>(gpu.fine, 64);
    memset(elsewhere, 0, 256);
    const hsa_signal_t independent = new_signal(1);
    launch(other, mix, arguments + 64 * 20, elsewhere, 77, 64, independent);
    wait_zero(independent, "a queue without dependencies");
    REQUIRE(elsewhere[5] == 77, "%u", elsewhere[5]);
    REQUIRE(data[0] == 0, "the chain started early");

    hsa_signal_store_screlease(done[0], 0);
    wait_zero(done[links], "the chain");
    for (int i = 0; i < 64; ++i)
      REQUIRE(data[i] == expected, "item %d: %u, not %u", i, data[i], expected);

    // barrier-and: two of three do not do
    hsa_signal_t a = new_signal(1), b = new_signal(1), c = new_signal(1), all = new_signal(1), any = new_signal(1);
    barrier_packet(queues[0], HSA_PACKET_TYPE_BARRIER_AND, {a, b, c}, all);
    barrier_packet(queues[1], HSA_PACKET_TYPE_BARRIER_OR, {a, b, c}, any);
    REQUIRE(hsa_signal_wait_scacquire(any, HSA_SIGNAL_CONDITION_EQ, 0, 3000000, HSA_WAIT_STATE_BLOCKED) == 1,
            "or without any");
    hsa_signal_store_screlease(b, 0);
    wait_zero(any, "barrier-or");
    hsa_signal_subtract_screlease(c, 1);
    REQUIRE(hsa_signal_wait_scacquire(all, HSA_SIGNAL_CONDITION_EQ, 0, 3000000, HSA_WAIT_STATE_BLOCKED) == 1,
            "and with two of three");
    hsa_signal_store_screlease(a, 0);
    wait_zero(all, "barrier-and");

    // A kernel that spins ends by a kernel of another queue
    const Kernel wait_for = gpu.kernel("wait_for"), store = gpu.kernel("store");
    uint32_t* flag = gpu.allocate<uint32_t>(gpu.fine, 16);
    memset(flag, 0, 64);
    const hsa_signal_t released = new_signal(1), stored = new_signal(1);
    launch(queues[0], wait_for, arguments + 64 * 30, flag, 9, 64, released);
    launch(queues[1], store, arguments + 64 * 31, flag, 9, 64, stored);
    wait_zero(stored, "the store");
    wait_zero(released, "the kernel that spins");
    REQUIRE(flag[0] == 9 && flag[1] == 10, "%u %u", flag[0], flag[1]);
    printf("a chain of %d over queues, and, or\n", links);
    for (hsa_queue_t* queue : queues)
      HSA(hsa_queue_destroy(queue));
    gpu.release();
  }
  HSA(hsa_shut_down());
  return pass();
}
