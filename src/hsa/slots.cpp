// Slots are taken and freed under a lock; whether one is alive is asked without.
#include "hsa/slots.h"
#include "machine/window.h"
#include <algorithm>
#include <bit>
#include <sys/mman.h>
#include <sys/resource.h>

namespace crosslane::hsa {

namespace {

constexpr uint64_t chunk_bytes = 64 << 10; // made accessible at once

} // namespace

// Users may limit the address space (ulimit -v); most of it is theirs.
bool Slots::reserve() {
  struct rlimit limit;
  const bool limited = getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
  const uint64_t wanted = most_ * bytes_;
  uint64_t size = limited ? std::min<uint64_t>(wanted, std::bit_floor(limit.rlim_cur / 64)) : wanted;
  for (; size >= chunk_bytes; size /= 2)
    if (const uint64_t place = machine::map_in_window(size, PROT_NONE, std::max<uint64_t>(bytes_, 4096))) {
      reserved_ = size;
      begin_ = place;
      return true;
    }
  return false;
}

void* Slots::take() {
  const std::lock_guard lock(mutex_);
  if (free_ > rest_ || (free_ && end_ == reserved_)) {
    const uint32_t place = first_free_;
    first_free_ = next_[place];
    --free_;
    next_[place] = is_taken;
    return reinterpret_cast<void*>(begin_ + place * bytes_);
  }
  if (!reserved_ && !reserve())
    return nullptr;
  if (end_ == usable_) {
    if (usable_ == reserved_ ||
        mprotect(reinterpret_cast<void*>(begin_ + usable_), chunk_bytes, PROT_READ | PROT_WRITE) != 0)
      return nullptr;
    usable_ += chunk_bytes;
  }
  next_.push_back(is_taken);
  const uint64_t place = begin_ + end_;
  end_ = end_ + bytes_;
  return reinterpret_cast<void*>(place);
}

bool Slots::give_back(uint64_t address) {
  const std::lock_guard lock(mutex_);
  if (!contains(address))
    return false;
  const auto place = uint32_t((address - begin_) / bytes_);
  if (next_[place] != is_taken)
    return false;
  next_[place] = none;
  (free_++ ? next_[last_free_] : first_free_) = place;
  last_free_ = place;
  return true;
}

std::vector<uint64_t> Slots::taken() const {
  std::vector<uint64_t> result;
  const std::lock_guard lock(mutex_);
  for (size_t i = 0; i < next_.size(); ++i)
    if (next_[i] == is_taken)
      result.push_back(begin_ + i * bytes_);
  return result;
}

} // namespace crosslane::hsa
