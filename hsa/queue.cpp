#include "hsa/queue.h"
#include "engine/thread.h"
#include "hsa/memory.h"
#include "hsa/runtime.h"
#include "machine/memory.h"
#include <algorithm>
#include <cstddef>
#include <cstring>

namespace crosslane::hsa {

namespace {

std::atomic<uint64_t> next_id{0};

amd_queue_t* make_amd_queue(Runtime& runtime) {
  void* p = runtime.heap->allocate(sizeof(amd_queue_t), nullptr, "a queue", true);
  if (!p)
    throw std::bad_alloc();
  return new (p) amd_queue_t{};
}

} // namespace

Queue::Queue(Runtime& of) : amd(*make_amd_queue(of)), runtime(&of) {}

Queue::~Queue() {
  stop_processing();
  if (owns_doorbell && doorbell)
    destroy_signal(doorbell);
  if (inactive)
    destroy_signal(inactive);
  if (ring)
    runtime->heap->free(ring);
  runtime->heap->free(&amd);
}

void Queue::stop_processing() {
  stop = true;
  if (doorbell)
    notify(*doorbell);
  notify_all();
  if (!thread.joinable())
    return;
  if (thread.get_id() == std::this_thread::get_id())
    thread.detach(); // its own callback ends it
  else
    thread.join();
}

std::unique_ptr<Queue> make_queue(Runtime& runtime, Agent* agent, uint32_t size, uint32_t type, Signal* doorbell) {
  auto queue = std::make_unique<Queue>(runtime);
  queue->agent = agent;
  queue->size = size;
  queue->owns_doorbell = !doorbell;
  queue->doorbell = doorbell ? doorbell : make_signal(-1);
  queue->inactive = make_signal(0);
  queue->cooperative = type & HSA_QUEUE_TYPE_COOPERATIVE;
  queue->ring = runtime.heap->allocate(uint64_t(size) * 64, nullptr, "packets of a queue");
  if (!queue->ring)
    throw std::bad_alloc();
  for (uint32_t i = 0; i < size; ++i)
    *reinterpret_cast<uint16_t*>(static_cast<uint8_t*>(queue->ring) + uint64_t(i) * 64) = HSA_PACKET_TYPE_INVALID;

  amd_queue_t& amd = queue->amd;
  amd.hsa_queue.type = type;
  amd.hsa_queue.features = agent ? HSA_QUEUE_FEATURE_KERNEL_DISPATCH : HSA_QUEUE_FEATURE_AGENT_DISPATCH;
  amd.hsa_queue.base_address = queue->ring;
  amd.hsa_queue.doorbell_signal = queue->doorbell->handle();
  amd.hsa_queue.size = size;
  amd.hsa_queue.id = next_id++;
  // What kernels read: where generic addresses mean LDS and scratch, and the limits of the card.
  amd.group_segment_aperture_base_hi = machine::apertures().shared_hi();
  amd.private_segment_aperture_base_hi = machine::apertures().private_hi();
  amd.read_dispatch_id_field_base_byte_offset = offsetof(amd_queue_t, read_dispatch_id);
  amd.queue_properties = AMD_QUEUE_PROPERTIES_IS_PTR64;
  amd.queue_inactive_signal = queue->inactive->handle();
  if (agent) {
    amd.max_cu_id = agent->card->compute_units - 1;
    amd.max_wave_id = agent->card->max_waves_per_unit - 1;
    queue->cu_mask.assign((agent->card->compute_units + 31) / 32, UINT32_MAX);
  }
  return queue;
}

Queues::~Queues() { stop_all(); }

hsa_queue_t* Queues::add(std::unique_ptr<Queue> queue) {
  Queue* added = queue.get();
  if (added->agent) // first: without it the queue is none
    added->thread = engine::start_thread("crosslane queue", [added] { process_packets(*added); });
  const std::lock_guard lock(mutex_);
  queues_.push_back(std::move(queue));
  return &added->amd.hsa_queue;
}

Queue* Queues::find(const hsa_queue_t* handle) const {
  const std::lock_guard lock(mutex_);
  const auto it =
      std::find_if(queues_.begin(), queues_.end(), [&](const auto& q) { return &q->amd.hsa_queue == handle; });
  return it == queues_.end() ? nullptr : it->get();
}

bool Queues::destroy(hsa_queue_t* handle) {
  std::unique_ptr<Queue> queue;
  {
    const std::lock_guard lock(mutex_);
    const auto it = std::find_if(queues_.begin(), queues_.end(), [&](const auto& q) { return &q->amd.hsa_queue == handle; });
    if (it == queues_.end())
      return false;
    queue = std::move(*it);
    queues_.erase(it);
  }
  queue->stop_processing();
  // From its own callback a queue cannot go away under its thread's feet; it stays until the process ends.
  if (std::this_thread::get_id() == queue->processor.load())
    queue.release();
  return true;
}

void Queues::stop_all() {
  const std::lock_guard lock(mutex_);
  for (auto& queue : queues_)
    queue->stop_processing();
}

} // namespace crosslane::hsa
