// Attributes are kept page by page; what is asked of a range is what its pages agree on.
#include "hsa/memory/svm.h"
#include "hsa/functions.h"
#include "hsa/memory/copy.h"
#include "hsa/memory/heap_tables.h"
#include "hsa/memory/shared_pages.h"
#include "hsa/queue/signal.h"
#include "hsa/runtime.h"
#include "machine/window.h"
#include <algorithm>
#include <dlfcn.h>
#include <fmt/format.h>
#include <set>
#include <sys/mman.h>

namespace crosslane::hsa {

namespace {

using Pair = SvmRanges::Pair;

bool names_an_agent(uint64_t attribute) {
  return attribute == HSA_AMD_SVM_ATTRIB_AGENT_ACCESSIBLE ||
         attribute == HSA_AMD_SVM_ATTRIB_AGENT_ACCESSIBLE_IN_PLACE || attribute == HSA_AMD_SVM_ATTRIB_AGENT_NO_ACCESS;
}

// What is wrong with attributes that shall be set, together.
hsa_status_t check(const Runtime& runtime, std::span<const Pair> pairs) {
  std::set<uint64_t> attributes, agents;
  for (const auto& [attribute, value] : pairs) {
    if (names_an_agent(attribute)) {
      if (!runtime.agent({value}))
        return HSA_STATUS_ERROR_INVALID_AGENT;
      if (!agents.insert(value).second)
        return HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS;
      continue;
    }
    switch (attribute) {
    case HSA_AMD_SVM_ATTRIB_GLOBAL_FLAG:
      if (value != HSA_AMD_SVM_GLOBAL_FLAG_FINE_GRAINED && value != HSA_AMD_SVM_GLOBAL_FLAG_COARSE_GRAINED)
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
      break;
    case HSA_AMD_SVM_ATTRIB_PREFERRED_LOCATION:
      if (value && !runtime.agent({value}))
        return HSA_STATUS_ERROR_INVALID_AGENT;
      break;
    case HSA_AMD_SVM_ATTRIB_READ_ONLY:
    case HSA_AMD_SVM_ATTRIB_HIVE_LOCAL:
    case HSA_AMD_SVM_ATTRIB_MIGRATION_GRANULARITY:
    case HSA_AMD_SVM_ATTRIB_READ_MOSTLY:
    case HSA_AMD_SVM_ATTRIB_GPU_EXEC: break;
    default: // the others can only be asked for
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
    if (!attributes.insert(attribute).second)
      return HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS;
  }
  return HSA_STATUS_SUCCESS;
}

// The host has memory at all of these pages.
bool is_mapped(uint64_t begin, uint64_t end) {
  return msync(reinterpret_cast<void*>(begin), end - begin, MS_ASYNC) == 0;
}

// Nobody has used any of these pages yet.
bool is_untouched(uint64_t begin, uint64_t end) {
  constexpr uint64_t pages = 65536;
  std::vector<unsigned char> resident(pages);
  for (uint64_t at = begin; at < end; at += pages * page_bytes) {
    const uint64_t bytes = std::min(end - at, pages * page_bytes);
    if (mincore(reinterpret_cast<void*>(at), bytes, resident.data()) != 0 ||
        std::any_of(resident.data(), resident.data() + bytes / page_bytes, [](unsigned char page) { return page & 1; }))
      return false;
  }
  return true;
}

// What HIP says of managed memory that it has just made: all GPUs may access it, and no more. A driver forgets pages
// that are unmapped; the runtime is not told, and would take them for those that lay there before.
bool is_new(const Runtime& runtime, uint64_t begin, uint64_t end, std::span<const Pair> pairs) {
  return pairs.size() == runtime.agents.size() - 1 &&
         std::ranges::all_of(pairs,
                             [&](const Pair& pair) {
                               return pair.attribute == HSA_AMD_SVM_ATTRIB_AGENT_ACCESSIBLE &&
                                      runtime.agent({pair.value})->gpu();
                             }) &&
         is_untouched(begin, end);
}

uint64_t handle_of(const Agent* agent) { return agent ? agent->handle().handle : 0; }

} // namespace

bool svm_supported(const Runtime& runtime) {
  return std::ranges::all_of(runtime.agents, [](const auto& agent) {
    return !agent->gpu() || isa::info(agent->card->target).generation >= isa::Generation::gfx9;
  });
}

SvmRanges::Access SvmRanges::Attributes::of(const Agent& agent) const {
  return agent.node < access.size() ? access[agent.node] : Access::none;
}

void SvmRanges::split(uint64_t at) {
  auto it = ranges_.lower_bound(at);
  if (it == ranges_.begin() || (it != ranges_.end() && it->first == at))
    return;
  Range& before = std::prev(it)->second;
  if (before.end <= at)
    return;
  ranges_.emplace_hint(it, at, before);
  before.end = at;
}

// Of all pages of [begin, end); those that had no attributes get them.
template <class Change> void SvmRanges::change(uint64_t begin, uint64_t end, Change&& change) {
  split(begin);
  split(end);
  for (uint64_t at = begin; at < end;) {
    auto it = ranges_.lower_bound(at);
    if (it == ranges_.end() || it->first != at)
      it = ranges_.emplace_hint(it, at, Range{it == ranges_.end() ? end : std::min(end, it->first), {}});
    change(it->second.attributes);
    at = it->second.end;
  }
}

void SvmRanges::apply(const Runtime& runtime, Attributes& a, const Pair& pair) {
  const Agent* agent = runtime.agent({pair.value});
  switch (pair.attribute) {
  case HSA_AMD_SVM_ATTRIB_GLOBAL_FLAG: a.fine = pair.value == HSA_AMD_SVM_GLOBAL_FLAG_FINE_GRAINED; break;
  case HSA_AMD_SVM_ATTRIB_READ_ONLY: a.read_only = pair.value; break;
  case HSA_AMD_SVM_ATTRIB_HIVE_LOCAL: a.hive_local = pair.value; break;
  case HSA_AMD_SVM_ATTRIB_READ_MOSTLY: a.read_mostly = pair.value; break;
  case HSA_AMD_SVM_ATTRIB_GPU_EXEC: a.executable = pair.value; break;
  case HSA_AMD_SVM_ATTRIB_MIGRATION_GRANULARITY:
    a.granularity = std::min<uint64_t>(pair.value, 18); // 1 GiB
    break;
  case HSA_AMD_SVM_ATTRIB_PREFERRED_LOCATION: a.preferred = agent; break;
  default: { // an agent's access
    const Access access = pair.attribute == HSA_AMD_SVM_ATTRIB_AGENT_ACCESSIBLE            ? Access::may_migrate
                          : pair.attribute == HSA_AMD_SVM_ATTRIB_AGENT_ACCESSIBLE_IN_PLACE ? Access::in_place
                                                                                           : Access::none;
    if (agent->gpu()) {
      if (agent->node >= a.access.size())
        a.access.resize(agent->node + 1);
      a.access[agent->node] = access;
    } else {
      a.host_access = access != Access::none;
    }
  }
  }
}

hsa_status_t SvmRanges::set(const Runtime& runtime, uint64_t begin, uint64_t end, std::span<const Pair> pairs) {
  if (const hsa_status_t status = check(runtime, pairs); status != HSA_STATUS_SUCCESS)
    return status;
  if (!is_mapped(begin, end))
    return HSA_STATUS_ERROR;
  const bool fresh = is_new(runtime, begin, end, pairs);
  const std::lock_guard lock(mutex_);
  change(begin, end, [&](Attributes& attributes) {
    if (fresh)
      attributes = {};
    for (const Pair& pair : pairs)
      apply(runtime, attributes, pair);
  });
  std::map<uint64_t, uint64_t> accessible;
  for (const auto& [first, range] : ranges_)
    if (std::ranges::any_of(range.attributes.access, [](Access access) { return access != Access::none; }))
      accessible.emplace(first, range.end);
  accessible_.set(std::move(accessible));
  return HSA_STATUS_SUCCESS;
}

std::vector<uint64_t> SvmRanges::forget_unmapped() {
  std::vector<uint64_t> forgotten;
  const std::lock_guard lock(mutex_);
  if (ranges_.size() < looked_at_ * 2)
    return forgotten;
  std::erase_if(ranges_, [&](const auto& entry) {
    const bool gone = !is_mapped(entry.first, entry.first + page_bytes);
    if (gone)
      forgotten.push_back(entry.first);
    return gone;
  });
  looked_at_ = std::max<size_t>(ranges_.size(), 64);
  return forgotten;
}

void SvmRanges::prefetched(uint64_t begin, uint64_t end, const Agent& agent) {
  const std::lock_guard lock(mutex_);
  change(begin, end, [&](Attributes& attributes) { attributes.prefetched = &agent; });
}

bool SvmRanges::all_in_window() const {
  const std::lock_guard lock(mutex_);
  return std::ranges::all_of(ranges_, [](const auto& entry) {
    const auto& [first, range] = entry;
    return (machine::window.contains(first) && machine::window.contains(range.end - 1)) ||
           std::ranges::all_of(range.attributes.access, [](Access access) { return access == Access::none; });
  });
}

hsa_status_t SvmRanges::get(const Runtime& runtime, uint64_t begin, uint64_t end, std::span<Pair> pairs) {
  for (const auto& [attribute, value] : pairs)
    if (attribute > HSA_AMD_SVM_ATTRIB_GPU_EXEC && attribute != HSA_AMD_SVM_ATTRIB_ACCESS_QUERY)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    else if (attribute == HSA_AMD_SVM_ATTRIB_ACCESS_QUERY && !runtime.agent({value}))
      return HSA_STATUS_ERROR_INVALID_AGENT;
  if (!is_mapped(begin, end))
    return HSA_STATUS_ERROR;
  // All that the range meets; if there are none, what pages have that nobody spoke of.
  const std::lock_guard lock(mutex_);
  split(begin);
  split(end);
  std::vector<const Attributes*> met;
  for (auto it = ranges_.lower_bound(begin); it != ranges_.end() && it->first < end; ++it)
    met.push_back(&it->second.attributes);
  static const Attributes untold;
  if (met.empty())
    met.push_back(&untold);
  const auto all = [&](auto&& holds) { return std::ranges::all_of(met, holds); };
  const auto location = [&](const Agent* Attributes::* which) {
    const Agent* first = met.front()->*which;
    return handle_of(all([&](const Attributes* a) { return a->*which == first; }) ? first : nullptr);
  };
  for (auto& [attribute, value] : pairs)
    switch (attribute) {
    case HSA_AMD_SVM_ATTRIB_GLOBAL_FLAG:
      value = all([](const Attributes* a) { return a->fine; })    ? HSA_AMD_SVM_GLOBAL_FLAG_FINE_GRAINED
              : all([](const Attributes* a) { return !a->fine; }) ? HSA_AMD_SVM_GLOBAL_FLAG_COARSE_GRAINED
                                                                  : HSA_AMD_SVM_GLOBAL_FLAG_INDETERMINATE;
      break;
    case HSA_AMD_SVM_ATTRIB_READ_ONLY: value = all([](const Attributes* a) { return a->read_only; }); break;
    case HSA_AMD_SVM_ATTRIB_HIVE_LOCAL: value = all([](const Attributes* a) { return a->hive_local; }); break;
    case HSA_AMD_SVM_ATTRIB_READ_MOSTLY: value = all([](const Attributes* a) { return a->read_mostly; }); break;
    case HSA_AMD_SVM_ATTRIB_GPU_EXEC: value = all([](const Attributes* a) { return a->executable; }); break;
    case HSA_AMD_SVM_ATTRIB_MIGRATION_GRANULARITY:
      value = (*std::ranges::min_element(met, {}, &Attributes::granularity))->granularity;
      break;
    case HSA_AMD_SVM_ATTRIB_PREFERRED_LOCATION: value = location(&Attributes::preferred); break;
    case HSA_AMD_SVM_ATTRIB_PREFETCH_LOCATION: value = location(&Attributes::prefetched); break;
    default: { // how the agent may access it: the answer takes the question's place
      const Agent& agent = *runtime.agent({value});
      if (!agent.gpu())
        attribute = all([](const Attributes* a) { return a->host_access; }) ? HSA_AMD_SVM_ATTRIB_AGENT_ACCESSIBLE
                                                                            : HSA_AMD_SVM_ATTRIB_AGENT_NO_ACCESS;
      else
        attribute = all([&](const Attributes* a) { return a->of(agent) == Access::may_migrate; })
                        ? HSA_AMD_SVM_ATTRIB_AGENT_ACCESSIBLE
                    : all([&](const Attributes* a) { return a->of(agent) == Access::in_place; })
                        ? HSA_AMD_SVM_ATTRIB_AGENT_ACCESSIBLE_IN_PLACE
                        : HSA_AMD_SVM_ATTRIB_AGENT_NO_ACCESS;
    }
    }
  return HSA_STATUS_SUCCESS;
}

namespace {

struct Pages {
  uint64_t begin, end;
};

// The pages of a client's range, if it is one; else what to say of it.
hsa_status_t find_pages(const void* ptr, size_t size, Pages& pages) {
  const auto address = reinterpret_cast<uint64_t>(ptr);
  if (!ptr || !size || address + size < address || address + size > UINT64_MAX - page_bytes)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  pages = {page_floor(address), page_ceil(address + size)};
  return HSA_STATUS_SUCCESS;
}

// It has memory of a pool, or memory that is locked: the driver has such memory under its own rules.
bool is_the_heaps(Runtime& runtime, Pages pages) {
  HeapTables& heap = heap_of(runtime);
  const std::shared_lock lock(heap.mutex);
  const auto meets = [&](uint64_t begin, uint64_t size) { return begin < pages.end && pages.begin < begin + size; };
  const auto after = heap.records.lower_bound(pages.end);
  if (after != heap.records.begin() && meets(std::prev(after)->second.address, std::prev(after)->second.size))
    return true;
  return std::ranges::any_of(heap.locks, [&](const auto& entry) {
    return meets(entry.second.host, entry.second.size) || meets(entry.second.alias, entry.second.size);
  });
}

// Runs the body with the pages, on cards that have shared virtual memory.
template <class Body> hsa_status_t with_pages(const char* function, const void* ptr, size_t size, Body&& body) {
  return api([&](Runtime& runtime) -> hsa_status_t {
    Pages pages{};
    if (const hsa_status_t status = find_pages(ptr, size, pages); status != HSA_STATUS_SUCCESS)
      return status;
    if (!svm_supported(runtime)) {
      say_once(function,
               fmt::format("{}: cards before gfx9 have no shared virtual memory (HSA_AMD_SYSTEM_INFO_SVM_SUPPORTED)",
                           function));
      return HSA_STATUS_ERROR;
    }
    return body(runtime, pages);
  });
}

} // namespace

void place_managed_memory() {
  if (auto* reserve = static_cast<void* (**)(size_t)>(dlsym(RTLD_DEFAULT, "crosslane_reserve"))) {
    void* (*const map)(size_t) = [](size_t bytes) {
      return reinterpret_cast<void*>(machine::map_in_window(page_ceil(bytes), PROT_READ | PROT_WRITE));
    };
    __atomic_store_n(reserve, map, __ATOMIC_RELEASE);
  }
}

} // namespace crosslane::hsa

using namespace crosslane::hsa;

namespace crosslane::hsa::functions {

hsa_status_t hsa_amd_svm_attributes_set(void* ptr, size_t size, hsa_amd_svm_attribute_pair_t* list, size_t count) {
  return with_pages(__func__, ptr, size, [&](Runtime& runtime, Pages pages) {
    if (count && !list)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    if (is_the_heaps(runtime, pages))
      return HSA_STATUS_ERROR;
    auto& memory = heap_of(runtime).memory;
    for (const uint64_t address : runtime.svm->forget_unmapped())
      memory.forget(address);
    const hsa_status_t status = runtime.svm->set(runtime, pages.begin, pages.end, {list, count});
    if (status == HSA_STATUS_SUCCESS &&
        std::any_of(list, list + count, [](const Pair& p) { return names_an_agent(p.attribute); }))
      memory.note(reinterpret_cast<uint64_t>(ptr), size, "shared virtual memory");
    return status;
  });
}

hsa_status_t hsa_amd_svm_attributes_get(void* ptr, size_t size, hsa_amd_svm_attribute_pair_t* list, size_t count) {
  return with_pages(__func__, ptr, size, [&](Runtime& runtime, Pages pages) {
    if (count && !list)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    return runtime.svm->get(runtime, pages.begin, pages.end, {list, count});
  });
}

hsa_status_t hsa_amd_svm_prefetch_async(void* ptr, size_t size, hsa_agent_t to, uint32_t dependency_count,
                                        const hsa_signal_t* dependencies, hsa_signal_t completion) {
  return with_pages(__func__, ptr, size, [&](Runtime& runtime, Pages pages) {
    const Agent* agent = runtime.agent(to);
    if (!agent)
      return HSA_STATUS_ERROR_INVALID_AGENT;
    if (dependency_count && !dependencies)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    std::vector<Signal*> before;
    for (uint32_t i = 0; i < dependency_count; ++i) {
      before.push_back(Signal::live(dependencies[i]));
      if (!before.back())
        return HSA_STATUS_ERROR_INVALID_SIGNAL;
    }
    Signal* const done = Signal::live(completion);
    if (completion.handle && !done)
      return HSA_STATUS_ERROR_INVALID_SIGNAL;
    const bool known = is_the_heaps(runtime, pages);
    runtime.copies->submit(std::move(before), done, 0, [=, &runtime] {
      if (!known) // memory of a pool stays where it is
        runtime.svm->prefetched(pages.begin, pages.end, *agent);
    });
    return HSA_STATUS_SUCCESS;
  });
}

} // namespace crosslane::hsa::functions
