// Rows: queues, and packets of small kernels.
#include "tests/hsa/calls/calls.h"
#include <cstring>

namespace crosslane::test::calls {

namespace {

// Some destroy or stop the queue that failed.
void on_error(hsa_status_t, hsa_queue_t* queue, void* how) {
  if (how == reinterpret_cast<void*>(1))
    hsa_queue_inactivate(queue);
}

// One packet, if there is room: a dispatch, a barrier, or nonsense.
int submit(Chooser& c) {
  auto* const queue = reinterpret_cast<hsa_queue_t*>(c.world.pick(Kind::queue, c.rng, false));
  hsa_agent_t agent;
  if (!c.world.arguments || hsa_amd_queue_get_info(queue, HSA_AMD_QUEUE_INFO_AGENT, &agent) != HSA_STATUS_SUCCESS ||
      queue->size < 64)
    return no_status;
  constexpr uint32_t threads = 16; // that may be here at once
  if (hsa_queue_load_write_index_relaxed(queue) - hsa_queue_load_read_index_scacquire(queue) >= queue->size - threads)
    return no_status;
  const uint64_t index = hsa_queue_add_write_index_relaxed(queue, 1);
  union {
    hsa_kernel_dispatch_packet_t dispatch;
    hsa_barrier_and_packet_t barrier;
    hsa_amd_barrier_value_packet_t value;
    uint8_t bytes[64];
  } packet{};
  const uint64_t dice = c.rng() % 32;
  uint16_t type = HSA_PACKET_TYPE_KERNEL_DISPATCH;
  if (dice < 20) {
    auto* const arguments = c.world.arguments + c.rng() % (allocation_bytes / 64) * 64;
    const uint64_t values[] = {c.world.pick(Kind::allocation, c.rng, c.rng() % 64 == 0), 3};
    std::memcpy(arguments, values, sizeof values);
    packet.dispatch.setup = 1;
    packet.dispatch.workgroup_size_x = uint16_t(c.rng() % 64 ? 64 : c.rng());
    packet.dispatch.workgroup_size_y = packet.dispatch.workgroup_size_z = 1;
    packet.dispatch.grid_size_x = uint32_t(64 << c.rng() % 4);
    packet.dispatch.grid_size_y = packet.dispatch.grid_size_z = 1;
    packet.dispatch.kernel_object = c.world.kernel + (c.rng() % 64 ? 0 : 64);
    packet.dispatch.kernarg_address = arguments;
    packet.dispatch.completion_signal = c.optional_signal();
  } else if (dice < 29) {
    type = dice < 25 ? HSA_PACKET_TYPE_BARRIER_AND : HSA_PACKET_TYPE_BARRIER_OR;
    packet.barrier.dep_signal[c.rng() % 5] = c.optional_signal();
    packet.barrier.completion_signal = c.optional_signal();
  } else if (dice < 31) {
    type = HSA_PACKET_TYPE_VENDOR_SPECIFIC;
    packet.value.header.AmdFormat = HSA_AMD_PACKET_TYPE_BARRIER_VALUE;
    packet.value.signal = c.optional_signal();
    packet.value.mask = 3, packet.value.cond = HSA_SIGNAL_CONDITION_GTE;
  } else {
    type = uint16_t(2 + c.rng() % 8);
    for (uint8_t& byte : packet.bytes)
      byte = uint8_t(c.rng());
  }
  auto* const slot = static_cast<uint8_t*>(queue->base_address) + index % queue->size * 64;
  std::memcpy(slot + 2, packet.bytes + 2, 62);
  __atomic_store_n(reinterpret_cast<uint16_t*>(slot), uint16_t(type << HSA_PACKET_HEADER_TYPE), __ATOMIC_RELEASE);
  hsa_signal_store_screlease(queue->doorbell_signal, int64_t(index));
  return no_status;
}

constexpr auto mask_words = 4u;

} // namespace

const Row packets = {"packets", &submit, no_status, true};

BODY(hsa_queue_create, HSA_STATUS_SUCCESS, false, hsa_queue_t* q = nullptr;
     void* const how = reinterpret_cast<void*>(c.below(2));
     const hsa_status_t r = hsa_queue_create(
         c.gpu(), c.value(c.any({64u, 1u, 4096u}), {0u, 100u, 1u << 30}),
         c.value<hsa_queue_type32_t>(c.any<hsa_queue_type32_t>({HSA_QUEUE_TYPE_MULTI, HSA_QUEUE_TYPE_SINGLE}), {99}),
         c.may(&on_error), how, UINT32_MAX, UINT32_MAX, c.must(&q));
     c.made(r, Kind::queue, reinterpret_cast<uint64_t>(q)); return r;)
BODY(hsa_soft_queue_create, HSA_STATUS_SUCCESS, false, hsa_queue_t* q = nullptr;
     const hsa_status_t r = hsa_soft_queue_create(c.region(), c.value(64u, {0u, 3u}),
                                                  c.value<hsa_queue_type32_t>(HSA_QUEUE_TYPE_MULTI, {7}),
                                                  c.value<uint32_t>(HSA_QUEUE_FEATURE_AGENT_DISPATCH, {0}), c.signal(),
                                                  c.must(&q));
     c.made(r, Kind::soft_queue, reinterpret_cast<uint64_t>(q)); return r;)
BODY(hsa_queue_destroy, HSA_STATUS_SUCCESS, false,
     const std::unique_lock lock(c.world.memory); // packets are memory of the queue
     return hsa_queue_destroy(reinterpret_cast<hsa_queue_t*>(c.take(c.random() && c.below(3) == 0 ? Kind::soft_queue
                                                                                                  : Kind::queue)));)
CALL(hsa_queue_inactivate, c.queue())
CALL(hsa_amd_queue_set_priority, c.queue(), c.value(HSA_AMD_QUEUE_PRIORITY_NORMAL, {hsa_amd_queue_priority_t(17)}))
BODY(hsa_amd_queue_cu_set_mask, HSA_STATUS_SUCCESS, false, uint32_t mask[mask_words] = {3, 0, 0, 0};
     return hsa_amd_queue_cu_set_mask(c.queue(), c.value(32u, {33u}), c.must(mask));)
BODY(hsa_amd_queue_cu_get_mask, HSA_STATUS_SUCCESS, false, uint32_t mask[mask_words];
     return hsa_amd_queue_cu_get_mask(c.queue(), c.value(c.any({32u, 64u, 128u}), {0u, 1u, 31u}), c.must(mask));)
CALL(hsa_amd_queue_get_info, c.queue(), c.value(HSA_AMD_QUEUE_INFO_AGENT, {hsa_queue_info_attribute_t(44)}), c.out())
CALL_GIVES(hsa_amd_agent_set_async_scratch_limit, HSA_STATUS_ERROR_INVALID_ARGUMENT, c.gpu(), 1 << 20)
CALL(hsa_amd_profiling_set_profiler_enabled, c.queue(), int(c.below(2)))
BODY(hsa_amd_profiling_get_dispatch_time, HSA_STATUS_SUCCESS, false, hsa_amd_profiling_dispatch_time_t t;
     return hsa_amd_profiling_get_dispatch_time(c.gpu(), c.signal(), c.must(&t));)
BODY(hsa_amd_profiling_convert_tick_to_system_domain, HSA_STATUS_SUCCESS, false, uint64_t t;
     return hsa_amd_profiling_convert_tick_to_system_domain(c.gpu(), c.below(1000), c.must(&t));)

#define LOAD(name) CALL_NO_STATUS(name, c.queue())
LOAD(hsa_queue_load_read_index_relaxed)
LOAD(hsa_queue_load_read_index_scacquire)
LOAD(hsa_queue_load_read_index_acquire)
LOAD(hsa_queue_load_write_index_relaxed)
LOAD(hsa_queue_load_write_index_scacquire)
LOAD(hsa_queue_load_write_index_acquire)
// Only of soft queues: the others' indices belong to those who submit packets.
#define SOFT reinterpret_cast<hsa_queue_t*>(c.handle(Kind::soft_queue))
#define STORE(name) CALL_NO_STATUS(name, SOFT, c.below(8))
STORE(hsa_queue_store_read_index_relaxed)
STORE(hsa_queue_store_read_index_screlease)
STORE(hsa_queue_store_read_index_release)
STORE(hsa_queue_store_write_index_relaxed)
STORE(hsa_queue_store_write_index_screlease)
STORE(hsa_queue_store_write_index_release)
#define CAS(name) CALL_NO_STATUS(name, SOFT, c.below(8), c.below(8))
#define ORDERS(row, operation)                                                                                         \
  row(hsa_queue_##operation##_write_index_relaxed) row(hsa_queue_##operation##_write_index_scacquire)                  \
      row(hsa_queue_##operation##_write_index_screlease) row(hsa_queue_##operation##_write_index_scacq_screl)          \
          row(hsa_queue_##operation##_write_index_acquire) row(hsa_queue_##operation##_write_index_release)            \
              row(hsa_queue_##operation##_write_index_acq_rel)
ORDERS(STORE, add)
ORDERS(CAS, cas)

} // namespace crosslane::test::calls
