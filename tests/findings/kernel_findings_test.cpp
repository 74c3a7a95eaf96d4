// Findings of kernels that ran on the engine: what the views measured and what the code says fit together.
#include "events/several.h"
#include "findings/derive.h"
#include "isa/encode.h"
#include "isa/op.h"
#include "tests/engine/kernel_fixture.h"
#include <gtest/gtest.h>
#include <map>

namespace crosslane::findings {
namespace {

using test::Kernel;

KernelProfile run(const char* code, const test::Shape& shape, uint32_t lds = 0) {
  const Kernel kernel(isa::Target::gfx900, code);
  views::ActiveLaneCounts lanes;
  views::Branches branches;
  views::LdsBanks banks;
  events::Several listeners;
  listeners.add(lanes);
  listeners.add(branches);
  listeners.add(banks);
  engine::Options options;
  options.listener = &listeners;
  const auto outcome = kernel.run(shape, {}, options, lds);
  EXPECT_NO_FAULT(outcome);

  KernelProfile k;
  std::map<uint64_t, int> index;
  for (const auto& site : lanes.sites()) {
    index[site.pc] = static_cast<int>(k.instructions.size());
    auto& i = k.instructions.emplace_back();
    i.instruction = site.instruction, i.kind = class_of(site.instruction), i.function = "k", i.address = site.pc,
    i.offset = site.pc - kernel.entry();
    i.words = isa::encode(site.instruction).words;
    i.text = isa::row(site.instruction.op).mnemonic;
    i.executions = site.active.executions(), i.active = site.active;
    i.lost_lane_cycles = site.lost_to_divergence, i.lost_to_partial_waves = site.lost_to_partial_waves;
  }
  for (const auto& [pc, at] : index)
    if (auto& i = k.instructions[static_cast<size_t>(at)];
        i.kind == InstructionClass::branch && isa::row(i.instruction.op).encoding == isa::Encoding::SOPP)
      i.target = index.at(pc + 4 + static_cast<uint64_t>(static_cast<int64_t>(i.instruction.imm) * 4));
  for (const auto& site : branches.sites())
    k.instructions[static_cast<size_t>(index.at(site.pc))].branch = site;
  for (const auto& site : banks.sites())
    k.instructions[static_cast<size_t>(index.at(site.pc))].lds = site;
  for (int d = 0; d < 3; ++d)
    k.grid[d] = shape.grid[d], k.block[d] = shape.group[d];
  derive(k, {}, {true, true, false, true});
  return k;
}

TEST(KernelFindings, ALoopAndAnElse) {
  const auto k = run(R"(
  v_mov_b32_e32 v1, 0
  s_mov_b64 s[2:3], 0
loop:                                 // lane l goes round l times, lane 0 once
  v_add_u32_e32 v1, 1, v1
  v_cmp_ge_u32_e32 vcc, v1, v0
  s_or_b64 s[2:3], vcc, s[2:3]
  s_andn2_b64 exec, exec, s[2:3]
  s_cbranch_execnz loop
  s_or_b64 exec, exec, s[2:3]
  v_cmp_gt_u32_e32 vcc, 16, v0
  s_and_saveexec_b64 s[4:5], vcc      // 16 lanes
  s_xor_b64 s[4:5], exec, s[4:5]
  s_cbranch_execz else
  .rept 8
  v_rcp_f32_e32 v2, v0                // a quarter of the rate: 4 lane-cycles for each lane
  .endr
else:
  s_or_saveexec_b64 s[6:7], s[4:5]
  s_xor_b64 exec, exec, s[6:7]        // 48 lanes
  s_cbranch_execz join
  .rept 8
  v_mov_b32_e32 v3, 0
  .endr
join:
  s_or_b64 exec, exec, s[6:7]
  s_endpgm
)",
                     {{128, 1, 1}, {64, 1, 1}});
  // One wavefront. The first round has all lanes; round r from 2 to 63 lacks lanes 0 to r - 1: 2 + 3 + ... + 63 = 2015,
  // for each of the loop's two vector instructions. `if`: 48 lanes lack in 8 times 4 units, `else`: 16 in 8 units.
  constexpr double loop = 2 * 2015, branch = 48 * 8 * 4 + 16 * 8;
  // Units of all vector instructions: v_mov, twice 63 rounds, v_cmp, 8 times 4, 8.
  constexpr double all = 64 * (1 + 2 * 63 + 1 + 8 * 4 + 8);
  ASSERT_EQ(k.findings.size(), 2u);
  EXPECT_EQ(k.instructions[static_cast<size_t>(k.findings[0].instruction)].text, "s_andn2_b64");
  EXPECT_DOUBLE_EQ(k.findings[0].cost, 2 * loop);
  EXPECT_DOUBLE_EQ(k.findings[0].share, loop / all);
  // Lanes of the 63 rounds: 64 + (62 + 61 + ... + 1) = 64 + 1953 = 2017 in 63: 32.0.
  EXPECT_EQ(k.findings[0].title, "Lanes leave this loop at different times: 32 of 64 work in it on average");
  // Of each wavefront lanes 0 and 1 leave in the first round, one in each that follows; in the last round nobody stays.
  EXPECT_NE(k.findings[0].text.find("lets lanes go one by one, some of them in 124 of 126 rounds, and"),
            std::string::npos)
      << k.findings[0].text;
  EXPECT_EQ(k.instructions[static_cast<size_t>(k.findings[1].instruction)].text, "s_and_saveexec_b64");
  EXPECT_DOUBLE_EQ(k.findings[1].cost, 2 * branch);
  EXPECT_DOUBLE_EQ(k.findings[1].share, branch / all);
}

// A loop that v_cmpx ends, and in it a body for the odd lanes, whose mask the loop's own gives back: the one is a loop
// that lanes leave, the other is not, though both narrow EXEC alone.
TEST(KernelFindings, ALoopLeftByComparisons) {
  const auto k = run(R"(
  v_mov_b32_e32 v1, 0
  v_and_b32_e32 v3, 1, v0
  v_cmp_eq_u32_e64 s[4:5], 1, v3
loop:                                 // lane l goes round l + 1 times
  s_mov_b64 s[2:3], exec
  s_and_b64 exec, exec, s[4:5]
  .rept 8
  v_mov_b32_e32 v4, 0
  .endr
  s_mov_b64 exec, s[2:3]
  v_mov_b32_e32 v2, v1
  v_add_u32_e32 v1, 1, v1
  .rept 8
  v_mov_b32_e32 v5, 0
  .endr
  v_cmpx_lt_u32_e32 vcc, v2, v0
  s_cbranch_execnz loop
  s_endpgm
)",
                     {{64, 1, 1}, {64, 1, 1}});
  ASSERT_EQ(k.findings.size(), 2u);
  const auto text_of = [&](const Finding& f) { return k.instructions[static_cast<size_t>(f.instruction)].text; };
  const bool loop_first = text_of(k.findings[0]) == "v_cmpx_lt_u32";
  const Finding &loop = k.findings[loop_first ? 0 : 1], &body = k.findings[loop_first ? 1 : 0];
  EXPECT_EQ(text_of(loop), "v_cmpx_lt_u32");
  EXPECT_TRUE(loop.title.starts_with("Lanes leave this loop at different times")) << loop.title;
  EXPECT_NE(loop.text.find("some of them in 63 of 64 rounds"), std::string::npos) << loop.text;
  EXPECT_EQ(text_of(body), "s_and_b64");
  EXPECT_TRUE(body.title.starts_with("Lanes disagree at this branch")) << body.title;
  // 64 rounds. Lanes 0 to 63 arrive in the first, 62 and 63 in the last but one, 63 in the last, which is odd: there
  // nobody is left out.
  EXPECT_NE(body.text.find("ran 64 times and divided the lanes 63 times"), std::string::npos) << body.text;
}

TEST(KernelFindings, ABlockOf48) {
  const auto k = run("v_mov_b32_e32 v1, 0\nv_mov_b32_e32 v2, 0\ns_endpgm\n", {{960, 1, 1}, {48, 1, 1}});
  ASSERT_EQ(k.findings.size(), 1u);
  EXPECT_EQ(k.findings[0].kind, FindingKind::partial_waves);
  EXPECT_DOUBLE_EQ(k.findings[0].cost, 20 * 2 * 16); // 20 wavefronts, two instructions, 16 lanes that are not there
  EXPECT_DOUBLE_EQ(k.findings[0].share, 0.25);
}

TEST(KernelFindings, AColumnInLds) {
  // Lanes are 128 bytes apart: 32 of each half in one bank, 32 cycles where one would do, twice.
  const auto k = run(R"(
  v_lshlrev_b32_e32 v1, 7, v0
  ds_read_b32 v2, v1 offset:12
  s_waitcnt lgkmcnt(0)
  s_endpgm
)",
                     {{64, 1, 1}, {64, 1, 1}}, 64 * 128);
  ASSERT_EQ(k.findings.size(), 1u);
  EXPECT_EQ(k.findings[0].kind, FindingKind::bank_conflicts);
  EXPECT_DOUBLE_EQ(k.findings[0].cost, 62);
  EXPECT_EQ(k.findings[0].title, "32-way bank conflicts: 64 LDS cycles where 2 would do");
  EXPECT_NE(k.findings[0].advice.find("(32 -> 33)"), std::string::npos) << k.findings[0].advice;
}

} // namespace
} // namespace crosslane::findings
