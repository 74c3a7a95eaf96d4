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

namespace {

constexpr uint64_t piece = 64 << 10; // of a copy, at most

} // namespace

void UndefinedMemory::copied(uint64_t to, uint64_t from, uint64_t bytes) {
  const bool upwards = to <= from; // as what is to be read is written last
  for (uint64_t done = 0; done < bytes; done += piece) {
    const uint64_t size = std::min(piece, bytes - done), at = upwards ? done : bytes - done - size;
    copied_piece(to + at, from + at, size);
  }
}

void UndefinedMemory::copied_piece(uint64_t to, uint64_t from, uint64_t bytes) {
  std::array<uint8_t, piece / 4> undefined{};
  bool all_defined = true;
  for (uint64_t n = 0; n < bytes;) {
    const Range& range = find(from + n);
    const uint64_t same = std::min(bytes - n, range.end - (from + n)) & ~uint64_t(3);
    if (same && (!range.pages || range.pages->are_defined(from + n, from + n + same))) {
      n += same;
      continue;
    }
    const auto count = unsigned(std::min<uint64_t>(4, bytes - n));
    undefined[n / 4] = uint8_t(undefined_at(from + n, count));
    all_defined = all_defined && !undefined[n / 4];
    n += 4;
  }
  if (all_defined)
    return define(to, to + bytes);
  for (uint64_t n = 0; n < bytes; n += 4)
    set(to + n, unsigned(std::min<uint64_t>(4, bytes - n)), undefined[n / 4]);
}

uint32_t UndefinedMemory::undefined_at(uint64_t address, unsigned count) const {
  if (const Range& range = find(address); count <= range.end - address)
    return range.pages ? range.pages->undefined(address, count) : 0;
  uint32_t bits = 0; // of several ranges
  for (unsigned n = 0; n < count; ++n)
    bits |= undefined_at(address + n, 1) << n;
  return bits;
}

void UndefinedMemory::set(uint64_t address, unsigned count, uint32_t undefined) {
  if (const Range& range = find(address); count <= range.end - address) {
    if (range.pages)
      range.pages->set(address, count, undefined);
    return;
  }
  for (unsigned n = 0; n < count; ++n)
    set(address + n, 1, undefined >> n & 1);
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
