// By the functions' names: what else a runtime is called for may allocate (streams, modules, printf's buffer), but
// programs have nothing to free it by.
#include "check/leaks.h"
#include "check/host_places.h"
#include "lint/format/format.h"
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <string_view>

namespace crosslane::check {

namespace {

// hipMallocAsync and its kin are none: their pools keep what is given back. Nor is what maps data of OpenMP: the same
// calls load code and make room for the device's own malloc().
constexpr std::string_view allocating[] = {"hipArray3DCreate",
                                           "hipArrayCreate",
                                           "hipExtMallocWithFlags",
                                           "hipHostAlloc",
                                           "hipHostMalloc",
                                           "hipMalloc",
                                           "hipMalloc3D",
                                           "hipMalloc3DArray",
                                           "hipMallocArray",
                                           "hipMallocHost",
                                           "hipMallocManaged",
                                           "hipMallocMipmappedArray",
                                           "hipMallocPitch",
                                           "hipMemAllocHost",
                                           "hipMemAllocPitch",
                                           "hipMipmappedArrayCreate",
                                           "omp_target_alloc",
                                           "llvm_omp_target_alloc_device",
                                           "llvm_omp_target_alloc_host",
                                           "llvm_omp_target_alloc_shared"};

bool allocates(const std::string& function) { return std::ranges::find(allocating, function) != std::end(allocating); }

struct Sum {
  uint64_t count = 0, bytes = 0;
};

struct Leak : Sum {
  lint::PlacedFinding finding;
  std::string function;
};

// What is one finding: a loop that the compiler unrolled has several calls at one line.
std::string way_of(const Leak& leak) {
  std::string way = leak.function;
  const auto add = [&](const lint::Place& place) {
    way += '\n' + lint::where_of(place);
    for (const std::string& by : place.inlined_by)
      way += '\n' + by;
  };
  add(leak.finding.place);
  std::ranges::for_each(leak.finding.callers, add);
  return way;
}

std::string message_of(const Leak& leak) {
  const std::string of = leak.function.empty() ? "" : " of " + leak.function;
  if (leak.count == 1)
    return fmt::format("{} byte{}{} {} never freed", leak.bytes, leak.bytes == 1 ? "" : "s", of,
                       leak.bytes == 1 ? "is" : "are");
  return fmt::format("{} allocations{}, {} bytes in all, are never freed", leak.count, of, leak.bytes);
}

} // namespace

void Leaks::initialised(const HostStack& stack) {
  const std::lock_guard lock(mutex_);
  initialisations_.insert(request_of(stack).within);
}

bool Leaks::is_programs(const HostStack& stack) const {
  const Request r = request_of(stack);
  const std::lock_guard lock(mutex_);
  return r.direct ||
         (!r.functions.empty() && std::ranges::all_of(r.functions, allocates) && !initialisations_.contains(r.within));
}

std::vector<lint::PlacedFinding> Leaks::in(const std::vector<Allocations::Named>& allocations) const {
  std::map<HostStack, Sum> by_stack;
  for (const Allocations::Named& a : allocations) {
    Sum& sum = by_stack[a.frames];
    ++sum.count, sum.bytes += a.end - a.begin;
  }
  HostPlaces places;
  std::map<std::string, Leak> by_way;
  for (const auto& [stack, sum] : by_stack) {
    if (!is_programs(stack))
      continue;
    const std::string function = request_of(stack).function();
    Leak leak{{}, places.finding(lint::Rule::memory_leak, program_frames(stack), function, ""), function};
    Leak& all = by_way.try_emplace(way_of(leak), leak).first->second;
    all.count += sum.count, all.bytes += sum.bytes;
  }
  std::vector<Leak> leaks;
  for (auto& [way, leak] : by_way)
    leaks.push_back(std::move(leak));
  std::ranges::sort(leaks, std::greater(), [](const Leak& l) { return std::pair(l.bytes, way_of(l)); });
  std::vector<lint::PlacedFinding> findings;
  for (Leak& leak : leaks) {
    leak.finding.message = message_of(leak);
    findings.push_back(std::move(leak.finding));
  }
  return findings;
}

} // namespace crosslane::check
