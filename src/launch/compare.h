// Owns comparing a result with what was expected: exact unless a tolerance is given, then |got - expected| <= atol +
// rtol * |expected|. NaN equals NaN. What it says tells a rounding error from a wrong result: how far off at most, and
// where.
#pragma once
#include "launch/values.h"

namespace crosslane::launch {

struct Comparison {
  uint64_t different = 0; // elements beyond the tolerance
  // "c: equal (1000 elements)"; "c: within the tolerance (1000 elements): largest error 0.5 at c[3], ..."; or how many
  // differ, the largest errors of all elements, and the first elements that differ, a line each.
  std::string text;
};

// An error if they cannot be compared: kinds or sizes differ.
llvm::Expected<Comparison> compare(std::string_view name, const Buffer& got, const Buffer& expected, double rtol,
                                   double atol);

} // namespace crosslane::launch
