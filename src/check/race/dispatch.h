// Owns a dispatch, with what its waves have done to global memory and what is told of that.
#pragma once
#include "check/order.h"
#include "check/race/found.h"
#include "check/race/global.h"

namespace crosslane::check::race {

struct Dispatch {
  Found found;
  Global memory;
  const bool fences; // it invalidates the cache somewhere
  std::string kernel = {};
  uint64_t launch = 0; // of this kernel, from 0 on
  Operation operation = {};
  Dispatch(Told& told, const Allocations* allocations, bool invalidates, bool between_groups)
      : found(told, allocations), memory(found, invalidates, between_groups), fences(invalidates) {}
};

} // namespace crosslane::check::race
