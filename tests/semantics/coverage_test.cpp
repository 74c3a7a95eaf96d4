// Every row of the encodings that compute has semantics, is the engine's, or is listed with a reason; and every row
// with semantics has an expectation of its own in these tests.
#include "tests/semantics/check.h"
#include <gtest/gtest.h>
#include <set>
#include <string>

namespace crosslane::test {
namespace {

std::set<std::string> listed() {
  return {
#define CROSSLANE_ENGINE_ROW(m) #m,
#include "engine/own.inc"
#undef CROSSLANE_ENGINE_ROW
#define CROSSLANE_UNIMPLEMENTED(m) #m,
#include "semantics/unimplemented.inc"
#undef CROSSLANE_UNIMPLEMENTED
      "v_mqsad_u32_u8", // 128-bit operands: tested by a direct call
  };
}

TEST(Coverage, EveryRowIsSomebodys) {
  const auto known = listed();
  for (const RowEntry& r : baseline_rows())
    EXPECT_NE(r.implemented, known.contains(r.name)) << r.name;
}

TEST(Coverage, WhatIsListedIsARow) {
  auto left = listed();
  for (const RowEntry& r : baseline_rows())
    left.erase(r.name);
  EXPECT_EQ(left, std::set<std::string>());
}

TEST(Coverage, EveryRowHasAnExpectation) {
  for (const RowEntry& r : baseline_rows())
    if (r.implemented)
      EXPECT_TRUE(was_tested(r.name)) << r.name;
}

} // namespace
} // namespace crosslane::test
