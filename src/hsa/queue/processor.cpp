// The packet processor: takes one packet after the other, as soon as its header says that it is complete. Packets never
// overlap, which the barrier bit could forbid and nothing demands.
#include "hsa/queue/faults.h"
#include "hsa/queue/operations.h"
#include "hsa/queue/queue.h"
#include "hsa/runtime.h"
#include "hsa/statistics.h"
#include <algorithm>
#include <fmt/format.h>

namespace crosslane::hsa {

namespace {

constexpr uint64_t queue_spin = 20'000; // nanoseconds that an idle queue looks for packets before it sleeps

// What all packets have in common: the header first, the completion signal last.
struct Packet {
  uint16_t header;
  uint8_t amd_format; // vendor packets
  uint8_t bytes[53];
  hsa_signal_t completion_signal;
};
static_assert(sizeof(Packet) == 64);

Packet* packet_at(const Queue& queue, uint64_t index) {
  return static_cast<Packet*>(queue.ring) + (index & (queue.size - 1));
}

std::atomic_ref<uint16_t> header_of(Packet* packet) { return std::atomic_ref(packet->header); }

uint32_t type_of(uint16_t header) {
  return header >> HSA_PACKET_HEADER_TYPE & ((1u << HSA_PACKET_HEADER_WIDTH_TYPE) - 1);
}

// Waits for all or for one of the signals to satisfy; null handles do for `and`. False: the queue was stopped.
template <class Ready> bool wait_for(const Queue& queue, std::span<Signal* const> signals, Ready&& ready) {
  wait_until(signals, [&] { return queue.stop || ready(); }, forever, short_spin);
  return !queue.stop;
}

bool zero(Signal* signal) { return signal->value().load(std::memory_order_acquire) == 0; }

bool wait_for_dependencies(const Queue& queue, const hsa_signal_t (&handles)[5], bool all) {
  Signal* signals[5];
  size_t count = 0;
  for (const hsa_signal_t handle : handles)
    if (handle.handle)
      signals[count++] = Signal::from(handle);
  if (!count)
    return !queue.stop;
  const auto used = std::span(signals, count);
  return wait_for(queue, used, [&] {
    return all ? std::all_of(used.begin(), used.end(), zero) : std::any_of(used.begin(), used.end(), zero);
  });
}

bool wait_for_value(const Queue& queue, const hsa_amd_barrier_value_packet_t& packet) {
  if (!packet.signal.handle)
    return !queue.stop;
  Signal* const signal = Signal::from(packet.signal);
  return wait_for(queue, {&signal, 1}, [&] {
    const int64_t value = signal->value().load(std::memory_order_acquire) & packet.mask;
    switch (packet.cond) {
    case HSA_SIGNAL_CONDITION_EQ: return value == packet.value;
    case HSA_SIGNAL_CONDITION_NE: return value != packet.value;
    case HSA_SIGNAL_CONDITION_LT: return value < packet.value;
    default: return value >= packet.value;
    }
  });
}

// Whose dependencies are met: of any of them, all that have come to 0 count.
void tell_barrier(const Queue& queue, uint16_t header, uint64_t index, std::span<const hsa_signal_t> signals) {
  check::Order* const order = operations.load(std::memory_order_relaxed);
  if (!order) [[likely]]
    return;
  std::vector<const void*> met;
  for (const hsa_signal_t s : signals)
    if (s.handle && (signals.size() == 1 || zero(Signal::from(s))))
      met.push_back(Signal::from(s));
  order->barrier(queue.doorbell, index, has_barrier_bit(header), met);
}

hsa_status_t refuse(const std::string& what) {
  remember_diagnosis(HSA_STATUS_ERROR_INVALID_PACKET_FORMAT, what);
  return HSA_STATUS_ERROR_INVALID_PACKET_FORMAT;
}

bool may_be_signal(hsa_signal_t s) { return !s.handle || Signal::live(s); }
hsa_status_t refuse_signal(uint64_t index, hsa_signal_t s) {
  return refuse(
      fmt::format("packet {} names the signal {:#x}, which is none; has it been destroyed?", index, s.handle));
}

// HSA_STATUS_SUCCESS also when the queue was stopped meanwhile. `address`: of the packet in the ring, for the kernel.
hsa_status_t process(Queue& queue, const Packet& packet, uint16_t header, uint64_t index, uint64_t address) {
  if (!may_be_signal(packet.completion_signal))
    return refuse_signal(index, packet.completion_signal);
  switch (type_of(header)) {
  case HSA_PACKET_TYPE_KERNEL_DISPATCH:
    return dispatch(queue, reinterpret_cast<const hsa_kernel_dispatch_packet_t&>(packet), index, address);
  case HSA_PACKET_TYPE_BARRIER_AND:
  case HSA_PACKET_TYPE_BARRIER_OR: {
    const auto& signals = reinterpret_cast<const hsa_barrier_and_packet_t&>(packet).dep_signal;
    if (const auto* bad = std::ranges::find_if_not(signals, may_be_signal); bad != std::end(signals))
      return refuse_signal(index, *bad);
    wait_for_dependencies(queue, signals, type_of(header) == HSA_PACKET_TYPE_BARRIER_AND);
    tell_barrier(queue, header, index, signals);
    return HSA_STATUS_SUCCESS;
  }
  case HSA_PACKET_TYPE_VENDOR_SPECIFIC:
    if (packet.amd_format == HSA_AMD_PACKET_TYPE_BARRIER_VALUE) {
      const auto& barrier = reinterpret_cast<const hsa_amd_barrier_value_packet_t&>(packet);
      if (!may_be_signal(barrier.signal))
        return refuse_signal(index, barrier.signal);
      if (barrier.cond > HSA_SIGNAL_CONDITION_GTE)
        return refuse(fmt::format("packet {} waits for condition {}, which is none", index, barrier.cond));
      wait_for_value(queue, barrier);
      tell_barrier(queue, header, index, {&barrier.signal, 1});
      return HSA_STATUS_SUCCESS;
    }
    return refuse(fmt::format("packet {} is a vendor packet of format {}; there is only the barrier on a value (2)",
                              index, packet.amd_format));
  default:
    return refuse(fmt::format("packet {} has type {} (header {:#06x}), which this queue does not process", index,
                              type_of(header), header));
  }
}

} // namespace

void process_packets(Queue& queue) {
  queue.processor = std::this_thread::get_id();
  Signal* const doorbell[] = {queue.doorbell};
  for (uint64_t index = queue.read_index().load();; ++index) {
    Packet* const in_ring = packet_at(queue, index);
    const auto ready = [&] {
      return queue.stop || type_of(header_of(in_ring).load(std::memory_order_acquire)) != HSA_PACKET_TYPE_INVALID;
    };
    wait_until(doorbell, ready, forever, queue_spin);
    if (queue.stop)
      return;
    const uint16_t header = header_of(in_ring).load(std::memory_order_acquire);
    const Packet packet = *in_ring;
    const uint64_t begin = agent_now();
    const hsa_status_t status = process(queue, packet, header, index, reinterpret_cast<uint64_t>(in_ring));
    if (status != HSA_STATUS_SUCCESS) {
      // The queue takes no more packets. Who has no callback would wait for ever without a word.
      queue.inactive->value().store(int64_t(status));
      notify(*queue.inactive);
      queue.runtime->statistics->print(); // most clients abort now
      if (queue.callback)
        return queue.callback(status, queue.handle, queue.callback_data);
      return say(fmt::format("a queue stopped: {}", diagnosis_of(status)));
    }
    if (queue.stop)
      return;
    const hsa_signal_t completion = packet.completion_signal;
    header_of(in_ring).store(HSA_PACKET_TYPE_INVALID, std::memory_order_release);
    queue.read_index().store(index + 1);
    if (completion.handle) {
      Signal& signal = *Signal::from(completion);
      // Other queues may complete the same signal: the times are then those of one of the packets.
      std::atomic_ref(signal.amd.start_ts).store(begin, std::memory_order_relaxed);
      std::atomic_ref(signal.amd.end_ts).store(agent_now(), std::memory_order_relaxed);
      if (check::Order* const order = operations.load(std::memory_order_relaxed)) [[unlikely]]
        order->completes(queue.doorbell, &signal);
      complete(signal);
    }
  }
}

} // namespace crosslane::hsa
