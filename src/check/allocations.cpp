// A map under a lock: those who ask keep what they were told until the version changes.
#include "check/allocations.h"
#include "machine/memory.h"
#include <algorithm>

namespace crosslane::check {

namespace {

// Of all that there are, so that one is not taken for another.
uint64_t next_version() {
  static std::atomic<uint64_t> last{1};
  return ++last;
}

constexpr size_t most_freed = 4096; // that are remembered

} // namespace

std::string allocated_in(const Allocations::Named& allocation) {
  const std::string function = program_function(allocation.frames);
  return function.empty() ? "" : ", allocated in " + function;
}

std::string freed_in(const Allocations::Freed& allocation) {
  const std::string function = program_function(allocation.freed_by);
  return function.empty() ? ", freed" : ", freed in " + function;
}

void Allocations::allocated(const machine::Allocation& a) {
  Named named{{a.address, a.address + a.size}, a.name, traced_ ? host_stack() : HostStack()};
  const std::lock_guard lock(mutex_);
  by_begin_[a.address] = std::move(named);
  version_ = next_version();
}

void Allocations::freed(const machine::Allocation& a) {
  HostStack frames = traced_ ? host_stack() : HostStack();
  const std::lock_guard lock(mutex_);
  if (const auto found = by_begin_.find(a.address); found != by_begin_.end()) {
    freed_.push_front({std::move(found->second), std::move(frames)});
    by_begin_.erase(found);
  }
  if (freed_.size() > most_freed)
    freed_.pop_back();
  version_ = next_version();
}

std::optional<Allocations::Freed> Allocations::find_freed(uint64_t address) const {
  const std::shared_lock lock(mutex_);
  const auto found = std::ranges::find_if(freed_, [&](const Freed& f) { return f.holds(address, 1); });
  return found == freed_.end() ? std::nullopt : std::optional(*found);
}

std::vector<Allocations::Named> Allocations::live() const {
  std::vector<Named> all;
  const std::shared_lock lock(mutex_);
  for (const auto& [begin, named] : by_begin_)
    all.push_back(named);
  return all;
}

std::optional<Allocations::Named> Allocations::find(uint64_t address, uint64_t near) const {
  const std::shared_lock lock(mutex_);
  const auto above = by_begin_.upper_bound(address);
  const Named* below = above == by_begin_.begin() ? nullptr : &std::prev(above)->second;
  if (below && (address < below->end || address - below->end < near))
    return *below;
  if (above != by_begin_.end() && above->second.begin - address <= near)
    return above->second;
  return std::nullopt;
}

} // namespace crosslane::check
