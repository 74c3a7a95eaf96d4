// Each thread remembers the ranges that it has asked for last.
#include "check/undefined_memory.h"
#include "check/per_thread.h"
#include "machine/memory.h"
#include <array>
#include <mutex>

namespace crosslane::check {

std::atomic<uint64_t> UndefinedMemory::last_version{0};

void UndefinedMemory::add(uint64_t begin, uint64_t end) {
  if (begin >= end)
    return;
  const std::lock_guard lock(mutex_);
  ranges_[begin] = {begin, end, std::make_shared<init::Pages>(begin, end)};
  changed();
}

void UndefinedMemory::freed(const machine::Allocation& a) {
  const std::lock_guard lock(mutex_);
  if (ranges_.erase(a.address))
    changed();
}

void UndefinedMemory::define(uint64_t begin, uint64_t end) {
  const std::shared_lock lock(mutex_);
  auto r = ranges_.upper_bound(begin);
  if (r != ranges_.begin())
    --r;
  for (; r != ranges_.end() && r->first < end; ++r)
    r->second.pages->define(begin, end);
}

void UndefinedMemory::define_all() {
  const std::lock_guard lock(mutex_);
  ranges_.clear();
  changed();
}

const UndefinedMemory::Range& UndefinedMemory::find(uint64_t address) const {
  struct Recent {
    uint64_t version = 0;
    size_t next = 0;
    std::array<Range, 8> ranges;
  };
  Recent& recent = per_thread<Recent>();
  const uint64_t version = version_.load(std::memory_order_acquire);
  if (recent.version != version)
    recent = {.version = version};
  for (const Range& r : recent.ranges)
    if (r.holds(address))
      return r;
  const std::shared_lock lock(mutex_);
  const auto behind = ranges_.upper_bound(address);
  Range found{0, behind == ranges_.end() ? UINT64_MAX : behind->first, nullptr};
  if (behind != ranges_.begin()) {
    const Range& before = std::prev(behind)->second;
    if (before.holds(address))
      found = before;
    else
      found.begin = before.end;
  }
  return recent.ranges[recent.next++ % recent.ranges.size()] = found;
}

} // namespace crosslane::check
