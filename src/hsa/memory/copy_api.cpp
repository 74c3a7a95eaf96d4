// The API functions on asynchronous copies, and hsa_amd_memory_fill.
#include "hsa/functions.h"
#include "hsa/memory/copy.h"
#include "hsa/memory/copy_engines.h"
#include "hsa/memory/heap_tables.h"
#include "hsa/memory/vmem.h"
#include "hsa/runtime.h"
#include "hsa/statistics.h"
#include <bit>

using namespace crosslane::hsa;

namespace crosslane::hsa {
extern std::atomic<bool> profile_copies; // copy.cpp
}

namespace {

// What both kinds of copies check. A list of no dependencies is not looked at.
hsa_status_t take_signals(uint32_t count, const hsa_signal_t* handles, hsa_signal_t completion,
                          std::vector<Signal*>& dependencies) {
  if (count && !handles)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  for (uint32_t i = 0; i < count; ++i) {
    dependencies.push_back(Signal::live(handles[i]));
    if (!dependencies.back())
      return HSA_STATUS_ERROR_INVALID_SIGNAL;
  }
  if (!completion.handle)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  return Signal::live(completion) ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_INVALID_SIGNAL;
}

// HIP takes it for granted that a copy is done.
template <class Body> hsa_status_t copying(Body&& body) {
  if (in_forked_child())
    end_forked_child();
  return api(std::forward<Body>(body));
}

// A linear copy. `choose` is given its agents and says which engine's work it is, or what is wrong with them.
template <class Choose>
hsa_status_t copy(void* dst, hsa_agent_t dst_agent, const void* src, hsa_agent_t src_agent, size_t size, uint32_t count,
                  const hsa_signal_t* handles, hsa_signal_t completion, const char* what, Choose&& choose) {
  return copying([&](Runtime& runtime) {
    if (!dst || !src)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    Agent *to = runtime.agent(dst_agent), *from = runtime.agent(src_agent);
    if (!to || !from)
      return HSA_STATUS_ERROR_INVALID_AGENT;
    std::vector<Signal*> dependencies;
    if (const hsa_status_t status = take_signals(count, handles, completion, dependencies))
      return status;
    if (!size) // "no copy is performed": not even the signal changes
      return HSA_STATUS_SUCCESS;
    std::atomic<uint32_t>* work = nullptr;
    if (const hsa_status_t status = choose(*to, *from, work))
      return status;
    auto copying = check_copy(runtime, {static_cast<uint8_t*>(dst), static_cast<const uint8_t*>(src), size}, what,
                              dependencies, Signal::from(completion));
    runtime.copies->submit(
        std::move(dependencies), Signal::from(completion), size,
        [&runtime, dst, src, size, what, copying = std::move(copying)] {
          copy_bytes(runtime, dst, src, size, what);
          runtime.statistics->copied(copying);
        },
        work);
    return HSA_STATUS_SUCCESS;
  });
}

// One side of a rectangular copy, as the DMA engine takes it: all but the offsets and the range in x a multiple of 4,
// and the range within a row and a slice. Source: "All elements must be 4 byte aligned" (hsa_ext_amd.h); ROCr 5.2,
// amd_blit_sdma.cpp.
bool good(const hsa_pitched_ptr_t& memory, const hsa_dim3_t& offset, const hsa_dim3_t& range) {
  const uint64_t bits = reinterpret_cast<uint64_t>(memory.base) | memory.pitch | memory.slice;
  const uint64_t rows = uint64_t(offset.y) + range.y;
  return memory.base && bits % 4 == 0 && uint64_t(offset.x) + range.x <= memory.pitch &&
         (memory.slice ? rows <= memory.slice / memory.pitch : range.z == 1);
}

uint8_t* first_byte(const hsa_pitched_ptr_t& memory, const hsa_dim3_t& offset) {
  return static_cast<uint8_t*>(memory.base) + offset.x + offset.y * memory.pitch + offset.z * memory.slice;
}

} // namespace

namespace crosslane::hsa::functions {

hsa_status_t hsa_amd_memory_async_copy(void* dst, hsa_agent_t dst_agent, const void* src, hsa_agent_t src_agent,
                                       size_t size, uint32_t count, const hsa_signal_t* handles,
                                       hsa_signal_t completion) {
  return copy(dst, dst_agent, src, src_agent, size, count, handles, completion, "hsa_amd_memory_async_copy",
              [](Agent& to, Agent& from, std::atomic<uint32_t>*& work) {
                work = to.gpu() || from.gpu() ? default_engine(to, from) : nullptr;
                return HSA_STATUS_SUCCESS;
              });
}

// What ROCr makes of the engine: one bit, and an engine that the card has for the direction. Within a card a kernel
// copies unless forced.
hsa_status_t hsa_amd_memory_async_copy_on_engine(void* dst, hsa_agent_t dst_agent, const void* src,
                                                 hsa_agent_t src_agent, size_t size, uint32_t count,
                                                 const hsa_signal_t* handles, hsa_signal_t completion,
                                                 hsa_amd_sdma_engine_id_t engine, bool force) {
  return copy(dst, dst_agent, src, src_agent, size, count, handles, completion, "hsa_amd_memory_async_copy_on_engine",
              [=](Agent& to, Agent& from, std::atomic<uint32_t>*& work) {
                if (!to.gpu() && !from.gpu())
                  return HSA_STATUS_ERROR;
                if (!std::has_single_bit(uint32_t(engine)) || !(engine & engines_for(to, from)))
                  return HSA_STATUS_ERROR_INVALID_ARGUMENT;
                if (&to != &from || force)
                  work = &copying_agent(to, from).engine_work[uint32_t(std::countr_zero(uint32_t(engine)))];
                return HSA_STATUS_SUCCESS;
              });
}

hsa_status_t hsa_amd_memory_async_copy_rect(const hsa_pitched_ptr_t* dst, const hsa_dim3_t* dst_offset,
                                            const hsa_pitched_ptr_t* src, const hsa_dim3_t* src_offset,
                                            const hsa_dim3_t* range, hsa_agent_t agent_handle,
                                            hsa_amd_copy_direction_t direction, uint32_t count,
                                            const hsa_signal_t* handles, hsa_signal_t completion) {
  return copying([&](Runtime& runtime) {
    if (!dst || !src || !dst_offset || !src_offset || !range)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    if (direction != hsaHostToDevice && direction != hsaDeviceToHost && direction != hsaDeviceToDevice)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    const Agent* agent = runtime.agent(agent_handle);
    if (!agent || !agent->gpu())
      return HSA_STATUS_ERROR_INVALID_AGENT;
    std::vector<Signal*> dependencies;
    if (const hsa_status_t status = take_signals(count, handles, completion, dependencies))
      return status;
    if (!range->x || !range->y || !range->z)
      return HSA_STATUS_SUCCESS;
    if (!good(*dst, *dst_offset, *range) || !good(*src, *src_offset, *range))
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    const Box box{.to = first_byte(*dst, *dst_offset),
                  .from = first_byte(*src, *src_offset),
                  .bytes = range->x,
                  .rows = range->y,
                  .slices = range->z,
                  .to_steps = {dst->pitch, dst->slice},
                  .from_steps = {src->pitch, src->slice}};
    auto copying = check_copy(runtime, box, "hsa_amd_memory_async_copy_rect", dependencies, Signal::from(completion));
    runtime.copies->submit(std::move(dependencies), Signal::from(completion), box.bytes * box.rows * box.slices,
                           [&runtime, box, copying = std::move(copying)] {
                             copy_box(runtime, box, "hsa_amd_memory_async_copy_rect");
                             runtime.statistics->copied(copying);
                           });
    return HSA_STATUS_SUCCESS;
  });
}

hsa_status_t hsa_amd_memory_fill(void* ptr, uint32_t value, size_t count) {
  return copying([&](Runtime& runtime) {
    if (!ptr || reinterpret_cast<uint64_t>(ptr) % 4)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    if (!count)
      return HSA_STATUS_SUCCESS;
    {
      const auto address = reinterpret_cast<uint64_t>(ptr);
      HeapTables& heap = heap_of(runtime);
      const std::shared_lock lock(heap.mutex);
      const Record* record = heap.find(address);
      const Lock* const locked = record ? nullptr : heap.find_lock(address);
      const auto until = [&](uint64_t begin, uint64_t size) {
        return count <= (begin + (size + 3) / 4 * 4 - address) / 4;
      };
      const bool alias = locked && address - locked->alias < locked->size;
      const bool known = record   ? until(record->address, record->size)
                         : locked ? until(alias ? locked->alias : locked->host, locked->size)
                                  : count <= SIZE_MAX / 4 && runtime.virtual_memory->writable(address, count * 4);
      if (!known)
        return HSA_STATUS_ERROR_INVALID_ALLOCATION;
      if (alias)
        ptr = reinterpret_cast<void*>(locked->host + (address - locked->alias));
    }
    const auto begin = reinterpret_cast<uint64_t>(ptr);
    runtime.statistics->written({begin, begin + count * 4});
    std::fill_n(static_cast<uint32_t*>(ptr), count, value);
    return HSA_STATUS_SUCCESS;
  });
}

hsa_status_t hsa_amd_profiling_async_copy_enable(bool enable) {
  return api([&](Runtime&) {
    profile_copies = enable;
    return HSA_STATUS_SUCCESS;
  });
}

hsa_status_t hsa_amd_profiling_get_async_copy_time(hsa_signal_t signal, hsa_amd_profiling_async_copy_time_t* time) {
  return api([&](Runtime&) {
    const Signal* const of = Signal::live(signal);
    if (!of)
      return HSA_STATUS_ERROR_INVALID_SIGNAL;
    if (!time)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    const amd_signal_t& amd = of->amd;
    if (!amd.start_ts)
      return HSA_STATUS_ERROR; // no copy was timed with it
    *time = {to_system(amd.start_ts), to_system(amd.end_ts)};
    return HSA_STATUS_SUCCESS;
  });
}

} // namespace crosslane::hsa::functions
