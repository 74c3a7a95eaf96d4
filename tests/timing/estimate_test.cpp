// Loops, ways of a wave, bounds and whole kernels, against what others measured of code that is written down here, and
// against hand calculations.
#include "tests/timing/estimate_fixture.h"
#include "timing/whole.h"

namespace crosslane::timing {
namespace {

gpu::Machine of(std::string_view card) { return gpu::machine(*gpu::find_card(card)); }
const std::string around = "s_sub_u32 s0, s0, 1\ns_cmp_lg_u32 s0, 0\ns_cbranch_scc1 loop\ns_endpgm\n";
std::string loop(const std::string& body) { return "loop:\n" + body + around; }

const LoopEstimate& only_loop(const KernelEstimate& e) {
  EXPECT_EQ(e.loops.size(), 1u);
  return e.loops.at(0);
}

// The ROCm Compute Profiler's tutorial, on an MI250: a thousand of one instruction, 8 waves on each SIMD; instructions
// a cycle and compute unit.
TEST(Estimate, InstructionsACycle) {
  const gpu::Machine mi250 = of("mi250");
  for (const auto& [code, measured] : std::initializer_list<std::pair<const char*, double>>{
           {"v_mov_b32 v1, v2", 1.00},
           {"s_mov_b32 s1, s2", 1.00},
           {"v_mfma_f32_32x32x8bf16_1k a[0:15], v[0:1], v[2:3], a[0:15]", 0.0626}}) {
    SCOPED_TRACE(code);
    const Estimated k(loop(times(1000, code)), mi250, {.waves = 8});
    const double waves = 8 * 4;
    const double per_cycle = 1000 * waves / only_loop(k.e).bound.cycles.least;
    EXPECT_NEAR(per_cycle, measured, measured * 0.01);
  }
}

// MGPUSim's microbenchmarks on a R9 Nano: its authors read 5 cycles for each v_add_f32 of a lone wave, the fit is 5.9.
TEST(Estimate, LoneWave) {
  const gpu::Machine nano = of("fiji");
  const Estimated k(times(16, "v_add_f32 v1, v1, v2") + "s_endpgm\n", nano);
  EXPECT_EQ(k.e.blocks.at(0).alone.least.cycles, 16 * 5 + 4);
  const Estimated document(times(16, "v_add_f32 v1, v1, v2") + "s_endpgm\n", nano, {.model = Model::document});
  EXPECT_EQ(document.e.blocks.at(0).alone.least.cycles, 16 * 4 + 4);
}

// A chain of loads: each waits for the one before.
TEST(Estimate, WaitsForLoads) {
  const gpu::Machine vega = of("vega10");
  const Estimated k(loop("global_load_dword v0, v0, s[2:3]\ns_waitcnt vmcnt(0)\n"), vega, {.vmem_latency = 300});
  const LoopEstimate& l = only_loop(k.e);
  // 300 to the value, the wait's own turn, three scalar instructions and a jump.
  EXPECT_EQ(l.among.least.cycles, 300 + 4 + 4 + 4 + 20);
  EXPECT_EQ(l.among.least.vm, 300 - 4);
  EXPECT_EQ(l.bound.least, Binding::latency);
  EXPECT_EQ(l.waves_to_hide, 0u);
}

TEST(Estimate, CountersComeBackInOrder) {
  const gpu::Machine vega = of("vega10");
  const auto waits = [&](const char* wait) {
    const Estimated k(loop("buffer_load_dword v1, off, s[4:7], 0\nbuffer_load_dword v2, off, s[4:7], 0\n" +
                           std::string(wait) + "\nv_mov_b32 v3, v1\ns_waitcnt vmcnt(0)\n"),
                      vega, {.vmem_latency = 300});
    return only_loop(k.e).among.least;
  };
  EXPECT_EQ(waits("s_waitcnt vmcnt(1)").vm, 300 - 8 + 0); // then the second is there 4 cycles later, as the wait ends
  EXPECT_EQ(waits("s_waitcnt vmcnt(0)").vm, 304 - 8);
  EXPECT_EQ(waits("s_nop 0").vm, 304 - 8 - 4 - 4); // what else is done meanwhile is not waited
}

TEST(Estimate, ScalarLoadsAndLds) {
  const gpu::Machine mi210 = of("mi210");
  const Estimated k(
      loop("s_load_dword s4, s[2:3], 0\ns_waitcnt lgkmcnt(0)\nds_read_b32 v1, v2\ns_waitcnt lgkmcnt(0)\n"), mi210);
  // 36 and 48 cycles, of what was measured.
  EXPECT_EQ(only_loop(k.e).among.least.lgkm, 36 - 4 + 48 - 4);
}

// 4 dwords in a row: 16 cycles of a unit that 4 SIMDs share, beside 40 vector instructions of 4.
TEST(Estimate, WhatBinds) {
  const gpu::Machine vega = of("vega10");
  const std::string load = "buffer_load_dwordx4 v[4:7], off, s[4:7], 0\n";
  const auto bound = [&](int loads, int adds, uint32_t waves) {
    std::string body;
    for (int i = 0; i < loads; ++i)
      body += load;
    const Estimated k(loop(body + times(adds, "v_add_f32 v1, v1, v2")), vega, {.waves = waves});
    return only_loop(k.e).bound;
  };
  const Bound memory = bound(4, 40, 10);
  EXPECT_EQ(memory.least, Binding::vmem);
  EXPECT_EQ(memory.cycles, Cycles(4 * 16 * 4 * 10));
  const Bound arithmetic = bound(1, 40, 10);
  EXPECT_EQ(arithmetic.least, Binding::valu);
  EXPECT_EQ(arithmetic.cycles, Cycles(40 * 4 * 10));
  EXPECT_EQ(bound(1, 40, 1).least, Binding::latency);
}

TEST(Estimate, PatternsAreProven) {
  const gpu::Machine vega = of("vega10");
  const std::string lane = "v_mbcnt_lo_u32_b32 v0, -1, 0\nv_mbcnt_hi_u32_b32 v0, -1, v0\n";
  const auto load = [&](const std::string& text) {
    const Estimated k(lane + text + "s_endpgm\n", vega);
    return k.e.rows.at(k.e.rows.size() - 2).cost.unit;
  };
  EXPECT_EQ(load("v_lshlrev_b32 v1, 2, v0\nglobal_load_dword v2, v1, s[2:3]\n"), Cycles(4));
  EXPECT_EQ(load("v_mov_b32 v1, 0\nv_lshlrev_b64 v[2:3], 2, v[0:1]\nglobal_load_dword v2, v[2:3], off\n"), Cycles(4));
  EXPECT_EQ(load("v_lshlrev_b32 v1, 12, v0\nglobal_load_dword v2, v1, s[2:3]\n"), Cycles(16, 64));
  EXPECT_EQ(load("v_mov_b32 v1, s4\nglobal_load_dword v2, v1, s[2:3]\n"), Cycles(4));
  EXPECT_EQ(load("global_load_dword v2, v9, s[2:3]\n"), Cycles(4, 64));
  EXPECT_EQ(load("v_lshlrev_b32 v1, 7, v0\nds_read_b32 v2, v1\n"), Cycles(64)); // one bank
  EXPECT_EQ(load("v_mul_u32_u24 v1, 0x84, v0\nds_read_b32 v2, v1\n").least, 2);
}

// Of two sides the longer one is the way; of two loops the outer one has the inner one once.
TEST(Estimate, WaysThroughLoops) {
  const gpu::Machine vega = of("vega10");
  const Estimated k("outer:\ns_cbranch_scc0 other\n" + times(10, "v_add_f32 v1, v1, v2") + "s_branch join\nother:\n" +
                        times(3, "v_add_f32 v1, v1, v2") +
                        "join:\ninner:\ns_sub_u32 s1, s1, 1\ns_cbranch_scc1 inner\ns_sub_u32 s0, s0, 1\n"
                        "s_cbranch_scc1 outer\ns_endpgm\n",
                    vega);
  ASSERT_EQ(k.e.loops.size(), 2u);
  const LoopEstimate &outer = k.e.loops[0], &inner = k.e.loops[1];
  EXPECT_EQ(outer.depth, 1u);
  EXPECT_EQ(inner.depth, 2u);
  EXPECT_EQ(inner.parent, 0u);
  EXPECT_TRUE(outer.has_inner);
  EXPECT_FALSE(inner.has_inner);
  EXPECT_EQ(outer.sums[Resource::valu], Cycles(40));
  EXPECT_EQ(outer.sums.instructions, 1 + 10 + 1 + 2 + 2);
  EXPECT_EQ(inner.sums.instructions, 2);
  EXPECT_EQ(outer.blocks, 5u);
  EXPECT_EQ(outer.path.size(), 4u);
}

// MGPUSim's microbenchmarks on a R9 Nano at 1 GHz: an empty kernel takes so many ns for each workgroup of so many
// waves, and 2.87 us beyond that.
TEST(Estimate, EmptyKernels) {
  const gpu::Machine nano = of("fiji");
  Estimated k("s_endpgm\n", nano);
  for (const auto& [waves, ns] : std::initializer_list<std::pair<double, double>>{
           {1, 3.98674}, {2, 3.9997}, {4, 4.0198}, {5, 5.01976}, {7, 7.01178}}) {
    const double groups = 100000;
    k.again({{0, waves * groups}});
    const LaunchCounts launch{.workgroups = groups, .waves = waves * groups, .waves_per_workgroup = waves};
    const WholeEstimate w = whole(k.e, k.counts, launch, nano);
    EXPECT_EQ(w.roofline_least, "launch");
    EXPECT_NEAR((w.roofline_us.least - 2.87) * 1000 / groups, ns, ns * 0.01) << waves;
  }
}

TEST(Estimate, WholeKernelOfCounts) {
  const gpu::Machine vega = of("vega10");
  Estimated k(loop(times(100, "v_add_f32 v1, v1, v2")), vega);
  // 256 waves for each of 256 SIMDs, 1000 iterations.
  const double waves = 65536, runs = waves * 1000;
  std::map<size_t, double> counts;
  for (size_t i = 0; i < 103; ++i)
    counts[i] = runs;
  counts[103] = waves;
  k.again(counts);
  const WholeEstimate w =
      whole(k.e, k.counts, {.workgroups = waves / 4, .waves = waves, .waves_per_workgroup = 4}, vega);
  EXPECT_EQ(w.static_least, "VALU");
  EXPECT_NEAR(w.static_us.least, runs * 400 / 256 / 1546, 1);
  EXPECT_EQ(w.dram.cycles, Cycles(0));
}

TEST(Estimate, MissingWaitStates) {
  const gpu::Machine vega = of("vega10");
  const auto missing = [&](const std::string& between) {
    const Estimated k("v_readlane_b32 s4, v1, 0\n" + between + "buffer_load_dword v2, off, s[4:7], 0\ns_endpgm\n",
                      vega);
    return k.e.rows.at(k.e.rows.size() - 2).missing_wait_states;
  };
  EXPECT_EQ(missing(""), 5u);
  EXPECT_EQ(missing("s_nop 1\n"), 3u);
  EXPECT_EQ(missing("s_nop 4\n"), 0u);
  EXPECT_EQ(missing("s_mov_b32 s4, 0\n"), 0u); // another value
  EXPECT_EQ(missing("s_mov_b32 s9, 0\n"), 4u);
}

TEST(Estimate, Assumptions) {
  const gpu::Machine vega = of("vega10"), mi210 = of("mi210");
  const std::string code = loop("global_load_dword v0, v0, s[2:3]\ns_waitcnt vmcnt(0)\n");
  const auto assumed = [](const Estimated& k) {
    std::set<std::string_view> names;
    for (const gpu::Parameter p : k.e.used.assumed(k.machine))
      names.insert(gpu::info(p).name);
    return names;
  };
  EXPECT_EQ(assumed(Estimated(code, vega)), (std::set<std::string_view>{"l2_hit_latency", "load_worst"}));
  EXPECT_EQ(assumed(Estimated(code, vega, {.vmem_latency = 300})), (std::set<std::string_view>{"load_worst"}));
  EXPECT_EQ(assumed(Estimated(code, mi210)), (std::set<std::string_view>{}));
}

} // namespace
} // namespace crosslane::timing
