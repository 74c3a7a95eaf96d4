// Makes failures of what the Oracle finds in the tests of a program, and prints what it came to. That
// nothing was judged in a dozen tests is a failure too: the linker would not say that a name is no longer there.
#include "tests/analysis/judge.h"
#include <fmt/format.h>
#include <gtest/gtest.h>

namespace crosslane::test {
namespace {

Verdict sum;

class Verdicts final : public testing::EmptyTestEventListener {
  void OnTestEnd(const testing::TestInfo&) override {
    const Verdict v = take_verdict();
    sum.dispatches += v.dispatches, sum.not_judged += v.not_judged, sum.counts += v.counts;
    for (const auto& d : v.deviations)
      ADD_FAILURE() << d;
  }
};

class Environment final : public testing::Environment {
  void TearDown() override {
    fmt::print("analysis judged in {} dispatches, not in {}: {}\n", sum.dispatches, sum.not_judged, sum.counts.text());
    if (testing::UnitTest::GetInstance()->test_to_run_count() > 10)
      EXPECT_GT(sum.counts.registers, 0u);
  }
};

[[maybe_unused]] const bool listens = [] {
  testing::UnitTest::GetInstance()->listeners().Append(new Verdicts);
  testing::AddGlobalTestEnvironment(new Environment);
  return true;
}();

} // namespace
} // namespace crosslane::test
