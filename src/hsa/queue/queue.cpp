// The life of a queue: its ring, its thread, its doorbell.
#include "hsa/queue/queue.h"
#include "engine/thread.h"
#include "hsa/memory/memory.h"
#include "hsa/queue/cu_mask.h"
#include "hsa/queue/operations.h"
#include "hsa/runtime.h"
#include "hsa/tools/intercept_queue.h"
#include "machine/memory.h"
#include <algorithm>
#include <cstddef>
#include <cstring>

namespace crosslane::hsa {

namespace {

std::atomic<uint64_t> next_id{0};
thread_local bool of_queue = false;

amd_queue_t* make_amd_queue(Runtime& runtime) {
  void* p = queue_slots.take();
  if (!p)
    throw std::bad_alloc();
  runtime.heap->memory().note(reinterpret_cast<uint64_t>(p), sizeof(amd_queue_t), "a queue");
  return new (p) amd_queue_t{};
}

} // namespace

static_assert(sizeof(amd_queue_t) <= 256);
[[clang::no_destroy]] constinit Slots queue_slots(256, uint64_t(1) << 16, 256);

Queue::Queue(Runtime& of) : amd(*make_amd_queue(of)), runtime(&of), handle(&amd.hsa_queue) {}

Queue::~Queue() {
  stop_processing();
  if (owns_doorbell && doorbell)
    destroy_signal(doorbell);
  if (inactive)
    destroy_signal(inactive);
  if (ring)
    runtime->heap->free(ring);
  runtime->heap->memory().forget(reinterpret_cast<uint64_t>(&amd));
  queue_slots.give_back(reinterpret_cast<uint64_t>(&amd));
}

void Queue::stop_processing() {
  stop = true;
  if (interceptor)
    interceptor->stop();
  if (doorbell)
    notify(*doorbell);
  notify_all();
  if (processor.load() == std::this_thread::get_id()) { // its own callback ends it
    const std::unique_lock lock(ending, std::try_to_lock);
    if (lock && thread.joinable()) // else another thread waits for this one to end
      thread.detach();
    return;
  }
  const std::lock_guard lock(ending);
  if (thread.joinable())
    thread.join();
}

std::unique_ptr<Queue> make_queue(Runtime& runtime, Agent* agent, uint32_t size, uint32_t type, Signal* doorbell) {
  auto queue = std::make_unique<Queue>(runtime);
  queue->agent = agent;
  queue->size = size;
  queue->owns_doorbell = !doorbell;
  queue->doorbell = doorbell ? doorbell : make_signal(-1);
  queue->inactive = make_signal(0);
  if (!doorbell)
    queue->doorbell->internal = true;
  queue->inactive->internal = true;
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
    initialise_cu_mask(*queue);
  }
  return queue;
}

std::thread start_queue_thread(const char* name, std::function<void()> body) {
  // The runtime is in use from now on, as a thread that has not begun may be left alone already; and until what the
  // body holds has gone, which may be the last of a queue.
  return engine::start_thread(name, [use = std::make_shared<const Runtime::Use>(), body = std::move(body)]() mutable {
    const auto last = std::move(use);
    const auto run = std::move(body);
    of_queue = true;
    run();
  });
}

bool in_queue_thread() { return of_queue; }

Queues::~Queues() { stop_all(); }

hsa_queue_t* Queues::add(std::shared_ptr<Queue> queue) {
  const std::lock_guard lock(mutex_);
  if (stopped_)
    return nullptr;
  queues_.reserve(queues_.size() + 1);
  if (queue->agent) { // first: without its thread the queue is none
    const std::lock_guard own(queue->ending);
    queue->thread = start_queue_thread("crosslane queue", [queue = queue.get()] {
      process_packets(*queue);
      const auto last = std::move(queue->destroyed);
    });
  }
  queues_.push_back(std::move(queue));
  return &queues_.back()->amd.hsa_queue;
}

std::shared_ptr<Queue> Queues::find(const hsa_queue_t* handle) const {
  const std::lock_guard lock(mutex_);
  const auto it =
      std::find_if(queues_.begin(), queues_.end(), [&](const auto& q) { return &q->amd.hsa_queue == handle; });
  return it == queues_.end() ? nullptr : *it;
}

std::shared_ptr<Queue> Queues::take(const hsa_queue_t* handle) {
  const std::lock_guard lock(mutex_);
  const auto it =
      std::find_if(queues_.begin(), queues_.end(), [&](const auto& q) { return &q->amd.hsa_queue == handle; });
  if (it == queues_.end())
    return nullptr;
  auto queue = std::move(*it);
  queues_.erase(it);
  return queue;
}

bool Queues::destroy(hsa_queue_t* handle) {
  std::shared_ptr<Queue> queue = take(handle);
  if (!queue)
    return false;
  queue->stop_processing();
  if (check::Order* const order = operations.load(std::memory_order_relaxed)) [[unlikely]]
    order->destroyed(queue->doorbell);
  // From its own callback a queue cannot go away under its thread's feet; it stays until that ends.
  if (Queue& own = *queue; std::this_thread::get_id() == own.processor.load())
    own.destroyed = std::move(queue);
  return true;
}

void Queues::stop_all() {
  std::vector<std::shared_ptr<Queue>> all;
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    all = queues_;
  }
  for (auto& queue : all) // without the lock: their callbacks may use queues
    queue->stop_processing();
}

} // namespace crosslane::hsa
