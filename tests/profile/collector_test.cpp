// Profiles of a kernel whose every count is known: inputs/uneven.s.
#include "launch/session.h"
#include "profile/collector.h"
#include "toolchain/compile.h"
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <map>
#include <thread>

namespace crosslane::profile {
namespace {

template <class T> T value_of(llvm::Expected<T> result) {
  if (!result) {
    ADD_FAILURE() << llvm::toString(result.takeError());
    std::abort();
  }
  return std::move(*result);
}

// Of a workgroup with `waves` wavefronts, by the source: 8 instructions before the loop, 3 for each round, the end.
uint64_t cost(uint64_t workgroup, uint64_t waves) { return waves * (8 + 3 * ((workgroup & 7) + 1) + 1); }

class ProfileCollector : public testing::Test {
protected:
  // 128 work-items in a workgroup: two wavefronts.
  void prepare(uint32_t workgroups) {
    object = value_of(toolchain::load_code(INPUT_DIR "/uneven.s", {}));
    kernel = object->find_kernel("uneven");
    ASSERT_NE(kernel, nullptr);
    shape.grid[0] = workgroups * 128, shape.block[0] = 128;
    const auto device = launch::Device::create();
    session = value_of(launch::Session::create(device, value_of(launch::LoadedCode::load(object, device)), *kernel,
                                               arguments, shape, 0));
  }
  // Whether it was profiled.
  bool launch(Collector& collector, const std::atomic<bool>* cancel = nullptr) {
    engine::Options options;
    auto dispatch = collector.begin({nullptr, &session->image(), kernel, "card"}, session->packet());
    const bool profiled = dispatch != nullptr;
    if (profiled)
      options.listener = &dispatch->listener();
    options.cancel = cancel;
    const auto outcome = session->run(options);
    if (profiled)
      collector.end(std::move(dispatch), session->packet(), outcome.stats);
    return profiled;
  }
  // A launch of another size, which need not run.
  void pass_by(Collector& collector, uint32_t items) {
    engine::AqlPacket packet = session->packet();
    packet.grid_size[0] = items;
    if (auto dispatch = collector.begin({nullptr, &session->image(), kernel, "card"}, packet))
      collector.end(std::move(dispatch), packet, {});
  }
  static Options options(const Texts& texts) { return value_of(parse(texts)); }

  std::shared_ptr<const codeobject::CodeObject> object;
  const codeobject::Kernel* kernel = nullptr;
  launch::Arguments arguments;
  launch::LaunchShape shape;
  std::unique_ptr<launch::Session> session;
};

TEST_F(ProfileCollector, EveryInstructionWithItsCounts) {
  prepare(8);
  Collector collector(options({.views = "all"}), "command", std::filesystem::path(INPUT_DIR).parent_path());
  EXPECT_FALSE(collector.changed());
  EXPECT_TRUE(launch(collector));
  EXPECT_TRUE(collector.changed());
  const findings::Profile profile = collector.profile();
  EXPECT_FALSE(collector.changed());
  EXPECT_EQ(profile.command, "command");
  EXPECT_EQ(profile.interrupted, "");
  ASSERT_EQ(profile.kernels.size(), 1u);
  const findings::KernelProfile& k = profile.kernels[0];
  EXPECT_EQ(k.name, "uneven");
  EXPECT_EQ(k.target, "gfx900");
  EXPECT_EQ(k.card, "card");
  EXPECT_EQ(k.launches, 1u);
  EXPECT_EQ(k.workgroups, 8u);
  EXPECT_EQ(k.waves, 16u);
  EXPECT_EQ(k.grid[0], 1024u);
  EXPECT_EQ(k.block[0], 128u);
  EXPECT_EQ(k.lds_bytes, 1024u);
  EXPECT_FALSE(k.sampled);
  EXPECT_FALSE(k.mix.empty());
  EXPECT_FALSE(k.lines.empty());
  // Rounds: 1 + 2 + ... + 8 = 36 of workgroups, 72 of waves.
  const struct {
    const char* text;
    uint64_t offset, executions, lanes;
  } expected[] = {{"v_and_b32_e32 v2, 63, v0", 0, 16, 64},
                  {"v_cmp_gt_u32_e32 vcc, 32, v2", 4, 16, 64},
                  {"s_and_saveexec_b64 s[2:3], vcc", 8, 16, 64},
                  {"s_cbranch_execz L1c", 12, 16, 32},
                  {"v_lshlrev_b32_e32 v1, 2, v0", 16, 16, 32},
                  {"ds_write_b32 v1, v1", 20, 16, 32},
                  {"s_or_b64 exec, exec, s[2:3]", 28, 16, 32},
                  {"s_and_b32 s4, s0, 7", 32, 16, 64},
                  {"v_add_u32_e32 v3, 1, v3", 36, 72, 64},
                  {"s_sub_u32 s4, s4, 1", 40, 72, 64},
                  {"s_cbranch_scc0 L24", 44, 72, 64},
                  {"s_endpgm", 48, 16, 64},
                  {"v_nop", 52, 0, 0}};
  ASSERT_EQ(k.instructions.size(), std::size(expected));
  const uint64_t begin = k.instructions[0].address;
  uint64_t sum = 0;
  for (size_t i = 0; i < std::size(expected); ++i) {
    const auto& got = k.instructions[i];
    // The labels are addresses of the code object.
    std::string text = expected[i].text;
    if (const size_t label = text.find(" L"); label != std::string::npos)
      text = text.substr(0, label) + fmt::format(" L{:x}", begin + std::stoul(text.substr(label + 2), nullptr, 16));
    EXPECT_EQ(got.text, text);
    EXPECT_EQ(got.function, "uneven");
    EXPECT_EQ(got.offset, expected[i].offset);
    EXPECT_EQ(got.executions, expected[i].executions) << text;
    EXPECT_EQ(got.active ? got.active->lanes() : 0, expected[i].executions * expected[i].lanes) << text;
    sum += got.executions;
  }
  EXPECT_EQ(sum, k.wave_instructions);
  EXPECT_EQ(k.instructions[3].target, 6);
  EXPECT_EQ(k.instructions[10].target, 8);
  EXPECT_EQ(k.instructions[0].target, -1);
  ASSERT_TRUE(k.instructions[2].branch);
  EXPECT_EQ(k.instructions[2].branch->counts.divergences(), 16u);
  ASSERT_TRUE(k.instructions[5].lds);
  EXPECT_EQ(k.instructions[5].lds->counts.lanes, 16u * 32);
  EXPECT_TRUE(k.instructions[5].memory.empty());
  // The line that the assembler noted, in a file named from where we are said to be.
  ASSERT_EQ(profile.sources.size(), 1u);
  EXPECT_EQ(profile.sources[0].path, "inputs/uneven.s");
  EXPECT_EQ(profile.sources[0].language, "assembly");
  ASSERT_TRUE(profile.sources[0].text);
  EXPECT_NE(profile.sources[0].text->find("never reached"), std::string::npos);
  EXPECT_EQ(k.instructions[5].source.line, 15u);
}

TEST_F(ProfileCollector, OnlyWhatWasAskedFor) {
  prepare(8);
  Collector collector(options({.views = "lds", .launches = "1..2"}), "", "");
  EXPECT_FALSE(launch(collector));
  EXPECT_TRUE(launch(collector));
  EXPECT_TRUE(launch(collector));
  EXPECT_FALSE(launch(collector));
  const findings::Profile profile = collector.profile();
  ASSERT_EQ(profile.kernels.size(), 1u);
  EXPECT_EQ(profile.kernels[0].launches, 2u);
  EXPECT_EQ(profile.kernels[0].workgroups, 16u);
  EXPECT_EQ(profile.selection.launches, "1..2");
  const auto& write = profile.kernels[0].instructions[5];
  EXPECT_EQ(write.executions, 32u);
  EXPECT_TRUE(write.lds);
  EXPECT_FALSE(write.active);
  EXPECT_FALSE(profile.kernels[0].instructions[2].branch);

  Collector others(options({.views = "all", .kernels = "even$|xyz"}), "", "");
  EXPECT_TRUE(launch(others));
  Collector none(options({.views = "all", .kernels = "^even"}), "", "");
  EXPECT_FALSE(launch(none));
  EXPECT_TRUE(none.profile().kernels.empty());
}

// The promise of --sample: extrapolated from a tenth of the workgroups, the sum is off by about what it says.
TEST_F(ProfileCollector, AViewCostsNoEventsOfSpacesThatItDoesNotCount) {
  using events::Space;
  prepare(1);
  const std::map<std::string, std::vector<Space>> wanted = {
      {"memory", {Space::global, Space::scratch, Space::scalar}}, {"lds", {Space::lds}}, {"branches", {}}};
  for (const auto& [views, spaces] : wanted) {
    Collector collector(options({.views = views}), "", "");
    auto dispatch = collector.begin({nullptr, &session->image(), kernel, ""}, session->packet());
    const events::Listener& listener = dispatch->listener();
    EXPECT_EQ(listener.wants_accesses(), !spaces.empty()) << views;
    for (const Space space : {Space::global, Space::scratch, Space::scalar, Space::lds})
      EXPECT_EQ(listener.wants_space(space), std::ranges::find(spaces, space) != spaces.end()) << views;
    collector.end(std::move(dispatch), session->packet(), {});
  }
}

TEST_F(ProfileCollector, ASampleAgainstAllOfIt) {
  const uint64_t of = 2000;
  prepare(of);
  double truth = 0;
  for (uint64_t w = 0; w < of; ++w)
    truth += static_cast<double>(cost(w, 2));
  double squares = 0, stated = 0;
  const int seeds = 20;
  for (int seed = 1; seed <= seeds; ++seed) {
    Collector collector(options({.views = "branches", .sample = fmt::format("10%:{}", seed)}), "", "");
    EXPECT_TRUE(launch(collector));
    const findings::KernelProfile k = collector.profile().kernels.at(0);
    ASSERT_TRUE(k.sampled && k.sampled->error);
    EXPECT_EQ(k.wave_instructions, truth); // all of it ran
    EXPECT_EQ(k.sampled->workgroups, 200u);
    EXPECT_EQ(k.sampled->of, of);
    double sum = 0;
    for (const auto& instruction : k.instructions)
      sum += static_cast<double>(instruction.executions);
    const double off = sum * 10 / truth - 1;
    EXPECT_LE(std::abs(off), 4 * *k.sampled->error) << seed;
    squares += off * off, stated += *k.sampled->error;
  }
  EXPECT_NEAR(std::sqrt(squares / seeds) / (stated / seeds), 1, 0.5);
}

TEST_F(ProfileCollector, TheTracedWaveNeedNotBeInTheSample) {
  prepare(400);
  for (const char* traced : {"0:1", "1:1", "2:1", "3:1"}) {
    Collector collector(options({.views = "divergence", .sample = "1%", .html = "x", .trace = traced}), "", "");
    EXPECT_TRUE(launch(collector));
    const findings::Profile profile = collector.profile();
    ASSERT_TRUE(profile.trace) << traced;
    EXPECT_EQ(profile.trace->wave.wave, 1u);
    EXPECT_EQ(profile.trace->wave.steps.size(), cost(profile.trace->wave.workgroup[0], 1));
    EXPECT_EQ(profile.trace->instructions.size(), 12u);
    EXPECT_EQ(profile.trace->instructions[5].text, "ds_write_b32 v1, v1");
    EXPECT_EQ(profile.kernels[0].instructions[0].executions, 4 * 2u); // of the sample alone
  }
}

TEST_F(ProfileCollector, OnlyATrace) {
  prepare(4);
  Options only = options({.html = "x", .trace = "3:0"});
  only.views = {};
  Collector collector(only, "", "");
  EXPECT_TRUE(launch(collector));
  ASSERT_TRUE(collector.profile().trace);
}

TEST_F(ProfileCollector, TheFirstLaunchThatHasTheWaveIsTraced) {
  prepare(8);
  Collector collector(options({.views = "branches", .launches = "1..", .html = "x", .trace = "5:1"}), "", "");
  EXPECT_FALSE(launch(collector)); // has it, and is not asked for
  pass_by(collector, 4 * 128);
  pass_by(collector, 5 * 128 + 64); // workgroup 5 is one of one wave
  EXPECT_TRUE(launch(collector));
  EXPECT_TRUE(launch(collector));
  const findings::Profile profile = collector.profile();
  ASSERT_TRUE(profile.trace);
  EXPECT_EQ(profile.untraced, "");
  EXPECT_EQ(profile.trace->launch, 3u);
  EXPECT_EQ(profile.trace->wave.workgroup[0], 5u);
  EXPECT_EQ(profile.trace->wave.wave, 1u);
  EXPECT_TRUE(profile.trace->wave.complete);
  EXPECT_EQ(profile.trace->wave.steps.size(), cost(5, 1));
}

TEST_F(ProfileCollector, ALaunchThatDidNotGetToTheWaveDoesNotCount) {
  prepare(4);
  Collector collector(options({.views = "branches", .html = "x", .trace = "3:0"}), "", "");
  const std::atomic<bool> cancel = true;
  launch(collector, &cancel);
  findings::Profile profile = collector.profile();
  EXPECT_FALSE(profile.trace);
  EXPECT_EQ(profile.untraced, "wave 0 of workgroup 3 was not traced: the launch that has it did not get that far");
  launch(collector);
  profile = collector.profile();
  ASSERT_TRUE(profile.trace);
  EXPECT_EQ(profile.trace->launch, 1u);
  EXPECT_EQ(profile.untraced, "");
}

TEST_F(ProfileCollector, WhyNothingWasTraced) {
  prepare(8);
  const struct {
    const char* trace;
    std::vector<uint32_t> grids;
    const char* why;
  } cases[] = {
      {"12:0", {}, "wave 0 of workgroup 12 was not traced: nothing that is profiled was launched"},
      {"12:1", {1024}, "wave 1 of workgroup 12 was not traced: the only launch has 8 workgroups, 0 to 7"},
      {"12:0",
       {512, 1024, 128},
       "wave 0 of workgroup 12 was not traced: none of the 3 launches has it; the largest has 8 workgroups, 0 to 7"},
      {"1:0",
       {128, 0},
       "wave 0 of workgroup 1 was not traced: none of the 2 launches has it; the largest has 1 workgroup, 0"},
      {"0:0", {0}, "wave 0 of workgroup 0 was not traced: the only launch is empty"},
      {"2,1:0", {1024}, "wave 0 of workgroup 2,1,0 was not traced: the only launch has 8 x 1 x 1 workgroups"},
      // Workgroups of two waves; of 168 work-items the second one has 40, which are one.
      {"1:1",
       {128, 168},
       "wave 1 of workgroup 1 was not traced: none of the 2 launches has it; the nearest has 1 wave, 0, in that "
       "workgroup"},
      {"1:2",
       {168, 1024, 512},
       "wave 2 of workgroup 1 was not traced: none of the 3 launches has it; the nearest has 2 waves, 0 to 1, in that "
       "workgroup"},
  };
  for (const auto& [trace, grids, why] : cases) {
    Collector collector(options({.html = "x", .trace = trace}), "", "");
    for (const uint32_t items : grids)
      pass_by(collector, items);
    const findings::Profile profile = collector.profile();
    EXPECT_FALSE(profile.trace) << trace;
    EXPECT_EQ(profile.untraced, why);
  }
  Collector not_asked(options({.html = "x"}), "", "");
  pass_by(not_asked, 128);
  EXPECT_EQ(not_asked.profile().untraced, "");
}

TEST_F(ProfileCollector, ARecordedWaveIsKeptWhileItsKernelStillRuns) {
  prepare(4);
  Collector collector(options({.views = "all", .html = "x", .trace = "3:0"}), "", "");
  engine::Options options;
  auto dispatch = collector.begin({nullptr, &session->image(), kernel, ""}, session->packet());
  options.listener = &dispatch->listener();
  session->run(options);
  const findings::Profile profile = collector.profile(); // the launch has not ended
  collector.end(std::move(dispatch), session->packet(), {});
  EXPECT_EQ(profile.interrupted, "kernel 'uneven' was still running");
  ASSERT_TRUE(profile.trace);
  EXPECT_EQ(profile.trace->wave.steps.size(), cost(3, 1));
  ASSERT_EQ(profile.kernels.size(), 1u);
  EXPECT_EQ(profile.trace->kernel, 0);
  // Not what the views count just then.
  for (const auto& instruction : profile.kernels[0].instructions)
    EXPECT_EQ(instruction.executions, 0u);
  for (const auto& counter : profile.kernels[0].counters)
    EXPECT_TRUE(!counter.value || counter.name == "SQ_WAVES" || counter.name == "Wavefronts") << counter.name;
}

TEST_F(ProfileCollector, KernelsThatStillRunAreLeftOut) {
  prepare(4);
  Collector collector(options({.views = "branches"}), "", "");
  auto dispatch = collector.begin({nullptr, &session->image(), kernel, ""}, session->packet());
  findings::Profile profile = collector.profile();
  EXPECT_TRUE(profile.kernels.empty());
  EXPECT_EQ(profile.interrupted, "kernel 'uneven' was still running");
  std::thread later([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    collector.end(std::move(dispatch), session->packet(), {});
  });
  profile = collector.profile();
  later.join();
  EXPECT_EQ(profile.kernels.size(), 1u);
  EXPECT_EQ(profile.interrupted, "");
}

TEST_F(ProfileCollector, WhyItIsNotComplete) {
  prepare(4);
  Collector collector(options({.views = "all"}), "", "");
  const std::atomic<bool> cancel = true;
  launch(collector, &cancel);
  collector.interrupt("Ctrl-C");
  collector.interrupt("a fault that came of it");
  const findings::Profile profile = collector.profile();
  EXPECT_EQ(profile.interrupted, "Ctrl-C");
  EXPECT_EQ(profile.kernels.at(0).workgroups, 0u);
}

} // namespace
} // namespace crosslane::profile
