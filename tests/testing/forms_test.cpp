// Lines, JSON and XML of made-up outcomes.
#include "testing/forms.h"
#include "tests/expected.h"
#include <nlohmann/json.hpp>

namespace crosslane::testing {
namespace {

const std::vector<Case> tests = {{"t/a.toml", {}}, {"t/bb.toml", {}}, {"c.toml", {}}, {"d.toml", {}}, {"e.toml", {}}};
const std::vector<Outcome> outcomes = {
    {.end = End::passed, .seconds = 0.25},
    {.end = End::failed,
     .complaints = {{"k.cl:3:7", "memory <fault>\nat \x1b[31m0x10"}, {"t/bb.toml:4:1", "second"}},
     .notes = {"a note"},
     .output = "one\ntwo\n",
     .seconds = 1.5},
    {.end = End::error, .complaints = {{"c.toml:1:1", "no such"}}},
    {.end = End::no_claim, .seconds = 0.125},
    {.end = End::not_run}};

TEST(Forms, LinesThatEditorsJumpTo) {
  EXPECT_EQ(line_of(1, 12, 9, tests[0], outcomes[0]), " 1/12 t/a.toml .... passed     0.25 s\n");
  EXPECT_EQ(line_of(12, 12, 9, tests[1], outcomes[1]), "12/12 t/bb.toml ... FAILED     1.50 s\n"
                                                       "k.cl:3:7: error: memory <fault>\n"
                                                       "  at \\x1b[31m0x10\n"
                                                       "t/bb.toml:4:1: error: second\n"
                                                       "  a note\n"
                                                       "  output:\n"
                                                       "  one\n"
                                                       "  two\n");
}

TEST(Forms, Summary) {
  EXPECT_EQ(summary_of(tests, outcomes, 2), "\nwrong:\n  t/bb.toml (failed)\n  c.toml (error)\n"
                                            "5 tests: 1 passed, 1 failed, 1 error, 1 ran with nothing expected, 1 not "
                                            "run, in 2.00 s\n");
  EXPECT_EQ(summary_of({tests.data(), 1}, {outcomes.data(), 1}, 0.25), "\n1 test: 1 passed, in 0.25 s\n");
}

TEST(Forms, Json) {
  const auto all = nlohmann::json::parse(json_of(tests, outcomes, 2));
  EXPECT_EQ(all["crosslane_test"], 1);
  EXPECT_EQ(all["count"].dump(), R"({"error":1,"failed":1,"not_run":1,"passed":1,"ran":1})");
  EXPECT_EQ(all["tests"][1]["outcome"], "failed");
  EXPECT_EQ(all["tests"][1]["complaints"][0]["place"], "k.cl:3:7");
  EXPECT_EQ(all["tests"][1]["output"], "one\ntwo\n");
  EXPECT_EQ(all["tests"][3]["outcome"], "ran");
}

TEST(Forms, JUnit) {
  EXPECT_EQ(junit_of(tests, outcomes),
            R"(<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="crosslane test" tests="5" failures="1" errors="1" time="1.875">
  <testsuite name="t" tests="2" failures="1" errors="0" skipped="0" time="1.750">
    <testcase classname="t" name="a.toml" time="0.250"/>
    <testcase classname="t" name="bb.toml" time="1.500">
      <failure type="failed" message="k.cl:3:7: error: memory &lt;fault&gt;">k.cl:3:7: error: memory &lt;fault&gt;&#10;at \x1b[31m0x10&#10;t/bb.toml:4:1: error: second</failure>
      <system-out>one&#10;two&#10;</system-out>
    </testcase>
  </testsuite>
  <testsuite name="." tests="3" failures="0" errors="1" skipped="2" time="0.125">
    <testcase classname="." name="c.toml" time="0.000">
      <error type="error" message="c.toml:1:1: error: no such">c.toml:1:1: error: no such</error>
    </testcase>
    <testcase classname="." name="d.toml" time="0.125">
      <skipped message="ran, with nothing expected of it"/>
    </testcase>
    <testcase classname="." name="e.toml">
      <skipped message="not run"/>
    </testcase>
  </testsuite>
</testsuites>
)");
}

} // namespace
} // namespace crosslane::testing
