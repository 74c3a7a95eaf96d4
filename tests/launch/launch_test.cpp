// The library alone, without the command: results as values, errors as text, and nothing printed.
#include "files/read.h"
#include "files/write.h"
#include "launch/buffers.h"
#include "launch/launch.h"
#include "tests/expected.h"
#include "toolchain/compile.h"
#include "toolchain/temporary_folder.h"
#include <cstring>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace crosslane::launch {
namespace {

using test::error_of;
using test::value_of;

// All that a process prints, by whatever means, fails the test.
class Launch : public testing::Test {
protected:
  Launch() : folder_(llvm::cantFail(toolchain::TemporaryFolder::create())) {
    const auto text = value_of(files::read(INPUT_DIR "/add.s"));
    const auto object = value_of(toolchain::assemble({text.begin(), text.end()}, "add.s", "gfx900"));
    EXPECT_EQ(error_of(files::write(folder_.path("add.co"), value_of(toolchain::link_code_object(object)))), "");
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
  }
  ~Launch() override {
    EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  }

  Job job(const std::string& kernel) const {
    Job job;
    job.file = folder_.path("add.co");
    job.kernel = kernel;
    job.grid = job.block = {{64, 1, 1}, 1};
    job.arguments = {"a=[64]:iota", "b=[64]:1", "c=[64]"};
    return job;
  }

  toolchain::TemporaryFolder folder_;
};

std::vector<float> floats(const Buffer& buffer) {
  std::vector<float> values(buffer.bytes.size() / sizeof(float));
  std::memcpy(values.data(), buffer.bytes.data(), values.size() * sizeof(float));
  return values;
}

TEST_F(Launch, TimeFilesAreAFolderForOtherTools) {
  Job timed = job("add");
  timed.time = true;
  timed.time_files = folder_.path("files");
  const Result result = value_of(launch(timed));
  EXPECT_EQ(result.unwritten, "");
  const auto text = [&](const std::string& name) {
    const auto bytes = value_of(files::read(folder_.path("files/" + name)));
    return std::string(bytes.begin(), bytes.end());
  };
  EXPECT_THAT(text("stats_ui_output_agent_0_dispatch_1.csv"), testing::HasSubstr("\"; add\",0,0,0,0,\"add\"\n"));
  EXPECT_THAT(text("kernel_stats.csv"), testing::HasSubstr("\n\"add\",1,"));
  EXPECT_GT(text("trace.pftrace").size(), 1000u);
  const auto wave = nlohmann::json::parse(text("ui_output_agent_0_dispatch_1/se0_sm0_sl0_wv0.json"));
  EXPECT_EQ(wave["num_insts"], result.outcome.stats.instructions);
  // Over nothing that is there.
  EXPECT_THAT(error_of(launch(timed)), testing::HasSubstr("files: is there already, and not empty"));
  timed.time = false;
  EXPECT_THAT(error_of(launch(timed)), testing::HasSubstr("needs --time"));
  timed.time = timed.sandbox = true;
  EXPECT_THAT(error_of(launch(timed)), testing::HasSubstr("--sandbox lets"));
}

TEST_F(Launch, TimeTellsHowLongItTakesOnACard) {
  Job timed = job("add");
  timed.time = true;
  timed.gpu = "vega56";
  timed.profile.json = folder_.path("t.json");
  const Result result = value_of(launch(timed));
  EXPECT_EQ(result.end, End::complete) << result.why;
  EXPECT_THAT(result.timing, testing::StartsWith("modelled on vega56, 1590 MHz, 56 compute units\n"));
  const auto text = value_of(files::read(timed.profile.json));
  const auto timing = nlohmann::json::parse(text.begin(), text.end())["timing"];
  EXPECT_EQ(timing["waves"], 1);
  EXPECT_EQ(timing["instructions"], result.outcome.stats.instructions);
  EXPECT_GT(timing["cycles"], 500); // two loads from memory, one behind the other
  uint64_t spent = 0;
  for (const auto& cycles : timing["cycles_spent"])
    spent += uint64_t(cycles);
  EXPECT_EQ(timing["wave_cycles"], spent);
}

TEST_F(Launch, TimeOfACardThatIsNoneOfTheTargets) {
  Job timed = job("add");
  timed.gpu = "fiji";
  EXPECT_THAT(error_of(launch(timed)), testing::HasSubstr("--gpu fiji needs --time"));
  timed.time = true;
  EXPECT_THAT(error_of(launch(timed)), testing::HasSubstr("that card is gfx803, the code is for gfx900"));
  timed.gpu = "vega11";
  EXPECT_THAT(error_of(launch(timed)), testing::HasSubstr("there is no card 'vega11'"));
  timed.gpu = "vega10";
  timed.runs = 2;
  EXPECT_THAT(error_of(launch(timed)), testing::HasSubstr("--time models one run"));
}

TEST_F(Launch, ACodeObjectAddsVectors) {
  Job add = job("add");
  add.out = {"c=" + folder_.path("c.npy")};
  add.expect = {"c=[64]:iota:1", "a=[64]:iota"};
  add.print = {"c:4"};
  const Result result = value_of(launch(add));
  EXPECT_EQ(result.end, End::complete) << result.why;
  EXPECT_EQ(result.why, "");
  const auto c = floats(value_of(result.buffer("c")));
  ASSERT_EQ(c.size(), 64u);
  for (size_t i = 0; i < c.size(); ++i)
    EXPECT_EQ(c[i], static_cast<float>(i + 1));
  EXPECT_EQ(result.outcome.stats.waves, 1u);
  EXPECT_EQ(result.outcome.stats.instructions, 10u);
  ASSERT_EQ(result.comparisons.size(), 2u);
  EXPECT_EQ(result.comparisons[0].text, "c: equal (64 elements)");
  ASSERT_EQ(result.prints.size(), 1u);
  EXPECT_EQ(result.prints[0].buffer, "c");
  EXPECT_EQ(result.prints[0].count, 4u);
  EXPECT_EQ(result.unwritten, "");
  EXPECT_EQ(value_of(make_buffer("@" + folder_.path("c.npy"), {}, "")).bytes, value_of(result.buffer("c")).bytes);
  EXPECT_EQ(error_of(result.buffer("d")),
            "there is no buffer 'd'; the buffers are a, b, c\n  kernel: add(float* a, float* b, float* c)");
}

TEST_F(Launch, AWrongResultIsAComparison) {
  Job add = job("add");
  add.expect = {"c=[64]:iota"};
  const Result result = value_of(launch(add));
  EXPECT_EQ(result.end, End::complete);
  ASSERT_EQ(result.comparisons.size(), 1u);
  EXPECT_EQ(result.comparisons[0].different, 64u);
}

TEST_F(Launch, AFaultIsAResultWithItsPlace) {
  const Result result = value_of(launch(job("far")));
  EXPECT_EQ(result.end, End::fault);
  ASSERT_TRUE(result.outcome.fault);
  EXPECT_TRUE(result.outcome.fault->kernel.starts_with("far")) << result.outcome.fault->kernel;
  EXPECT_HAS(result.outcome.fault->source, "add.s:");
  EXPECT_HAS(result.why, "far");
  EXPECT_TRUE(result.comparisons.empty());
}

TEST_F(Launch, AMistakeIsAnError) {
  Job wrong = job("add");
  wrong.arguments[1] = "b=i32[64]";
  EXPECT_EQ(error_of(launch(wrong)), "argument 'b': a buffer of i32 where float* is needed\n"
                                     "  kernel: add(float* a, float* b, float* c)");
  wrong = job("ad");
  EXPECT_HAS(error_of(launch(wrong)), "has no kernel 'ad'; did you mean add?");
  wrong = job("add");
  wrong.expect = {"d=[64]"};
  EXPECT_HAS(error_of(launch(wrong)), "--expect: there is no buffer 'd'");
  wrong = job("add");
  wrong.runs = 0;
  EXPECT_EQ(error_of(launch(wrong)), "--runs must be at least 1");
}

TEST_F(Launch, AProfileIsData) {
  Job add = job("add");
  add.profile.views = "memory";
  add.fidelity = true;
  const Result result = value_of(launch(add));
  ASSERT_TRUE(result.profile);
  ASSERT_EQ(result.profile->kernels.size(), 1u);
  EXPECT_HAS(result.summary, "add");
  EXPECT_HAS(result.fidelity, "all 10 executed instructions are exact");
  EXPECT_EQ(result.written, "");
}

TEST_F(Launch, WhoStartedItMayStopIt) {
  Job add = job("add");
  add.runs = 1'000'000;
  bool ended = false;
  Observer observer;
  observer.runs_begin = [](Stop& stop) { stop.request("the test"); };
  observer.runs_end = [&ended] { ended = true; };
  const Result result = value_of(launch(add, observer));
  EXPECT_EQ(result.end, End::stopped);
  EXPECT_TRUE(result.why.starts_with("the test")) << result.why;
  EXPECT_TRUE(ended);
}

TEST_F(Launch, WhatShouldBeKnownIsNoted) {
  Job add = job("add");
  add.host_memory = true;
  std::vector<std::string> notes;
  Observer observer;
  observer.note = [&notes](const std::string& text) { notes.push_back(text); };
  EXPECT_EQ(value_of(launch(add, observer)).end, End::complete);
  EXPECT_EQ(notes, std::vector<std::string>{"the kernel reaches all memory of this process (--host-memory)"});
}

} // namespace
} // namespace crosslane::launch
