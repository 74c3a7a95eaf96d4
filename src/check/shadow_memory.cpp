// As much is taken as there is already, within limits.
#include "check/shadow_memory.h"
#include <algorithm>
#include <new>
#include <sys/mman.h>
#include <utility>

namespace crosslane::check {

namespace {

constexpr size_t least = size_t(64) << 10, most = size_t(64) << 20;
constexpr size_t huge_page = size_t(2) << 20;
constexpr size_t alignment = alignof(std::max_align_t);

constexpr size_t round_up(size_t bytes, size_t unit) { return (bytes + unit - 1) / unit * unit; }

} // namespace

void* ShadowMemory::allocate(size_t bytes) {
  bytes = round_up(bytes, alignment);
  const std::lock_guard lock(mutex_);
  if (size_t(end_ - at_) < bytes)
    take(bytes);
  return std::exchange(at_, at_ + bytes);
}

void ShadowMemory::take(size_t bytes) {
  bytes = std::max(bytes, std::clamp(taken_bytes_, least, most));
  const size_t unit = bytes < huge_page ? alignment : huge_page;
  bytes = round_up(bytes, unit);
  auto* piece = static_cast<uint8_t*>(std::aligned_alloc(unit, bytes));
  if (!piece)
    throw std::bad_alloc();
  taken_.emplace_back(piece);
  if (unit == huge_page)
    madvise(piece, bytes, MADV_HUGEPAGE); // a wish
  taken_bytes_ += bytes;
  at_ = piece, end_ = piece + bytes;
}

void ShadowMemory::clear() {
  taken_.clear();
  taken_bytes_ = 0;
  at_ = end_ = nullptr;
}

} // namespace crosslane::check
