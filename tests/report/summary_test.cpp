// The terminal summary.
#include "findings/derive.h"
#include "findings/text.h"
#include "report/summary.h"
#include "tests/findings/made_up.h"

namespace crosslane::report {

using namespace findings;
namespace {

Profile profile() {
  made_up::Kernel k("_Z9transposePfPKfi");
  k.k.launches = 2, k.k.workgroups = 32, k.k.waves = 128, k.k.seconds = 0.0123;
  k.k.grid[0] = 64, k.k.grid[1] = 64, k.k.block[0] = 16, k.k.block[1] = 16;
  k.line = 3;
  made_up::count_branch(k.add("s_and_saveexec_b64 s[0:1], vcc", 128), {128, 120, 0, 8192, 8000});
  k.line = 4;
  made_up::count_memory(k.add("global_load_dword v1, v0, s[2:3]", 128, 60), 128, 512, 512, views::Pattern::contiguous);
  made_up::count_memory(k.add("global_store_dword v2, v1, s[4:5]", 128, 60), 128, 8192, 512, views::Pattern::strided,
                        256);
  k.line = 5;
  k.add("v_add_f32_e32 v1, v2, v3", 128, 60);
  derive_lines(k.k);
  k.k.findings = {{FindingKind::coalescing,
                   "Lanes are 256 bytes apart: 64 cache lines where 4 would do",
                   "128 requests touch 8,192 lines.",
                   "Stage a tile in LDS.",
                   2,
                   {0, 4, 3},
                   7680,
                   "cache lines",
                   0.88}};
  k.k.mix = {
      {InstructionClass::flat, 256, 15360}, {InstructionClass::valu, 128, 7680}, {InstructionClass::salu, 128, {}}};
  k.k.counters = {{"SQ_WAVES", 128.0, "waves", "", ""}, {"GRBM_COUNT", {}, "clocks", "", "no cycles"}};
  Profile p;
  p.command = "crosslane launch transpose.hip",
  p.views = {.branches = true, .divergence = true, .memory = true, .lds = true};
  p.sources = {{"/src/transpose.hip", "hip", "//\n//\n  if (i < n)\n\tout[x * n + y] = in[y * n + x];\nsum += 1;\n"}};
  p.kernels = {k.k};
  return p;
}

std::string golden(By by) {
  // The table is the only part that `by` moves.
  const std::string table =
      by == By::line ? R"(  heat    executed  lanes  lost  lines  ideal  excess  line             source
  ######       256   60.0     -   8704   1024    7680  transpose.hip:4  out[x * n + y] = in[y * n + x];
  ##....       128   64.0     -      -      -       -  transpose.hip:3  if (i < n)
  ##....       128   60.0   512      -      -       -  transpose.hip:5  sum += 1;
)"
      : by == By::instruction
          ? R"(  heat    executed  lanes  lost  lines  ideal  excess  place           instruction                        line
  ######       128   60.0     -   8192    512    7680  transpose+0xc   global_store_dword v2, v1, s[4:5]  transpose.hip:4
  ##....       128   64.0     -      -      -       -  transpose+0x0   s_and_saveexec_b64 s[0:1], vcc     transpose.hip:3
  ##....       128   60.0     -    512    512       -  transpose+0x4   global_load_dword v1, v0, s[2:3]   transpose.hip:4
  ##....       128   60.0   512      -      -       -  transpose+0x14  v_add_f32_e32 v1, v2, v3           transpose.hip:5
)"
          : R"(  heat    executed  lanes  lost  lines  ideal  excess  launches  kernel
  ######       512   61.0   512   8704   1024    7680  2         transpose
)";
  const std::string legend =
      "  executed: wave-instructions; lanes: mean of active ones; lost: lane-cycles; lines: cache lines\n";
  return R"(profile of crosslane launch transpose.hip

findings
   1   88 %  Lanes are 256 bytes apart: 64 cache lines where 4 would do
             transpose.hip:4  |  out[x * n + y] = in[y * n + x];
             128 requests touch 8,192 lines.
             -> Stage a tile in LDS.

)" + (by == By::kernel ? table + legend + "\n" : "") +
         R"(transpose(float*, float const*, int) (vega10, gfx900)
  ran        2 launches of 64x64 work-items in blocks of 16x16: 32 workgroups, 128 wavefronts,
             512 wave-instructions, 12.3 ms
  resources  8 VGPRs, 16 SGPRs, LDS 0 bytes, scratch 0 bytes; occupancy 10 of 10 waves
  mix        flat 50.0 %, valu 25.0 %, salu 25.0 %
  lanes      93.8 % active in vector instructions; of the lane-cycles of the vector ALU 6.2 % lost to
             divergence, 0.0 % to partial wavefronts
  branches   128 executions where lanes decide for themselves, 8 divergences (6.2 %)
  memory     256 requests of 8,704 cache lines, where 1,024 would do (88.2 % excess); 65536 bytes asked for,
             557k moved; L1 1,024 clocks, ideal 1,024
  counters   SQ_WAVES  128
)" + (by == By::kernel ? "" : table + legend) +
         R"(branches of transpose(float*, float const*, int) (gfx900)
  executions agree diverge diverge % lanes cond. lanes  place          instruction                     source
         128   120       8       6.2  64.0        62.5  transpose+0x0  s_and_saveexec_b64 s[0:1], vcc  transpose.hip:3:3
  where lanes decide for themselves: 128 executions, 8 divergences (6.2 %)

counters that are not modelled, since they take a simulation of cycles or caches (--json says why)
  GRBM_COUNT
)";
}

TEST(Summary, ByLineInstructionAndKernel) {
  for (const By by : {By::line, By::instruction, By::kernel})
    EXPECT_EQ(summary(profile(), by, 110), golden(by));
}

TEST(Summary, WithoutALineTableItSaysHowToGetOne) {
  Profile p = profile();
  const char* const advice = "compile it with -g";
  EXPECT_EQ(summary(p, By::line, 110).find(advice), std::string::npos);
  p.kernels[0].lines.clear();
  EXPECT_NE(summary(p, By::line, 110).find(advice), std::string::npos);
  EXPECT_EQ(summary(p, By::instruction, 110).find(advice), std::string::npos);
}

TEST(Summary, LinesFitTheWidth) {
  for (const unsigned width : {100u, 120u}) {
    std::string text = summary(profile(), By::line, width);
    text.resize(text.find("branches of")); // as wide as it is
    for (size_t at = 0; at < text.size(); at = text.find('\n', at) + 1)
      EXPECT_LE(text.find('\n', at) - at, width) << text.substr(at, text.find('\n', at) - at);
  }
}

TEST(Summary, NotesSayHowFarTheNumbersGo) {
  Profile p = profile();
  p.interrupted = "Ctrl-C", p.selection = {"trans.*", "0..3", 0.01, 7}, p.overhead = Overhead{0.0125, 0.05};
  p.kernels[0].sampled = Sampled{12, 1200, 0.031};
  p.kernels[0].findings.clear();
  const std::string text = summary(p, By::line, 110);
  EXPECT_NE(text.find("  not complete (Ctrl-C): this is what was seen before\n"), std::string::npos) << text;
  EXPECT_NE(text.find("  only kernels that match trans.*\n  only launches 0..3 of each kernel\n"), std::string::npos);
  EXPECT_NE(text.find("  sampled 1 % of the workgroups (seed 7)\n"), std::string::npos);
  EXPECT_NE(text.find("  profiling took 4.0 times as long as the same launch without: 50 ms instead of 12.5 ms\n"),
            std::string::npos);
  EXPECT_NE(text.find("  sampled    12 of 1,200 workgroups: what follows is theirs; all did about 100 times as much "
                      "(standard error\n             3.1 %)\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("findings: nothing costs more than 5 %"), std::string::npos);
}

// Of the processor time without hooks: 1 - 0.615 is 1 / 2.6, 1 - 0.95 is 1 / 20.
TEST(Summary, WhatProfilingCostByEstimate) {
  Profile p = profile();
  const auto note = [&](double hook_seconds) {
    p.overhead_estimate = OverheadEstimate{2, hook_seconds};
    const std::string text = summary(p, By::line, 130);
    const size_t begin = text.find("  profiling took");
    return begin == std::string::npos ? "" : text.substr(begin, text.find('\n', begin) - begin);
  };
  EXPECT_EQ(
      note(1.23),
      "  profiling took about 62 % of the processor time of these launches: 2.6 times as much as without (estimated)");
  EXPECT_EQ(
      note(1.9),
      "  profiling took about 95 % of the processor time of these launches: 20 times as much as without (estimated)");
  EXPECT_EQ(note(0.001), "  profiling took less than 1 % of the processor time of these launches (estimated)");
  p.overhead_estimate = OverheadEstimate{0.009, 0.008};
  EXPECT_NE(summary(p, By::line, 130)
                .find("  these launches took 9 ms of processor time: too little to estimate what profiling cost\n"),
            std::string::npos);
  p.overhead = Overhead{0.0125, 0.05}; // rather what was measured
  EXPECT_EQ(note(1.9), "  profiling took 4.0 times as long as the same launch without: 50 ms instead of 12.5 ms");
}

TEST(Summary, AFaultIsSeveralLines) {
  Profile p = profile();
  p.interrupted = "memory fault: unmapped address 0x10\n  at 0x20: s_nop 0\n  kernel f";
  EXPECT_NE(summary(p, By::line, 110)
                .find("  not complete, this is what was seen before: memory fault: unmapped address 0x10\n"
                      "    at 0x20: s_nop 0\n    kernel f\n"),
            std::string::npos);
}

TEST(Summary, NothingToDivideByIsModelled) {
  Profile p = profile();
  const Counter idle{"A", {}, "", "", "nothing to divide by"},
      timed{"B", {}, "", "", "takes time, which is not modelled"};
  p.kernels[0].counters = {idle, timed};
  const std::string text = summary(p, By::line, 110);
  EXPECT_NE(text.find("(--json says why)\n  B\n"), std::string::npos) << text;
}

TEST(Summary, SecondsAndMilliseconds) {
  Profile p = profile();
  const std::pair<double, const char*> cases[] = {{0.9994, "999 ms"}, {1.62, "1.62 s"}, {12.34, "12.3 s"}};
  for (const auto& [seconds, text] : cases) {
    p.kernels[0].seconds = seconds;
    EXPECT_NE(summary(p, By::line, 110).find(text), std::string::npos) << text;
  }
}

TEST(Summary, BranchesAlone) {
  Profile p = profile();
  p.views = {.branches = true};
  const std::string all = golden(By::line);
  const size_t begin = all.find("branches of"), end = all.find("\ncounters that");
  EXPECT_EQ(summary(p, By::line, 110),
            "profile of crosslane launch transpose.hip\n\n" + all.substr(begin, end - begin));
}

TEST(Summary, ATraceAlone) {
  Profile p = profile();
  p.views = {};
  p.trace.emplace().wave.steps.resize(3);
  p.trace->wave.workgroup[1] = 2;
  p.trace->launch = 4;
  EXPECT_EQ(
      summary(p, By::line, 110),
      "profile of crosslane launch transpose.hip\n"
      "  recorded 3 steps of wave 0 of workgroup 0,2,0 of launch 4 of transpose, which did more: --html steps through\n"
      "  it\n");
  p.trace.reset();
  p.untraced = "wave 0 of workgroup 9 was not traced: the only launch has 8 workgroups, 0 to 7";
  EXPECT_EQ(summary(p, By::line, 110),
            "profile of crosslane launch transpose.hip\n"
            "  wave 0 of workgroup 9 was not traced: the only launch has 8 workgroups, 0 to 7\n");
}

TEST(Summary, LongTablesSayWhereTheRestIs) {
  made_up::Kernel k;
  for (int i = 0; i < 25; ++i)
    k.add("v_add_f32_e32 v1, v2, v3", 100 - static_cast<uint64_t>(i));
  Profile p;
  p.views.divergence = true;
  p.kernels = {k.k};
  const std::string text = summary(p, By::line, 110); // without line tables instructions are what there is
  EXPECT_NE(text.find("f+0x4c "), std::string::npos) << text;
  EXPECT_EQ(text.find("f+0x50 "), std::string::npos);
  EXPECT_NE(text.find("  5 more instructions: --json or --html has them all\n"), std::string::npos);
  p.kernels.resize(10, k.k);
  EXPECT_NE(summary(p, By::line, 110).find("\n2 more kernels: --by kernel lists them, --json or --html has them all\n"),
            std::string::npos);
  p.kernels.clear();
  EXPECT_EQ(summary(p, By::line, 110), "profile\n  no kernel was launched that this profile is about\n");
}

TEST(Text, NumbersForColumns) {
  EXPECT_EQ(brief(0), "0");
  EXPECT_EQ(brief(99999), "99999");
  EXPECT_EQ(brief(99999.6), "100k");
  EXPECT_EQ(brief(123456), "123k");
  EXPECT_EQ(brief(999499), "999k");
  EXPECT_EQ(brief(999500), "1.00M");
  EXPECT_EQ(brief(12345678), "12.3M");
  EXPECT_EQ(brief(9.87e12), "9.87T");
  EXPECT_EQ(thousands(0), "0");
  EXPECT_EQ(thousands(999), "999");
  EXPECT_EQ(thousands(1000), "1,000");
  EXPECT_EQ(thousands(1234567), "1,234,567");
}

TEST(Text, CutsBetweenCharacters) {
  EXPECT_EQ(cut("abcdef", 6), "abcdef");
  EXPECT_EQ(cut("abcdefg", 6), "abc...");
  EXPECT_EQ(cut("\u00e4\u00f6\u00fc\u00e4\u00f6", 5), "\u00e4\u00f6\u00fc\u00e4\u00f6");
  EXPECT_EQ(cut("\u00e4\u00f6\u00fc\u00e4\u00f6x", 5), "\u00e4\u00f6...");
  EXPECT_EQ(source_line("a\n\t b\tc \r\nd", 2), "b c");
  EXPECT_EQ(source_line("a", 2), "");
}

TEST(Text, ColumnsOfNumbers) {
  EXPECT_EQ(aligned({{"a", "b"}, {"100", "some text that is too long"}}, "rl", 25, "  "),
            "    a  b\n  100  some text that ...\n");
}

TEST(Text, Wraps) {
  EXPECT_EQ(wrapped("one two three four five 12\x1fms", 28, "> "), "> one two three four five\n> 12 ms\n");
  EXPECT_EQ(wrapped("one two three four five six", 30, "> "), "> one two three four five six\n");
  EXPECT_EQ(wrapped("one two three four five six seven", 30, "> "), "> one two three four five six\n> seven\n");
  EXPECT_EQ(wrapped("one two three four five (12 %), 6", 28, "> "), "> one two three four five\n> (12 %), 6\n");
  EXPECT_EQ(wrapped("", 30, "> "), "");
}

} // namespace
} // namespace crosslane::report
