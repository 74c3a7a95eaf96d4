// CROSSLANE_JIT=verify: workgroups run compiled and interpreted. That a wrong compilation is found is tried with one
// that is wrong on purpose (CROSSLANE_JIT_WRONG: vector stores leave out the last 16 lanes).
#include "engine/dispatch.h"
#include "machine/window.h"
#include "tests/cli/command.h"
#include <cstdlib>

namespace crosslane::cli::test {
namespace {

class Verify : public testing::Test {
protected:
  void SetUp() override {
    if (std::string_view(engine::host_level()) == "v1" || machine::device_reach() != machine::window)
      GTEST_SKIP() << "nothing is compiled on this host, or device memory has no place of its own";
    setenv("CROSSLANE_JIT", "verify", 1);
  }
  void TearDown() override {
    for (const char* name : {"CROSSLANE_JIT", "CROSSLANE_JIT_WRONG", "CROSSLANE_JIT_FAIL_GUARDS"})
      unsetenv(name);
  }
  Result twice(std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"launch", input("twice.s"), "--grid", "4096", "--block", "64", "x=f32[64]:iota",
                               "y=f32[64]", "--stats"});
    return crosslane(more);
  }
};

TEST_F(Verify, SaysHowManyWorkgroupsCameOutTheSame) {
  const Result result = twice();
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_HAS(result.out + result.err, "verified: 4 workgroup(s) came out the same both ways, 0 could not be compared");
}

TEST_F(Verify, FindsAWrongCompilation) {
  setenv("CROSSLANE_JIT_WRONG", "1", 1);
  const Result result = twice();
  EXPECT_NE(result.status, 0);
  EXPECT_HAS(
      result.err,
      "compiled code does not do what the interpreter does (CROSSLANE_JIT=verify): of workgroup (0, 0, 0), at 0x");
  EXPECT_HAS(result.err, "compiled, ");
  EXPECT_HAS(result.err, "kernel twice");
}

TEST_F(Verify, FaultsAreThoseOfTheInterpreter) {
  const auto faults = [](const char* mode) { // of one workgroup: of several, whichever faults first is told
    setenv("CROSSLANE_JIT", mode, 1);
    return crosslane({"launch", input("faults.cl"), "--kernel", "wild", "--grid", "64", "--block", "64", "i32[4]"});
  };
  const Result verified = faults("verify"), interpreted = faults("off");
  EXPECT_EQ(verified.status, 3);
  EXPECT_HAS(verified.err, "memory fault: unmapped address 0x");
  EXPECT_EQ(verified.err, interpreted.err);
}

TEST_F(Verify, GuardsThatFailChangeNothing) {
  setenv("CROSSLANE_JIT_FAIL_GUARDS", "2", 1);
  const Result result = twice();
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_HAS(result.out + result.err, "verified: 4 workgroup(s)");
}

} // namespace
} // namespace crosslane::cli::test
