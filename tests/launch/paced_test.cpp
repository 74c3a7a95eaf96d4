// Kernels that live in the time of the cycle model: what clocks tell, and workgroups that look at each other.
#include "launch/buffers.h"
#include "launch/launch.h"
#include "tests/expected.h"
#include <algorithm>
#include <cstring>
#include <gmock/gmock.h>

namespace crosslane::launch {
namespace {

using test::value_of;

class Paced : public testing::Test {
protected:
  static Job job(const std::string& kernel, uint32_t groups, uint32_t block, std::vector<std::string> arguments) {
    Job job;
    job.file = INPUT_DIR "/paced.cl";
    job.compile.target = "gfx900";
    job.kernel = kernel;
    job.grid = {{groups * block, 1, 1}, 1};
    job.block = {{block, 1, 1}, 1};
    job.arguments = std::move(arguments);
    job.time = true;
    job.gpu = "vega10";
    return job;
  }
  static Result run(Job job, unsigned threads = 1) {
    job.threads = threads;
    Result result = value_of(launch(job));
    EXPECT_EQ(result.end, End::complete) << result.why;
    return result;
  }
  template <class T> static std::vector<T> values(const Result& result, const std::string& name) {
    const Buffer buffer = value_of(result.buffer(name));
    std::vector<T> values(buffer.bytes.size() / sizeof(T));
    std::memcpy(values.data(), buffer.bytes.data(), values.size() * sizeof(T));
    return values;
  }
};

// An instruction follows another one of its wave after 4 cycles, a vector instruction of a lone wave after 5.
TEST_F(Paced, ClocksReadTheModelsCycles) {
  const auto out = values<uint64_t>(run(job("clocks", 1, 1, {"out=u64[4]"})), "out");
  EXPECT_EQ(out[0], 4u);
  EXPECT_EQ(out[1], 4u + 8 * 4);
  EXPECT_EQ(out[2], 4u + 8 * 5);
  EXPECT_NEAR(double(out[3]), 640, 64);
}

TEST_F(Paced, TheRealTimeClockCountsAtItsOwnRate) {
  const Result result = run(job("both_clocks", 1, 64, {"out=u64[4]"}));
  const auto out = values<uint64_t>(result, "out");
  const double cycles = double(out[2] - out[0]), ticks = double(out[3] - out[1]);
  EXPECT_GT(cycles, 6.4e6);
  EXPECT_NEAR(cycles / 1546, ticks * 10e-3, 0.5); // us: 1546 MHz, 100 MHz
}

TEST_F(Paced, NoWaveLeavesABarrierBeforeTheLastHasCome) {
  const Result result = run(job("over_a_barrier", 1, 256, {"before=u64[4]", "after=u64[4]"}));
  const auto before = values<uint64_t>(result, "before"), after = values<uint64_t>(result, "after");
  EXPECT_GT(before[3], before[0] + 3 * 6400 / 2);
  for (const uint64_t time : after) {
    EXPECT_GT(time, before[3]);
    EXPECT_LT(time, before[3] + 100);
  }
}

TEST_F(Paced, EveryTicketIsTakenOnce) {
  // More workgroups than the card holds.
  const Job queue = job("tickets", 6000, 64, {"next=u32[1]", "taken=u32[8000]", "n=8000"});
  for (const unsigned threads : {1u, 4u}) {
    const Result result = run(queue, threads);
    EXPECT_EQ(values<uint32_t>(result, "next")[0], 14000u);
    const auto taken = values<uint32_t>(result, "taken");
    EXPECT_EQ(std::ranges::count(taken, 0u), 0);
    // Waves that are resident when tickets end have had about equally many.
    std::vector<uint32_t> had(6001);
    for (const uint32_t group : taken)
      ++had[group];
    EXPECT_LE(*std::ranges::max_element(had), 40u);
  }
}

TEST_F(Paced, WorkgroupsThatWaitLookAsOftenAsTheCardLetsThem) {
  const Job waiting = job("pairs", 64, 64, {"flag=u32[64]", "looks=u32[64]"});
  const auto looks = values<uint32_t>(run(waiting), "looks");
  for (size_t g = 1; g < looks.size(); g += 2) { // 20 times 6,400 cycles, some hundred cycles a look
    EXPECT_GT(looks[g], 100u) << g;
    EXPECT_LT(looks[g], 1000u) << g;
  }
  EXPECT_EQ(values<uint32_t>(run(waiting, 4), "looks"), looks);
}

TEST_F(Paced, AWaveMayWaitInLdsForOneThatWaitsForItsTime) {
  const auto out = values<uint64_t>(run(job("in_lds", 1, 128, {"out=u64[1]"})), "out");
  EXPECT_GT(out[0], 640u);
  EXPECT_LT(out[0], 100000u);
}

} // namespace
} // namespace crosslane::launch
