// What `--check race` knows of queues: barrier bits, barrier packets, signals, copies and the host order kernels that
// use one buffer; with an argument something of that is left out.
#include "tests/programs/hsa/hsa_check.h"

int main(int, char** argv) {
  const std::string left_out = argv[1] ? argv[1] : "";
  HSA(hsa_init());
  {
    Gpu gpu;
    const Kernel mix = gpu.kernel("mix");
    hsa_queue_t* queues[2] = {gpu.queue(), gpu.queue()};
    auto* data = gpu.allocate<uint32_t>(gpu.fine, 640);
    auto* copy = gpu.allocate<uint32_t>(gpu.fine, 640);
    char* arguments = gpu.allocate<char>(gpu.kernarg, 64 * 64);
    memset(data, 0, 2560);
    int launches = 0;
    const auto go = [&](int queue, hsa_signal_t done, uint32_t value) {
      launch(queues[queue], mix, arguments + 64 * launches++, data, value, 640, done);
    };
    const auto wait = [&](const char* what, hsa_signal_t signal) {
      if (left_out != what)
        wait_zero(signal, what);
    };
    std::vector<hsa_signal_t> done;
    for (int i = 0; i < 8; ++i)
      done.push_back(new_signal(1));

    go(0, {0}, 1);
    // One packet behind the other
    if (left_out == "bit") {
      const uint16_t without = header(HSA_PACKET_TYPE_KERNEL_DISPATCH) & ~(1 << HSA_PACKET_HEADER_BARRIER);
      const uint64_t index = hsa_queue_load_write_index_relaxed(queues[0]);
      auto* packet = static_cast<hsa_kernel_dispatch_packet_t*>(queues[0]->base_address) + index;
      *packet = packet[-1];
      packet->completion_signal = done[0];
      hsa_queue_store_write_index_screlease(queues[0], index + 1);
      __atomic_store_n(&packet->header, without, __ATOMIC_RELEASE);
      hsa_signal_store_screlease(queues[0]->doorbell_signal, hsa_signal_value_t(index));
    } else {
      go(0, done[0], 2);
    }
    // Another queue waits by a packet
    if (left_out != "packet")
      barrier_packet(queues[1], HSA_PACKET_TYPE_BARRIER_AND, {done[0]}, {0});
    go(1, done[1], 3);
    // A copy waits for a signal
    HSA(hsa_amd_memory_async_copy(copy, gpu.agent, data, gpu.agent, 2560, left_out == "copy" ? 0 : 1, &done[1],
                                  done[2]));
    // The host waits for the copy, and gives another kernel
    wait("host", done[2]);
    go(0, done[3], 4);
    wait_zero(done[3], "the last one");
    wait_zero(done[2], "the copy");
    wait_zero(done[1], "the one before");
    for (hsa_queue_t* queue : queues)
      HSA(hsa_queue_destroy(queue));
    gpu.release();
  }
  HSA(hsa_shut_down());
  return pass();
}
