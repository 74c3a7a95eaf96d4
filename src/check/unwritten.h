// Owns Unwritten: memory that nothing has been put into when a launch begins.
#pragma once
#include <cstdint>

namespace crosslane::check {

// [begin, end).
struct Unwritten {
  uint64_t begin = 0, end = 0;
};

} // namespace crosslane::check
