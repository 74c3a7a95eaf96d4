// The functions on queues.
#include "hsa/functions.h"
#include "hsa/info/give.h"
#include "hsa/memory/heap_tables.h"
#include "hsa/newer.h"
#include "hsa/queue/cu_mask.h"
#include "hsa/queue/queue.h"
#include "hsa/runtime.h"
#include "hsa/tools/intercept_queue.h"
#include <bit>
#include <cstring>
#include <sched.h>

using namespace crosslane::hsa;

namespace {

bool is_power_of_two(uint32_t n) { return std::has_single_bit(n); }

// Runs the body with the queue, if it is one.
template <class Body> hsa_status_t with_queue(const hsa_queue_t* handle, Body&& body) {
  return api([&](Runtime& runtime) -> hsa_status_t {
    const auto queue = runtime.queues->find(handle);
    if (!queue)
      return HSA_STATUS_ERROR_INVALID_QUEUE;
    return queue->interceptor ? body(queue->interceptor->lower()) : body(*queue);
  });
}

bool has_region(Runtime& runtime, hsa_region_t region) {
  HeapTables& heap = heap_of(runtime);
  const std::shared_lock lock(heap.mutex);
  return heap.pool(region.handle);
}

// The functions on indices have no status: of what is no queue an index is 0, and storing it does nothing. A freed
// queue's memory stays.
amd_queue_t* amd(const hsa_queue_t* queue) {
  return queue_slots.contains(reinterpret_cast<uint64_t>(queue))
             ? reinterpret_cast<amd_queue_t*>(const_cast<hsa_queue_t*>(queue))
             : nullptr;
}
std::atomic_ref<uint64_t> write_index(amd_queue_t* queue) {
  return std::atomic_ref(const_cast<uint64_t&>(queue->write_dispatch_id));
}
std::atomic_ref<uint64_t> read_index(amd_queue_t* queue) {
  return std::atomic_ref(const_cast<uint64_t&>(queue->read_dispatch_id));
}

} // namespace

namespace crosslane::hsa::functions {

hsa_status_t hsa_queue_create(hsa_agent_t handle, uint32_t size, hsa_queue_type32_t type,
                              void (*callback)(hsa_status_t, hsa_queue_t*, void*), void* data, uint32_t, uint32_t,
                              hsa_queue_t** queue) {
  return api([&](Runtime& runtime) -> hsa_status_t {
    Agent* agent = runtime.agent(handle);
    if (!agent)
      return HSA_STATUS_ERROR_INVALID_AGENT;
    if (!queue || !is_power_of_two(size) || size > largest_queue || type > HSA_QUEUE_TYPE_COOPERATIVE)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    if (!agent->gpu())
      return HSA_STATUS_ERROR_INVALID_QUEUE_CREATION;
    auto made = make_queue(runtime, agent, std::max(size, smallest_queue), type, nullptr);
    made->callback = callback;
    made->callback_data = data;
    *queue = runtime.queues->add(std::move(made));
    return *queue ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  });
}

hsa_status_t hsa_soft_queue_create(hsa_region_t region, uint32_t size, hsa_queue_type32_t type, uint32_t features,
                                   hsa_signal_t doorbell, hsa_queue_t** queue) {
  return api([&](Runtime& runtime) -> hsa_status_t {
    Signal* const bell = Signal::live(doorbell);
    if (!queue || !has_region(runtime, region) || !bell || !is_power_of_two(size) || type > HSA_QUEUE_TYPE_SINGLE ||
        !(features & (HSA_QUEUE_FEATURE_KERNEL_DISPATCH | HSA_QUEUE_FEATURE_AGENT_DISPATCH)))
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    auto made = make_queue(runtime, nullptr, size, type, bell);
    made->amd.hsa_queue.features = features;
    *queue = runtime.queues->add(std::move(made));
    return *queue ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  });
}

hsa_status_t hsa_queue_destroy(hsa_queue_t* queue) {
  return api([&](Runtime& runtime) -> hsa_status_t {
    if (!queue)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    return runtime.queues->destroy(queue) ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_INVALID_QUEUE;
  });
}

hsa_status_t hsa_queue_inactivate(hsa_queue_t* handle) {
  if (!handle && Runtime::current())
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  return with_queue(handle, [](Queue& queue) {
    queue.stop_processing();
    return HSA_STATUS_SUCCESS;
  });
}

// From the next dispatch on.
hsa_status_t hsa_amd_queue_set_priority(hsa_queue_t* handle, hsa_amd_queue_priority_t priority) {
  return with_queue(handle, [&](Queue& queue) {
    if (unsigned(priority) > HSA_AMD_QUEUE_PRIORITY_HIGH)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    if (queue.agent && priority != HSA_AMD_QUEUE_PRIORITY_NORMAL)
      queue.agent->precedence.begin_use();
    queue.priority = priority;
    return HSA_STATUS_SUCCESS;
  });
}

// From the next dispatch on.
hsa_status_t hsa_amd_queue_cu_set_mask(const hsa_queue_t* handle, uint32_t count, const uint32_t* mask) {
  return with_queue(handle, [&](Queue& queue) -> hsa_status_t {
    if (count % 32 || (count && !mask))
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    if (!queue.agent)
      return HSA_STATUS_ERROR_INVALID_QUEUE;
    return set_cu_mask(queue, count, mask) ? hsa_status_t(HSA_STATUS_CU_MASK_REDUCED) : HSA_STATUS_SUCCESS;
  });
}

hsa_status_t hsa_amd_queue_cu_get_mask(const hsa_queue_t* handle, uint32_t count, uint32_t* mask) {
  return with_queue(handle, [&](Queue& queue) -> hsa_status_t {
    if (!count || count % 32 || !mask)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    std::fill_n(mask, count / 32, 0);
    const std::lock_guard lock(queue.mutex);
    std::copy_n(queue.cu_mask.begin(), std::min<size_t>(queue.cu_mask.size(), count / 32), mask);
    return HSA_STATUS_SUCCESS;
  });
}

hsa_status_t hsa_amd_queue_get_info(hsa_queue_t* handle, hsa_queue_info_attribute_t attribute, void* value) {
  return with_queue(handle, [&](Queue& queue) -> hsa_status_t {
    if (!value)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    if (!queue.agent) // a soft queue: the client's
      return HSA_STATUS_ERROR_INVALID_QUEUE;
    switch (attribute) {
    case HSA_AMD_QUEUE_INFO_AGENT: return give(value, queue.agent->handle());
    case HSA_AMD_QUEUE_INFO_DOORBELL_ID: // as ROCr: the address of what rings it
      return give(value, reinterpret_cast<uint64_t>(&queue.doorbell->amd.value));
    }
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  });
}

// Nothing is kept for queues, so that there is nothing to reclaim; nor have the cards here asynchronous reclaim: gfx942
// was the first.
hsa_status_t hsa_amd_agent_set_async_scratch_limit(hsa_agent_t handle, size_t) {
  return api([&](Runtime& runtime) {
    const Agent* agent = runtime.agent(handle);
    return agent && agent->gpu() ? HSA_STATUS_ERROR_INVALID_ARGUMENT : HSA_STATUS_ERROR_INVALID_AGENT;
  });
}

hsa_status_t hsa_amd_profiling_set_profiler_enabled(hsa_queue_t* handle, int enable) {
  return with_queue(handle, [&](Queue& queue) {
    queue.profiling = enable;
    queue.amd.queue_properties = AMD_QUEUE_PROPERTIES_IS_PTR64 | (enable ? AMD_QUEUE_PROPERTIES_ENABLE_PROFILING : 0);
    return HSA_STATUS_SUCCESS;
  });
}

hsa_status_t hsa_amd_profiling_get_dispatch_time(hsa_agent_t agent, hsa_signal_t signal,
                                                 hsa_amd_profiling_dispatch_time_t* time) {
  return api([&](Runtime& runtime) -> hsa_status_t {
    if (!time)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    const Agent* gpu = runtime.agent(agent);
    if (!gpu || !gpu->gpu())
      return HSA_STATUS_ERROR_INVALID_AGENT;
    const Signal* const of = Signal::live(signal);
    if (!of)
      return HSA_STATUS_ERROR_INVALID_SIGNAL;
    time->start = to_system(of->amd.start_ts);
    time->end = to_system(of->amd.end_ts);
    return HSA_STATUS_SUCCESS;
  });
}

hsa_status_t hsa_amd_profiling_convert_tick_to_system_domain(hsa_agent_t agent, uint64_t tick, uint64_t* system_tick) {
  return api([&](Runtime& runtime) -> hsa_status_t {
    if (!system_tick)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    const Agent* gpu = runtime.agent(agent);
    if (!gpu || !gpu->gpu())
      return HSA_STATUS_ERROR_INVALID_AGENT;
    *system_tick = to_system(tick);
    return HSA_STATUS_SUCCESS;
  });
}

#define LOAD(name, index)                                                                                              \
  uint64_t name(const hsa_queue_t* queue) {                                                                            \
    amd_queue_t* const q = amd(queue);                                                                                 \
    return q ? index(q).load() : 0;                                                                                    \
  }
LOAD(hsa_queue_load_read_index_relaxed, read_index)
LOAD(hsa_queue_load_read_index_scacquire, read_index)
LOAD(hsa_queue_load_write_index_relaxed, write_index)
LOAD(hsa_queue_load_write_index_scacquire, write_index)

#define STORE(name, index)                                                                                             \
  void name(const hsa_queue_t* queue, uint64_t value) {                                                                \
    if (amd_queue_t* const q = amd(queue))                                                                             \
      index(q).store(value);                                                                                           \
  }
STORE(hsa_queue_store_read_index_relaxed, read_index)
STORE(hsa_queue_store_read_index_screlease, read_index)
STORE(hsa_queue_store_write_index_relaxed, write_index)
STORE(hsa_queue_store_write_index_screlease, write_index)

#define ADD(name)                                                                                                      \
  uint64_t name(const hsa_queue_t* queue, uint64_t value) {                                                            \
    amd_queue_t* const q = amd(queue);                                                                                 \
    return q ? write_index(q).fetch_add(value) : 0;                                                                    \
  }
ADD(hsa_queue_add_write_index_relaxed)
ADD(hsa_queue_add_write_index_scacquire)
ADD(hsa_queue_add_write_index_screlease)
ADD(hsa_queue_add_write_index_scacq_screl)

// Threads that take turns at an index by trying again and again may be more than there are cores: then whose turn it is
// must run.
static void lose_race() {
  static thread_local unsigned lost = 0;
  if (++lost % 64 == 0)
    sched_yield();
}

#define CAS(name)                                                                                                      \
  uint64_t name(const hsa_queue_t* queue, uint64_t expected, uint64_t value) {                                         \
    amd_queue_t* const q = amd(queue);                                                                                 \
    if (!q)                                                                                                            \
      return 0;                                                                                                        \
    if (!write_index(q).compare_exchange_strong(expected, value))                                                      \
      lose_race();                                                                                                     \
    return expected;                                                                                                   \
  }
CAS(hsa_queue_cas_write_index_relaxed)
CAS(hsa_queue_cas_write_index_scacquire)
CAS(hsa_queue_cas_write_index_screlease)
CAS(hsa_queue_cas_write_index_scacq_screl)

} // namespace crosslane::hsa::functions
