// Active lanes: from events made by hand, and of kernels on the engine whose every count is worked out beside it.
#include "isa/op.h"
#include "tests/engine/kernel_fixture.h"
#include "views/active_lanes.h"
#include <gtest/gtest.h>
#include <thread>

namespace crosslane::views {
namespace {

using test::Kernel;

constexpr uint64_t all = ~uint64_t(0);

isa::Instruction instruction(std::string_view mnemonic) {
  isa::Instruction i;
  i.target = isa::Target::gfx900;
  i.op = isa::find_op(mnemonic, i.target).value();
  return i;
}

const isa::Instruction add = instruction("v_add_f32"), rcp = instruction("v_rcp_f32"), salu = instruction("s_add_u32"),
                       load = instruction("global_load_dword"), readlane = instruction("v_readlane_b32");

struct Events {
  std::unique_ptr<machine::Wave> wave = std::make_unique<machine::Wave>();
  ActiveLaneCounts view;
  void issue(const events::Block& block, uint64_t exec, uint64_t launched = all) {
    wave->launched = launched;
    view.issued({&block, wave.get(), exec});
  }
};

TEST(ActiveLanes, HistogramOfABlock) {
  const events::Site code[] = {{8, &add}, {12, &rcp}, {16, &salu}, {20, &load}, {28, &readlane}};
  const events::Block block{3, code};
  Events e;
  e.issue(block, all);
  e.issue(block, 0xffffffff);     // 32 lanes diverged
  e.issue(block, 0xff, 0xffff);   // 8 diverged, 48 missing
  e.issue(block, 0xffff, 0xffff); // 48 missing
  e.issue(block, all, 0xffff);    // lanes that the code itself turned on
  e.issue(block, 0);              // nobody: 64 diverged
  const auto sites = e.view.sites();
  ASSERT_EQ(sites.size(), 5u);
  for (size_t i = 0; i < sites.size(); ++i) {
    EXPECT_EQ(sites[i].pc, code[i].pc);
    const ActiveLanes& a = sites[i].active;
    EXPECT_EQ(a.executions(), 6u);
    EXPECT_EQ(a.lanes(), 64u + 32 + 8 + 16 + 64 + 0);
    EXPECT_EQ(a.waves[64], 2u);
    EXPECT_EQ(a.waves[32], 1u);
    EXPECT_EQ(a.waves[16], 1u);
    EXPECT_EQ(a.waves[8], 1u);
    EXPECT_EQ(a.waves[0], 1u);
    EXPECT_EQ(a.diverged, 32u + 8 + 64);
    EXPECT_EQ(a.missing, 48u + 48);
    EXPECT_EQ(a.lanes() + a.diverged + a.missing, 6u * 64);
  }
  // A cycle of the 16 lanes for each quarter: full rate wastes a lane-cycle per idle lane, a quarter of it four.
  EXPECT_EQ(sites[0].lost_to_divergence, 104);
  EXPECT_EQ(sites[0].lost_to_partial_waves, 96);
  EXPECT_EQ(sites[1].lost_to_divergence, 416);
  EXPECT_EQ(sites[1].lost_to_partial_waves, 384);
  for (int other : {2, 3, 4}) { // scalar, another unit, one value whatever EXEC says
    EXPECT_EQ(sites[other].lost_to_divergence, 0) << other;
    EXPECT_EQ(sites[other].lost_to_partial_waves, 0) << other;
  }
}

TEST(ActiveLanes, AnInstructionInTwoBlocks) {
  const events::Site code[] = {{8, &add}, {12, &rcp}};
  const events::Block both{0, code}, second{40, std::span(code).subspan(1)};
  Events e;
  e.issue(both, all);
  e.issue(second, 1);
  const auto sites = e.view.sites();
  ASSERT_EQ(sites.size(), 2u);
  EXPECT_EQ(sites[0].active.executions(), 1u);
  EXPECT_EQ(sites[1].active.executions(), 2u);
  EXPECT_EQ(sites[1].active.lanes(), 65u);
}

TEST(ActiveLanes, ThreadsAddUp) {
  const events::Site code[] = {{8, &add}};
  const events::Block block{0, code};
  ActiveLaneCounts view;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      auto wave = std::make_unique<machine::Wave>();
      wave->launched = all;
      for (int i = 0; i < 1000; ++i)
        view.issued({&block, wave.get(), 0xf});
    });
  for (auto& thread : threads)
    thread.join();
  ASSERT_EQ(view.sites().size(), 1u);
  EXPECT_EQ(view.sites()[0].active.waves[4], 4000u);
  EXPECT_EQ(view.sites()[0].active.diverged, 4000u * 60);
}

TEST(ActiveLanes, Sum) {
  ActiveLanes a, b;
  a.waves[64] = 2, a.diverged = 1, a.missing = 5;
  b.waves[64] = 1, b.waves[3] = 4, b.diverged = 7;
  a += b;
  EXPECT_EQ(a.executions(), 7u);
  EXPECT_EQ(a.lanes(), 3u * 64 + 12);
  EXPECT_EQ(a.diverged, 8u);
  EXPECT_EQ(a.missing, 5u);
}

// ---- Kernels. All instructions are of 4 bytes, so that site(n) is the n-th line.

struct Counted {
  Counted(const Kernel& kernel, const test::Shape& shape) : entry(kernel.entry()) {
    ActiveLaneCounts view;
    engine::Options options;
    options.listener = &view;
    const auto outcome = kernel.run(shape, {}, options);
    EXPECT_NO_FAULT(outcome);
    sites = view.sites();
    uint64_t executions = 0;
    for (const auto& s : sites)
      executions += s.active.executions();
    EXPECT_EQ(executions, outcome.stats.instructions);
  }
  ActiveLanesSite site(uint64_t line) const {
    for (const auto& s : sites)
      if (s.pc == entry + line * 4)
        return s;
    return {};
  }
  uint64_t entry;
  std::vector<ActiveLanesSite> sites;
};

void expect(const ActiveLanesSite& s, std::initializer_list<std::pair<int, uint64_t>> histogram, uint64_t diverged,
            uint64_t missing, double lost_to_divergence, double lost_to_partial_waves) {
  ActiveLanes expected;
  for (const auto& [lanes, waves] : histogram)
    expected.waves[static_cast<size_t>(lanes)] = waves;
  expected.diverged = diverged, expected.missing = missing;
  EXPECT_EQ(s.active, expected) << s.active.executions() << " executions, " << s.active.lanes() << " lanes, "
                                << s.active.diverged << " diverged, " << s.active.missing << " missing";
  EXPECT_EQ(s.lost_to_divergence, lost_to_divergence);
  EXPECT_EQ(s.lost_to_partial_waves, lost_to_partial_waves);
}

// A; if (condition) { B; } else { C; } D;
std::string if_else(const std::string& condition) {
  return condition + R"(                   // 0  A
  s_and_saveexec_b64 s[2:3], vcc           // 1  EXEC = IF MASK
  s_xor_b64 s[2:3], exec, s[2:3]           // 2
  s_cbranch_execz Lelse                    // 3
  v_lshlrev_b32_e32 v4, 1, v0              // 4  B
  v_or_b32_e32 v4, 1, v4                   // 5
Lelse:
  s_or_saveexec_b64 s[2:3], s[2:3]         // 6
  s_xor_b64 exec, exec, s[2:3]             // 7  EXEC = ELSE MASK
  s_cbranch_execz Ljoin                    // 8
  v_rcp_f32_e32 v4, v4                     // 9  C
Ljoin:
  s_or_b64 exec, exec, s[2:3]              // 10
  v_mov_b32_e32 v5, v4                     // 11 D
  s_endpgm                                 // 12
)";
}

// threadIdx.x < 32: half of the lanes go each way, in three wavefronts.
TEST(ActiveLanes, DivergentIfElse) {
  FOR_ALL_TARGETS(target) {
    const Kernel kernel(target, if_else("v_cmp_gt_i32_e32 vcc, 32, v0"));
    const Counted c(kernel, {{192, 1, 1}, {64, 1, 1}});
    expect(c.site(0), {{64, 3}}, 0, 0, 0, 0);
    expect(c.site(4), {{32, 3}}, 96, 0, 96, 0); // 3 wavefronts, 32 idle lanes each
    expect(c.site(5), {{32, 3}}, 96, 0, 96, 0);
    expect(c.site(9), {{32, 3}}, 96, 0, 384, 0); // v_rcp_f32 takes 16 cycles instead of 4
    expect(c.site(11), {{64, 3}}, 0, 0, 0, 0);
    expect(c.site(8), {{32, 3}}, 96, 0, 0, 0); // scalar: no lane waits for it
  }
}

// threadIdx.x > 63: no lane of a wavefront goes through B, all of them through C.
TEST(ActiveLanes, IfElseThatDoesNotDiverge) {
  FOR_ALL_TARGETS(target) {
    const Kernel kernel(target, if_else("v_cmp_lt_i32_e32 vcc, 63, v0"));
    const Counted c(kernel, {{192, 1, 1}, {64, 1, 1}});
    EXPECT_EQ(c.site(4).active.executions(), 0u);
    EXPECT_EQ(c.site(5).active.executions(), 0u);
    expect(c.site(9), {{64, 3}}, 0, 0, 0, 0);
    expect(c.site(11), {{64, 3}}, 0, 0, 0, 0);
    // Both wavefronts of a workgroup of 128: in the second all lanes are above 63, C is skipped there.
    const Counted two(kernel, {{128, 1, 1}, {128, 1, 1}});
    expect(two.site(4), {{64, 1}}, 0, 0, 0, 0);
    expect(two.site(9), {{64, 1}}, 0, 0, 0, 0);
    expect(two.site(11), {{64, 2}}, 0, 0, 0, 0);
  }
}

// Workgroups of 80: the second wavefront has 16 lanes, work-items 64 to 79, none of them below 32.
TEST(ActiveLanes, PartialWavefronts) {
  FOR_ALL_TARGETS(target) {
    const Kernel kernel(target, if_else("v_cmp_gt_i32_e32 vcc, 32, v0"));
    const Counted c(kernel, {{160, 1, 1}, {80, 1, 1}}); // two workgroups, two wavefronts each
    expect(c.site(0), {{64, 2}, {16, 2}}, 0, 96, 0, 96);
    expect(c.site(4), {{32, 2}}, 64, 0, 64, 0);
    expect(c.site(9), {{32, 2}, {16, 2}}, 64, 96, 256, 384);
    expect(c.site(11), {{64, 2}, {16, 2}}, 0, 96, 0, 96);
  }
}

// The last workgroup of a grid of 100 has 36 work-items of 64.
TEST(ActiveLanes, PartialWorkgroups) {
  FOR_ALL_TARGETS(target) {
    const Kernel kernel(target, "v_mov_b32_e32 v1, v0\ns_mov_b64 exec, -1\nv_mov_b32_e32 v1, v0\ns_endpgm");
    const Counted c(kernel, {{100, 1, 1}, {64, 1, 1}});
    expect(c.site(0), {{64, 1}, {36, 1}}, 0, 28, 0, 28);
    expect(c.site(2), {{64, 2}}, 0, 0, 0, 0); // lanes that were never launched, but turned on
  }
}

// Lane l goes through the outer loop (l & 3) + 1 times, and through the inner one 3 times in each.
TEST(ActiveLanes, NestedLoops) {
  FOR_ALL_TARGETS(target) {
    const Kernel kernel(target, R"(
  v_and_b32_e32 v1, 3, v0                  // 0
  s_mov_b64 s[4:5], exec                   // 1
  s_mov_b32 s11, 0                         // 2
outer:
  s_mov_b32 s10, 3                         // 3
inner:
  v_mov_b32_e32 v3, v0                     // 4
  s_sub_u32 s10, s10, 1                    // 5
  s_cmp_lg_u32 s10, 0                      // 6
  s_cbranch_scc1 inner                     // 7
  v_mov_b32_e32 v4, v0                     // 8
  s_add_u32 s11, s11, 1                    // 9
  v_cmp_le_u32_e32 vcc, s11, v1            // 10  rounds so far <= l & 3
  s_and_b64 exec, exec, vcc                // 11
  s_cbranch_execnz outer                   // 12
  s_mov_b64 exec, s[4:5]                   // 13
  v_mov_b32_e32 v5, v0                     // 14
  s_endpgm                                 // 15
)");
    const Counted c(kernel, {{128, 1, 1}, {64, 1, 1}}); // two wavefronts
    // Rounds 1 to 4 have the lanes with l & 3 >= 0, 1, 2, 3: 64, 48, 32, 16; idle 0 + 16 + 32 + 48 = 96.
    expect(c.site(8), {{64, 2}, {48, 2}, {32, 2}, {16, 2}}, 192, 0, 192, 0);
    expect(c.site(10), {{64, 2}, {48, 2}, {32, 2}, {16, 2}}, 192, 0, 192, 0);
    expect(c.site(4), {{64, 6}, {48, 6}, {32, 6}, {16, 6}}, 576, 0, 576, 0);
    expect(c.site(7), {{64, 6}, {48, 6}, {32, 6}, {16, 6}}, 576, 0, 0, 0);
    expect(c.site(14), {{64, 2}}, 0, 0, 0, 0);
  }
}

} // namespace
} // namespace crosslane::views
