// Owns Pattern: which element of the sources each element of a result is. It is what a permute is asked for, before any
// thought of how. Built at compile time from a lambda (lanes/permute.h) or at run time from a list.
#pragma once
#include "lanes/level.h"
#include <array>
#include <cstddef>
#include <cstdint>

namespace crosslane::lanes {
CROSSLANE_LEVEL_BEGIN

inline constexpr int dont_care = -1; // whatever is cheapest
inline constexpr int zero = -2;

// Shape: `elements` of `element_bytes` each (1, 2, 4 or 8), at most 256 bytes in all, from one or two sources of
// `source_elements` each. from[i] is an element of the first source, of the second one counted on from it, or one of
// the two above.
struct Pattern {
  static constexpr int max_elements = 256, max_bytes = 256;
  int element_bytes = 4;
  int elements = 0;
  int sources = 1;
  int source_elements = 0;
  std::array<int16_t, max_elements> from{};

  constexpr int bytes() const { return elements * element_bytes; }
  constexpr int source_bytes() const { return source_elements * element_bytes; }
  // What is wrong with it, or nullptr. The planner asks for a pattern without fault.
  constexpr const char* fault() const {
    const auto power_of_two = [](int n) { return n > 0 && (n & (n - 1)) == 0; };
    if (!power_of_two(element_bytes) || element_bytes > 8)
      return "an element has 1, 2, 4 or 8 bytes";
    if (!power_of_two(elements) || bytes() > max_bytes)
      return "a result has a power of two of elements, and at most 256 bytes";
    if (!power_of_two(source_elements) || source_bytes() > max_bytes)
      return "a source has a power of two of elements, and at most 256 bytes";
    if (sources != 1 && sources != 2)
      return "there are one or two sources";
    for (int i = 0; i < elements; ++i)
      if (from[i] < zero || from[i] >= sources * source_elements)
        return "an element is not of the sources";
    return nullptr;
  }
};

// The pattern that fn(i) answers for each i.
template <class F>
constexpr Pattern make_pattern(int element_bytes, int elements, int sources, int source_elements, F fn) {
  Pattern p{element_bytes, elements, sources, source_elements, {}};
  for (int i = 0; i < elements && i < Pattern::max_elements; ++i)
    p.from[i] = int16_t(fn(i));
  return p;
}

CROSSLANE_LEVEL_END
} // namespace crosslane::lanes
