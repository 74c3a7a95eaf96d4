// Owns the way from a block's number to what a check knows of its code, without a lock where the thread has been there
// lately.
#pragma once
#include "check/per_thread.h"
#include <array>
#include <cstdint>

namespace crosslane::check {

// `serial` is of the check, and of no other one. `find` is asked if the thread does not remember.
template <class T, class Find> const T& recent_block(uint64_t serial, uint32_t id, Find find) {
  struct Entry {
    uint64_t serial = 0;
    uint32_t id = 0;
    const T* block = nullptr;
  };
  auto& recent = per_thread<std::array<Entry, 256>>();
  Entry& e = recent[id % recent.size()];
  if (e.serial != serial || e.id != id)
    e = {serial, id, &find()};
  return *e.block;
}

} // namespace crosslane::check
