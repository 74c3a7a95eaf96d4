// Owns comparing a result with what was expected: exact unless a tolerance is given, then |got - expected| <= atol +
// rtol * |expected|. NaN equals NaN.
#pragma once
#include "cli/values.h"

namespace crosslane::cli {

struct Difference {
  uint64_t count = 0, first = 0; // elements that differ; index of the first one, row-major
  std::string text;              // "c[3,1]: got 4, expected 5 (7 of 1000 elements differ)"
};

// Nothing if they agree. An error if they cannot be compared: kinds or sizes differ.
llvm::Expected<std::optional<Difference>> compare(std::string_view name, const Buffer& got, const Buffer& expected,
                                                  double rtol, double atol);

} // namespace crosslane::cli
