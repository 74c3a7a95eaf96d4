// Owns the forms in which tests are told: lines for a person, JSON, and JUnit's XML. Nothing here prints. Keys and the
// order of fields are an interface (docs/testing-kernels.md).
#pragma once
#include "testing/outcome.h"
#include "testing/suite.h"
#include <span>

namespace crosslane::testing {

struct Count {
  size_t all = 0, passed = 0, failed = 0, errors = 0, no_claim = 0, not_run = 0;
  void add(End);
  bool good() const { return failed + errors == 0; }
};

// " 3/12 vector_add.toml ......... passed   0.21 s", and what is wrong, in lines that editors jump to. `width`: of the
// longest name.
std::string line_of(size_t number, size_t all, size_t width, const Case&, const Outcome&);
// "12 tests: 10 passed, 1 failed, 1 ran with nothing expected, in 2.34 s", and the names of what failed.
std::string summary_of(std::span<const Case>, std::span<const Outcome>, double seconds);

std::string json_of(std::span<const Case>, std::span<const Outcome>, double seconds);
// A suite for each folder. What ran with nothing expected is told as skipped.
std::string junit_of(std::span<const Case>, std::span<const Outcome>);

} // namespace crosslane::testing
