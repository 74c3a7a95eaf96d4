// Each kind of finding on a kernel made for it, and none on a clean one. Costs are worked out by hand in the tests.
#include "findings/derive.h"
#include "tests/findings/made_up.h"
#include <chrono>

namespace crosslane::findings {
namespace {

std::vector<Finding> findings(made_up::Kernel& k, const char* language = "hip") {
  derive_findings(k.k, {{"x.hip", language, {}}});
  return k.k.findings;
}

bool holds(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

// 64 lanes, all of them: nothing to say.
made_up::Kernel clean() {
  made_up::Kernel k;
  k.line = 7;
  for (int i = 0; i < 10; ++i)
    k.add("v_add_f32_e32 v1, v2, v3", 100);
  made_up::count_memory(k.add("global_load_dword v1, v0, s[2:3]", 100), 100, 400, 400, views::Pattern::contiguous);
  made_up::count_lds(k.add("ds_read_b32 v1, v0", 100), 100, 200, 200);
  return k;
}

TEST(Findings, NoneOnACleanKernel) {
  auto k = clean();
  EXPECT_TRUE(findings(k).empty());
}

TEST(Findings, LittleIsNotWorthTelling) {
  auto k = clean();
  // 1 of 11 vector instructions with 32 of 64 lanes, for 100 of 1100 executions: 3200 of 70400 lane-cycles are 4.5 %.
  k.add("s_and_saveexec_b64 s[2:3], vcc", 100);
  k.add("v_add_f32_e32 v1, v2, v3", 100, 32);
  // 20 of 420 lines are 4.8 %.
  k.k.instructions[10].memory[0].counts.lines = 420;
  // 10 of 210 LDS cycles are 4.8 %.
  k.k.instructions[11].lds->counts.cycles = 210;
  EXPECT_TRUE(findings(k).empty()) << k.k.findings[0].title;
}

TEST(Findings, DivergenceIsToldOfAtTheBranch) {
  auto k = clean();
  k.line = 8;
  auto& branch = k.add("s_and_saveexec_b64 s[2:3], vcc", 100);
  made_up::count_branch(branch, {100, 0, 0, 6400, 800});
  k.jump("s_cbranch_execz 2", 3, 100, 8);
  k.line = 9;
  k.add("v_add_f32_e32 v1, v2, v3", 100, 8);
  k.line = 10;
  k.add("v_sqrt_f32_e32 v1, v2", 100, 8);
  k.add("s_or_b64 exec, exec, s[2:3]", 100, 8);
  const auto all = findings(k);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].kind, FindingKind::divergence);
  EXPECT_EQ(all[0].source.line, 8u);
  EXPECT_EQ(all[0].instruction, 12);
  // 56 lanes are missing in v_add (full rate) and v_sqrt (a quarter of it: 4 lane-cycles a lane), 100 times each.
  EXPECT_EQ(all[0].cost, 100 * 56 * (1 + 4));
  EXPECT_EQ(all[0].unit, "lane-cycles");
  // Of 64 lanes times (10 + 1 + 4) units, 100 times.
  EXPECT_DOUBLE_EQ(all[0].share, 100.0 * 56 * 5 / (100.0 * 64 * 15));
  EXPECT_EQ(all[0].title, "Lanes disagree at this branch: 8 of 64 work behind it on average");
  EXPECT_TRUE(
      holds(all[0].text, "ran 100 times and divided the lanes 100 times (100.0 %); 8 of 64 arriving lanes go on"))
      << all[0].text;
  EXPECT_TRUE(
      holds(all[0].text, "The 2 vector instructions behind it lose 28,000 lane-cycles, 29.2 % of the kernel's."))
      << all[0].text;
  EXPECT_TRUE(holds(all[0].advice, "bring them together")) << all[0].advice;
  EXPECT_TRUE(holds(all[0].advice, "__shared__"));
}

TEST(Findings, BothWaysTakenIsOtherAdvice) {
  auto k = clean();
  made_up::count_branch(k.add("s_and_saveexec_b64 s[2:3], vcc", 100), {100, 0, 0, 6400, 3200});
  for (int i = 0; i < 4; ++i)
    k.add("v_add_f32_e32 v1, v2, v3", 100, 32);
  const auto all = findings(k, "opencl");
  ASSERT_EQ(all.size(), 1u);
  EXPECT_TRUE(holds(all[0].advice, "get_local_id(0) / 64")) << all[0].advice;
}

TEST(Findings, OneLaneForAll) {
  made_up::Kernel k;
  made_up::count_branch(k.add("s_and_saveexec_b64 s[2:3], vcc", 100), {100, 0, 0, 6400, 100});
  k.add("v_add_f32_e32 v1, v2, v3", 100, 1);
  EXPECT_TRUE(holds(findings(k)[0].advice, "One lane works for its wavefront.")) << k.k.findings[0].advice;
}

TEST(Findings, NestedBranchesShareTheBlame) {
  made_up::Kernel k;
  made_up::count_branch(k.add("s_and_saveexec_b64 s[2:3], vcc", 100, 64), {100, 0, 0, 6400, 4800});
  made_up::count_branch(k.add("s_and_saveexec_b64 s[4:5], vcc", 100, 48), {100, 0, 0, 4800, 800});
  k.add("v_add_f32_e32 v1, v2, v3", 100, 8);
  const auto all = findings(k);
  ASSERT_EQ(all.size(), 2u);
  // Of the 56 lanes that are missing the inner branch took 48 - 8 = 40, the outer one 64 - 48 = 16.
  EXPECT_EQ(all[0].instruction, 1);
  EXPECT_DOUBLE_EQ(all[0].cost, 100 * 40);
  EXPECT_EQ(all[1].instruction, 0);
  EXPECT_DOUBLE_EQ(all[1].cost, 100 * 16);
}

TEST(Findings, ABranchWhoseLanesAgreeIsNotBlamed) {
  made_up::Kernel k;
  made_up::count_branch(k.add("s_and_saveexec_b64 s[2:3], vcc", 100, 64), {100, 0, 0, 6400, 3200});
  made_up::count_branch(k.add("s_and_saveexec_b64 s[4:5], vcc", 100, 32), {100, 100, 0, 3200, 3200});
  k.add("v_add_f32_e32 v1, v2, v3", 100, 32);
  const auto all = findings(k);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].instruction, 0);
}

TEST(Findings, Loop) {
  made_up::Kernel k;
  k.add("v_mov_b32_e32 v1, 0", 10);                 // 64 lanes come to the loop
  k.add("v_add_f32_e32 v1, v2, v3", 100, 16);       // 1: the loop; 16 of 64 lanes on average
  k.add("s_andn2_b64 exec, exec, s[2:3]", 100, 16); // 2
  k.jump("s_cbranch_execnz -3", -2, 100, 10);       // 3
  k.add("s_or_b64 exec, exec, s[2:3]", 10, 0);
  const auto all = findings(k);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].instruction, 2);
  EXPECT_DOUBLE_EQ(all[0].cost, 100 * 48);
  EXPECT_EQ(all[0].title, "Lanes leave this loop at different times: 16 of 64 work in it on average");
}

TEST(Findings, PartialWavesByBlockSize) {
  made_up::Kernel k;
  k.k.block[0] = 10, k.k.block[1] = 10;
  k.add("v_add_f32_e32 v1, v2, v3", 100, 64);
  k.add("v_add_f32_e32 v1, v2, v3", 100, 36, 36);
  const auto all = findings(k);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].kind, FindingKind::partial_waves);
  // 100 work-items are two wavefronts, 128 lanes.
  EXPECT_EQ(all[0].title, "Blocks of 100 work-items leave 28 of the 64 lanes of their last wavefront empty");
  EXPECT_EQ(all[0].cost, 2800);
  EXPECT_DOUBLE_EQ(all[0].share, 2800.0 / 12800);
  // The next multiple of 64 with rows of 10 is 32 x 10 = 320; below 10 there is none.
  EXPECT_EQ(all[0].advice, "A block of 32x10 fills its wavefronts: sizes should be multiples of 64.");
  EXPECT_EQ(all[0].instruction, -1);
}

TEST(Findings, PartialWavesOfTheGridsEdge) {
  made_up::Kernel k;
  k.k.grid[0] = 100;
  k.add("v_add_f32_e32 v1, v2, v3", 10, 64);
  k.add("v_add_f32_e32 v1, v2, v3", 10, 36, 36);
  const auto all = findings(k);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].title, "A grid of 100 work-items leaves the last blocks of 64 partly empty");
}

// The load of a clean kernel, with other counts.
made_up::Kernel loading(uint64_t lines, views::Pattern pattern, int64_t stride, uint32_t bytes = 4) {
  made_up::Kernel k;
  k.line = 7;
  made_up::count_memory(k.add("global_load_dword v1, v0, s[2:3]", 100), 100, lines, 400, pattern, stride).bytes = bytes;
  return k;
}

TEST(Findings, Coalescing) {
  // 64 lanes, 32 bytes apart: two in each line of 64 bytes, 32 lines; side by side they would fill 64 * 4 / 64 = 4.
  auto k = loading(3200, views::Pattern::strided, 32);
  auto all = findings(k);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].kind, FindingKind::coalescing);
  EXPECT_EQ(all[0].title, "Lanes are 32 bytes apart: 32 cache lines where 4 would do");
  EXPECT_EQ(all[0].cost, 2800);
  EXPECT_EQ(all[0].unit, "cache lines");
  EXPECT_DOUBLE_EQ(all[0].share, 0.875);
  EXPECT_EQ(all[0].source.line, 7u);
  EXPECT_TRUE(holds(all[0].text,
                    "`global_load_dword v1, v0, s[2:3]` at f+0x0 reads 4 bytes a lane: 100 requests touched 3,200 "
                    "cache lines, and the bytes that they asked for would fit in 400. 2,800 lines too many are 87.5 % "
                    "of the kernel's."))
      << all[0].text;
  EXPECT_TRUE(holds(all[0].advice, "4 of the 32 bytes of a structure")) << all[0].advice;
  EXPECT_TRUE(holds(all[0].advice, "(SoA)"));
  EXPECT_TRUE(holds(all[0].advice, "__shared__"));

  k = loading(800, views::Pattern::strided, 8);
  EXPECT_TRUE(holds(findings(k)[0].advice, "load all 8 bytes at once")) << k.k.findings[0].advice;
  k = loading(6400, views::Pattern::strided, 4096);
  EXPECT_TRUE(holds(findings(k)[0].advice, "column of rows of 4,096 bytes. Let threadIdx.x run"))
      << k.k.findings[0].advice;
  k = loading(5000, views::Pattern::random, 0);
  for (uint64_t lane = 0; lane < 64; ++lane)
    k.k.instructions[0].memory[0].worst.address[lane] = 0x7f0000001000 + lane * 2654435761 % 65536 * 4;
  EXPECT_EQ(findings(k)[0].title, "Lanes read all over memory: 50 cache lines where 4 would do");
  EXPECT_TRUE(holds(k.k.findings[0].advice, "Sort the indexes"));
}

// Four texels a lane, of which the first of each make a tile: it says nothing of how rows would do.
TEST(Findings, TexelsOfSamples) {
  made_up::Kernel k;
  auto& site = made_up::count_memory(k.add("image_sample_lz v4, v[6:7], s[4:11], s[12:15] dmask:0x1", 100), 100, 900,
                                     600, views::Pattern::random);
  site.counts.bytes_asked = 4 * 4 * site.counts.lanes;
  for (uint64_t lane = 0; lane < 64; ++lane)
    site.worst.address[lane] = 0x1000 + lane % 8 * 4 + lane / 8 * 256;
  const auto all = findings(k);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].title,
            "The texels that a wavefront samples lie in many cache lines: 9 cache lines where 6 would do");
  EXPECT_TRUE(holds(all[0].text, "reads texels of 4 bytes, 4 a lane: 100 requests touched 900 cache lines"))
      << all[0].text;
  EXPECT_TRUE(holds(all[0].advice, "neighbouring texels"));
}

// A wavefront of a block 16 wide: four rows of 16 lanes.
made_up::Kernel in_rows(uint64_t lines, uint64_t step, uint64_t pitch) {
  auto k = loading(lines, views::Pattern::random, 0);
  k.k.block[0] = 16, k.k.block[1] = 16, k.k.grid[0] = 256, k.k.grid[1] = 256;
  for (uint64_t lane = 0; lane < 64; ++lane)
    k.k.instructions[0].memory[0].worst.address[lane] = 0x1000 + lane % 16 * step + lane / 16 * pitch;
  return k;
}

TEST(Findings, RowsOfABlockThatDoNotDivideAWavefront) {
  // A block of 10x7: rows of 10 elements, 40 bytes long and 80 bytes apart; the last has 4 of the 64 lanes.
  auto k = loading(700, views::Pattern::random, 0);
  k.k.block[0] = 10, k.k.block[1] = 7;
  auto& address = k.k.instructions[0].memory[0].worst.address;
  for (uint64_t lane = 0; lane < 64; ++lane)
    address[lane] = 0x1000 + lane % 10 * 4 + lane / 10 * 80;
  k.k.grid[0] = 1000;
  EXPECT_EQ(findings(k)[0].title,
            "Rows of 10 lanes are 40 bytes long, less than whole lines: 7 cache lines where 4 would do");
  // Rows 0 to 6 begin at 0, 16, 32, 48, 0, 16, 32 behind a line. 256 bytes from there are 4 lines if they begin at one,
  // else 5: 33 for 7.
  EXPECT_EQ(k.k.findings[0].advice,
            "The block is 10 work-items wide, so that a wavefront is parts of several rows of it. In a block "
            "of 64 it is one row: about 4.7 cache lines rather than 7.");
  // A grid-stride of pairs is no run to speak of: 32 runs of 2.
  for (uint64_t lane = 0; lane < 64; ++lane)
    address[lane] = 0x1000 + lane % 2 * 4 + (lane / 2 * 7 % 32) * 200;
  EXPECT_EQ(findings(k)[0].title, "Lanes read all over memory: 7 cache lines where 4 would do");
}

TEST(Findings, RowsOfABlock) {
  // Rows of 300 bytes: 16 lanes of 4 bytes lie in two lines as a rule, and would fill one.
  auto k = in_rows(750, 4, 300);
  auto all = findings(k);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].kind, FindingKind::misaligned);
  EXPECT_EQ(all[0].title, "Rows of 300 bytes begin within a cache line: 7.5 cache lines where 4 would do");
  EXPECT_TRUE(holds(all[0].advice, "(300 -> 320), so that a row of 16 lanes is 1 whole line.")) << all[0].advice;
  // One address in each row.
  k = in_rows(800, 0, 256);
  all = findings(k);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].kind, FindingKind::coalescing);
  EXPECT_EQ(all[0].title, "Each 16 lanes read an address of their own: 8 cache lines where 4 would do");
  EXPECT_TRUE(holds(all[0].advice, "a wavefront is 4 rows of it. In a block of 64x4 it is one row.")) << all[0].advice;
  // Aligned rows that begin one element early: a stencil's neighbours.
  k = in_rows(800, 4, 1024);
  for (uint64_t& address : k.k.instructions[0].memory[0].worst.address)
    address -= 4;
  EXPECT_EQ(findings(k)[0].title, "Rows of 16 lanes begin within a cache line: 8 cache lines where 4 would do");
  EXPECT_EQ(k.k.findings[0].advice, "The block is 16 work-items wide, so that a wavefront is 4 rows of it. In a block "
                                    "of 64x4 it is one row: about 5 cache "
                                    "lines rather than 8. What reads its neighbours' elements can also copy them to "
                                    "__shared__ memory once, border included.");
  // A grid that is no wider has no rows of 64.
  k.k.grid[0] = 16;
  EXPECT_TRUE(holds(findings(k)[0].advice, "multiples of 64 bytes only")) << k.k.findings[0].advice;
  // Elements that overlap are no structures: three floats from each lane's own on.
  k = in_rows(1200, 4, 1024);
  k.k.instructions[0].memory[0].bytes = 12;
  EXPECT_FALSE(holds(findings(k)[0].advice, "structure")) << k.k.findings[0].advice;
  k = loading(600, views::Pattern::strided, 4, 12);
  EXPECT_FALSE(holds(findings(k)[0].advice, "structure")) << k.k.findings[0].advice;
  // Every other element of rows.
  k = in_rows(800, 8, 1000);
  EXPECT_EQ(findings(k)[0].title, "Lanes are 8 bytes apart, in rows of 16: 8 cache lines where 4 would do");
}

TEST(Findings, ABaseOffTheLine) {
  auto k = loading(500, views::Pattern::contiguous, 4);
  k.k.instructions[0].memory[0].alignment = 4;
  const auto all = findings(k);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].kind, FindingKind::misaligned);
  EXPECT_EQ(all[0].title, "Wavefronts begin within a cache line: 5 cache lines where 4 would do");
  EXPECT_TRUE(holds(all[0].advice, "multiples of 4 bytes only"));
}

TEST(Findings, AddressesOffTheirSize) {
  auto k = loading(400, views::Pattern::contiguous, 4);
  k.k.instructions[0].memory[0].counts.misaligned_lanes = 6400, k.k.instructions[0].memory[0].counts.split_lanes = 300;
  const auto all = findings(k);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].title, "Addresses are no multiples of 4 bytes");
  EXPECT_EQ(all[0].cost, 6400);
  EXPECT_EQ(all[0].share, 1);
  EXPECT_TRUE(holds(all[0].text, "300 lanes need two cache lines"));
}

TEST(Findings, L1Alone) {
  // No line too many, but no quad of lanes is in one block: 16 clocks instead of 4.
  auto k = loading(400, views::Pattern::block, 0);
  auto& c = k.k.instructions[0].memory[0].counts;
  c.clocks = 1600, c.l1_groups[static_cast<int>(views::L1Case::quads_one_block)] = 0;
  c.l1_groups[static_cast<int>(views::L1Case::separate_quads)] = 400;
  const auto all = findings(k);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].kind, FindingKind::coalescing);
  EXPECT_EQ(all[0].title, "L1 takes 16 clocks where 4 would do");
  EXPECT_EQ(all[0].cost, 1200);
  EXPECT_EQ(all[0].unit, "L1 clocks");
  EXPECT_TRUE(holds(all[0].text, "In 400 of 400 groups of 16 lanes")) << all[0].text;
}

TEST(Findings, Atomics) {
  auto k = loading(100, views::Pattern::broadcast, 0);
  auto& site = k.k.instructions[0].memory[0];
  site.kind = events::AccessKind::atomic;
  site.counts.ideal_lines = 100, site.counts.l2_operations = 6400, site.counts.address_collisions = 6300;
  auto all = findings(k);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].kind, FindingKind::atomic_collisions);
  EXPECT_EQ(all[0].title, "Atomics of a wavefront meet: 63 of 64 lanes queue behind another one of the same address");
  EXPECT_EQ(all[0].unit, "L2 operations");
  EXPECT_DOUBLE_EQ(all[0].share, 63.0 / 64);
  EXPECT_TRUE(holds(all[0].advice, "Reduce in the wavefront first")) << all[0].advice;
  // Four bins of a histogram.
  k.k.instructions[0].memory[0].counts.address_collisions = 6000;
  all = findings(k);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_TRUE(holds(all[0].advice, "Count in __shared__ memory first")) << all[0].advice;
}

TEST(Findings, BankConflicts) {
  made_up::Kernel k;
  k.line = 12;
  // A column of 32 x 32 floats: 32 lanes, 128 bytes apart, in one bank: 32 cycles for each half of the wave, ideally 1.
  auto& site = made_up::count_lds(k.add("ds_read_b32 v1, v0", 10), 10, 640, 20, 128);
  site.worst_bank = 3, site.worst_lane[1] = 1, site.worst_address[0] = 12, site.worst_address[1] = 140;
  auto all = findings(k);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].kind, FindingKind::bank_conflicts);
  EXPECT_EQ(all[0].title, "32-way bank conflicts: 64 LDS cycles where 2 would do");
  EXPECT_EQ(all[0].cost, 620);
  EXPECT_DOUBLE_EQ(all[0].share, 620.0 / 640);
  EXPECT_TRUE(holds(all[0].text,
                    "At worst 32 dwords of one group of lanes lie in bank 3, such as those of lanes 0 and 1 at 0xc and "
                    "0x8c."))
      << all[0].text;
  EXPECT_TRUE(holds(all[0].advice, "128 bytes (32 dwords) apart. A pitch of 33 dwords (32 -> 33) has no conflict."))
      << all[0].advice;

  // 16 bytes apart: every 4th bank.
  made_up::Kernel other;
  made_up::count_lds(other.add("ds_read_b32 v1, v0", 10), 10, 80, 20, 16);
  all = findings(other);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_TRUE(holds(all[0].advice, "(4 -> 5)"));
}

TEST(Findings, AtomicsInLds) {
  made_up::Kernel k;
  auto& site = made_up::count_lds(k.add("ds_add_u32 v0, v1", 10), 10, 640, 20, 0);
  site.kind = events::AccessKind::atomic, site.counts.same_address_atomics = 630;
  const auto all = findings(k, "assembly");
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].kind, FindingKind::atomic_collisions);
  EXPECT_EQ(all[0].unit, "LDS cycles");
  EXPECT_TRUE(holds(all[0].title, "63 of 64 lanes")) << all[0].title;
}

TEST(Findings, Occupancy) {
  made_up::Kernel k;
  k.k.vgprs = 84;
  k.k.occupancy = {
      3, 10, "vgprs", {{"waves", 10}, {"vgprs", 3}, {"sgprs", 8}}, "use 64 VGPRs or fewer (now 84) for 4 waves"};
  const auto all = findings(k);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].kind, FindingKind::occupancy);
  EXPECT_EQ(all[0].title, "3 of 10 wavefronts fit on a SIMD unit");
  EXPECT_TRUE(holds(all[0].text, "84 VGPRs allow no more. Other limits: sgprs 8.")) << all[0].text;
  EXPECT_EQ(all[0].advice, "Use 64 VGPRs or fewer (now 84) for 4 waves.");
  EXPECT_DOUBLE_EQ(all[0].share, 0.7);
  k.k.occupancy.waves_per_simd = 6;
  EXPECT_TRUE(findings(k).empty());
}

TEST(Findings, Scratch) {
  auto k = clean();
  k.k.scratch_bytes = 64;
  auto& site = made_up::count_memory(k.add("buffer_load_dword v1, off, s[0:3], 0 offset:16", 100), 100, 400, 400,
                                     views::Pattern::contiguous);
  site.space = events::Space::scratch;
  auto all = findings(k);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].kind, FindingKind::scratch);
  EXPECT_EQ(all[0].cost, 400);
  EXPECT_DOUBLE_EQ(all[0].share, 0.5);
  EXPECT_TRUE(holds(all[0].text, "A work-item has 64 bytes of it. 100 loads and 0 stores touched 400 cache lines"))
      << all[0].text;
  EXPECT_TRUE(holds(all[0].advice, "registers were spilled"));
  k.k.instructions.back().memory[0].pattern = views::Pattern::random;
  EXPECT_TRUE(holds(findings(k)[0].advice, "index a private array at run time")) << k.k.findings[0].advice;
}

TEST(Findings, WhatHasNoLineIsToldOfAtTheLineBefore) {
  made_up::Kernel k;
  k.line = 5;
  k.add("v_mov_b32_e32 v1, 0", 10);
  k.add("s_nop 0", 10).source.line = 0;
  made_up::count_branch(k.add("s_and_saveexec_b64 s[2:3], vcc", 100), {100, 0, 0, 6400, 3200});
  k.k.instructions[2].source.line = 0;
  k.add("v_add_f32_e32 v1, v2, v3", 100, 32);
  EXPECT_EQ(findings(k)[0].source.line, 5u);
}

TEST(Findings, WordsOfTheLanguage) {
  // A header's line, in a kernel of a HIP program in C++; OpenMP has no __shared__.
  made_up::Kernel k;
  k.line = 1, k.file = 1;
  made_up::count_memory(k.add("global_load_dword v1, v0, s[2:3]", 100), 100, 3200, 400, views::Pattern::strided, 32);
  k.file = 0;
  k.add("v_add_f32_e32 v1, v2, v3", 100);
  const std::vector<SourceFile> sources = {{"x.cpp", "c++", {}}, {"x.h", "c++", {}}};
  derive_findings(k.k, sources);
  EXPECT_TRUE(holds(k.k.findings[0].advice, "__shared__")) << k.k.findings[0].advice;
  k.k.name = "__omp_offloading_10302_1c_main_l7";
  derive_findings(k.k, sources);
  EXPECT_TRUE(holds(k.k.findings[0].advice, "to LDS and")) << k.k.findings[0].advice;
  derive_findings(k.k, {{"x.cl", "opencl", {}}, {"x.h", "c++", {}}});
  EXPECT_TRUE(holds(k.k.findings[0].advice, "__local")) << k.k.findings[0].advice;
}

TEST(Findings, OneForEachLineAndTheCostliestFirst) {
  made_up::Kernel k;
  k.line = 7;
  for (int i = 0; i < 3; ++i)
    made_up::count_memory(k.add("global_load_dword v1, v0, s[2:3]", 100), 100, 800, 400, views::Pattern::strided, 8);
  k.line = 8;
  made_up::count_memory(k.add("global_load_dword v1, v0, s[2:3]", 100), 100, 1200, 400, views::Pattern::strided, 12);
  const auto all = findings(k);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].source.line, 7u);
  EXPECT_EQ(all[0].cost, 1200);
  EXPECT_TRUE(all[0].text.ends_with(" With 2 more instructions of this line: 1,200 cache lines, 33.3 %."))
      << all[0].text;
  EXPECT_EQ(all[1].cost, 800);
  EXPECT_EQ(findings(k).size(), 2u) << "a second time changes nothing";
}

TEST(Findings, ManyInstructionsTakeNoTime) {
  made_up::Kernel k;
  for (int i = 0; i < 2000; ++i) {
    k.line = static_cast<uint32_t>(i + 1);
    made_up::count_branch(k.add("s_and_saveexec_b64 s[2:3], vcc", 100), {100, 0, 0, 6400, 3200});
    made_up::count_lds(k.add("ds_read_b32 v1, v0", 100, 32), 100, 3200, 100, 128);
    made_up::count_memory(k.add("global_load_dword v1, v0, s[2:3]", 100, 32), 100, 3200, 200, views::Pattern::random);
    k.add("v_add_f32_e32 v1, v2, v3", 100, 32);
    k.add("s_or_b64 exec, exec, s[2:3]", 100, 32);
  }
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_TRUE(findings(k).empty()); // each is one of 2000
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
}

TEST(Lines, Sums) {
  made_up::Kernel k;
  k.line = 9;
  auto& load = k.add("global_load_dword v1, v0, s[2:3]", 10);
  made_up::count_memory(load, 10, 80, 40, views::Pattern::strided, 8);
  made_up::count_memory(load, 10, 10, 10, views::Pattern::broadcast).space = events::Space::scalar;
  k.line = 3;
  made_up::count_branch(k.add("s_and_saveexec_b64 s[2:3], vcc", 10), {10, 4, 3, 640, 100});
  k.line = 9;
  made_up::count_lds(k.add("ds_read_b32 v1, v0", 10, 32), 10, 100, 20);
  k.line = 0;
  k.add("s_endpgm", 10);
  derive_lines(k.k);
  ASSERT_EQ(k.k.lines.size(), 2u);
  EXPECT_EQ(k.k.lines[0].source, (Place{0, 3, 0}));
  EXPECT_EQ(k.k.lines[0].branches, 10u);
  EXPECT_EQ(k.k.lines[0].divergences, 3u);
  const auto& line = k.k.lines[1];
  EXPECT_EQ(line.source, (Place{0, 9, 0}));
  EXPECT_EQ(line.instructions, (std::vector<int>{0, 2}));
  EXPECT_EQ(line.executions, 20u);
  EXPECT_EQ(line.lanes, 640u + 320u);
  EXPECT_EQ(line.lines, 80u);
  EXPECT_EQ(line.excess_lines, 40u);
  EXPECT_EQ(line.lds_cycles, 100u);
  EXPECT_EQ(line.conflict_cycles, 80u);
}

} // namespace
} // namespace crosslane::findings
