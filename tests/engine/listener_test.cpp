// Branch events: every divergence and decision site of a run, with the lanes that arrive and those whose condition
// holds.
#include "events/listener.h"
#include "tests/engine/kernel_fixture.h"
#include <map>
#include <mutex>

namespace crosslane {
namespace {

using test::Kernel;

struct Counts {
  uint64_t executions = 0, agreements = 0, divergences = 0, lanes = 0, taken = 0;
};

// An agreement is a branch that all arriving lanes take, or none.
class Recorder : public events::Listener {
public:
  bool wants_branches() const override { return true; }
  void branch(const events::Branch& b) override {
    std::lock_guard lock(mutex_);
    Counts& c = of[b.site.pc];
    ++c.executions;
    ++(b.condition == 0 || b.condition == b.exec ? c.agreements : c.divergences);
    c.lanes += uint64_t(__builtin_popcountll(b.exec));
    c.taken += uint64_t(__builtin_popcountll(b.condition));
    EXPECT_EQ(b.condition & ~b.exec, 0u);
    EXPECT_NE(b.site.instruction, nullptr);
  }
  std::map<uint64_t, Counts> of;

private:
  std::mutex mutex_;
};

// if (threadIdx.x < bound) B; else C; as every compiler writes it. Argument: bound.
const char* const if_else = R"(
  s_load_dword s6, s[0:1], 0x0
  s_waitcnt lgkmcnt(0)
  v_cmp_gt_i32_e32 vcc, s6, v0
  s_and_saveexec_b64 s[2:3], vcc
  s_xor_b64 s[2:3], exec, s[2:3]
  s_cbranch_execz else
  v_mov_b32_e32 v1, 1
else:
  s_or_saveexec_b64 s[2:3], s[2:3]
  s_xor_b64 exec, exec, s[2:3]
  s_cbranch_execz done
  v_mov_b32_e32 v1, 2
done:
  s_or_b64 exec, exec, s[2:3]
  s_endpgm
)";
constexpr uint64_t load_bytes = 8;
constexpr uint64_t at_and_saveexec = load_bytes + 4 + 4, at_execz = at_and_saveexec + 8, at_or_saveexec = at_execz + 8,
                   at_else_execz = at_or_saveexec + 8;

TEST(Listener, DivergesWhenLanesDisagree) {
  FOR_ALL_TARGETS(target) {
    const Kernel kernel(target, if_else);
    for (const unsigned threads : {1u, 0u}) {
      Recorder recorder;
      engine::Options options;
      options.listener = &recorder;
      options.threads = threads;
      const uint32_t groups = 50;
      EXPECT_NO_FAULT(kernel.run({{64 * groups, 1, 1}, {64, 1, 1}}, {32}, options));
      const Counts& c = recorder.of[kernel.entry() + at_and_saveexec];
      EXPECT_EQ(c.executions, groups);
      EXPECT_EQ(c.divergences, groups);
      EXPECT_EQ(c.lanes, 64u * groups);
      EXPECT_EQ(c.taken, 32u * groups);
      const Counts& e = recorder.of[kernel.entry() + at_execz];
      EXPECT_EQ(e.executions, groups);
      EXPECT_EQ(e.divergences, 0u);
      EXPECT_EQ(recorder.of[kernel.entry() + at_or_saveexec].executions, groups);
      EXPECT_EQ(recorder.of[kernel.entry() + at_else_execz].executions, groups);
      EXPECT_EQ(recorder.of.size(), 4u);
    }
  }
}

TEST(Listener, AgreesWhenNoLaneGoes) {
  FOR_ALL_TARGETS(target) {
    const Kernel kernel(target, if_else);
    for (const uint64_t bound : {uint64_t(0), uint64_t(64)}) { // none below, all below
      Recorder recorder;
      engine::Options options;
      options.listener = &recorder;
      EXPECT_NO_FAULT(kernel.run({{640, 1, 1}, {64, 1, 1}}, {bound}, options));
      const Counts& c = recorder.of[kernel.entry() + at_and_saveexec];
      EXPECT_EQ(c.executions, 10u);
      EXPECT_EQ(c.agreements, 10u);
      EXPECT_EQ(c.divergences, 0u);
      EXPECT_EQ(c.taken, bound * 10);
    }
    // Two waves a workgroup, bound 96: the first agrees, the second diverges.
    Recorder recorder;
    engine::Options options;
    options.listener = &recorder;
    EXPECT_NO_FAULT(kernel.run({{1280, 1, 1}, {128, 1, 1}}, {96}, options));
    EXPECT_EQ(recorder.of[kernel.entry() + at_and_saveexec].agreements, 10u);
    EXPECT_EQ(recorder.of[kernel.entry() + at_and_saveexec].divergences, 10u);
  }
}

// A loop that lane i runs i + 1 times, and a scalar one: executions counted by hand.
TEST(Listener, CountsLoops) {
  const Kernel kernel(isa::Target::gfx900, R"(
  s_mov_b32 s10, 5
scalar:
  s_sub_u32 s10, s10, 1
  s_cmp_lg_u32 s10, 0
  s_cbranch_scc1 scalar
  s_mov_b64 s[12:13], exec
  v_mov_b32_e32 v3, v0
vector:
  v_cmp_lt_i32_e32 vcc, 0, v3
  v_subrev_u32_e32 v3, 1, v3
  s_cbranch_vccz out
  s_and_b64 exec, exec, vcc
  s_branch vector
out:
  s_mov_b64 exec, s[12:13]
  s_endpgm
)");
  Recorder recorder;
  engine::Options options;
  options.listener = &recorder;
  const auto outcome = kernel.run({{64, 1, 1}, {64, 1, 1}}, {}, options);
  EXPECT_NO_FAULT(outcome);
  const Counts& scalar = recorder.of[kernel.entry() + 12];
  EXPECT_EQ(scalar.executions, 5u);
  EXPECT_EQ(scalar.taken, 4 * 64u);
  // Arrivals 64, 63, ... 1 of which 63, 62, ... 0 go on; the last one agrees on leaving.
  const Counts& vector = recorder.of[kernel.entry() + 12 + 4 + 4 + 4 + 8];
  EXPECT_EQ(vector.executions, 64u);
  EXPECT_EQ(vector.divergences, 63u);
  EXPECT_EQ(vector.lanes, 64u * 65 / 2);
  // The same condition once more, where it narrows EXEC: but in the last round, which leaves before.
  const Counts& narrowing = recorder.of[kernel.entry() + 12 + 4 + 4 + 4 + 8 + 4];
  EXPECT_EQ(narrowing.executions, 63u);
  EXPECT_EQ(narrowing.divergences, 63u);
  EXPECT_EQ(narrowing.taken, 63u * 64 / 2);
  // Behind a jump nobody knows that the mask is an old one; all lanes that it names go on.
  const Counts& restored = recorder.of[kernel.entry() + 12 + 4 + 4 + 4 + 8 + 4 + 4 + 4];
  EXPECT_EQ(restored.executions, 1u);
  EXPECT_EQ(restored.agreements, 1u);
  EXPECT_EQ(restored.taken, 64u);
  EXPECT_EQ(recorder.of.size(), 4u); // unconditional branches are none
  // The listener changes nothing about the run.
  const auto plain = kernel.run({{64, 1, 1}, {64, 1, 1}}, {});
  EXPECT_EQ(plain.stats.instructions, outcome.stats.instructions);
  EXPECT_EQ(plain.stats.instructions, 1u + 15 + 2 + 63 * 5 + 3 + 2);
}

// Lane i leaves a loop behind round i + 1, each way that compilers and people write it: in 63 of 64 rounds one lane
// goes and others stay, in the last one the last goes.
TEST(Listener, CountsLanesThatLeaveALoop) {
  const char* const head = R"(
  s_mov_b64 s[2:3], exec
  s_mov_b64 s[4:5], 0
  v_mov_b32_e32 v1, 0
loop:
  v_mov_b32_e32 v2, v1
  v_add_co_u32_e32 v1, vcc, 1, v1
)";
  const struct {
    const char* way;
    const char* code;
    const char* site;
  } loops[] = {
      {"s_andn2", "v_cmp_ge_u32_e32 vcc, v2, v0\n s_or_b64 s[4:5], vcc, s[4:5]\n", "s_andn2_b64 exec, exec, s[4:5]\n"},
      {"s_and", "v_cmp_lt_u32_e32 vcc, v2, v0\n", "s_and_b64 exec, exec, vcc\n"},
      {"s_and_b32", "v_cmp_lt_u32_e32 vcc, v2, v0\n s_and_b32 exec_hi, exec_hi, vcc_hi\n",
       "s_and_b32 exec_lo, exec_lo, vcc_lo\n"},
      {"v_cmpx", "", "v_cmpx_lt_u32_e32 vcc, v2, v0\n"},
      {"v_cmpx_e64", "", "v_cmpx_lt_u32_e64 s[6:7], v2, v0\n"},
      {"v_cmpx_sdwa", "", "v_cmpx_lt_u32_sdwa vcc, v2, v0 src0_sel:DWORD src1_sel:WORD_0\n"},
      {"s_mov", "v_cmp_lt_u32_e64 s[6:7], v2, v0\n s_and_b64 s[6:7], s[6:7], exec\n", "s_mov_b64 exec, s[6:7]\n"},
      {"saveexec", "v_cmp_lt_u32_e32 vcc, v2, v0\n", "s_and_saveexec_b64 s[6:7], vcc\n"},
      {"wrexec", "v_cmp_ge_u32_e64 s[6:7], v2, v0\n", "s_andn1_wrexec_b64 s[8:9], s[6:7]\n"},
  };
  for (const auto& loop : loops) {
    SCOPED_TRACE(loop.way);
    const Kernel kernel(isa::Target::gfx900, std::string(head) + loop.code + "site:\n" + loop.site +
                                                 "s_cbranch_execnz loop\n s_or_b64 exec, exec, s[2:3]\n s_endpgm\n");
    Recorder recorder;
    engine::Options options;
    options.listener = &recorder;
    const auto outcome = kernel.run({{128, 1, 1}, {64, 1, 1}}, {}, options);
    EXPECT_NO_FAULT(outcome);
    // Two wavefronts; s_and_b32 has a site for each half of EXEC, which lose a lane each in turn, and arrive at 0
    // apart.
    uint64_t divergences = 0, executions = 0, lost = 0;
    for (const auto& [pc, c] : recorder.of) {
      if (pc == recorder.of.rbegin()->first)
        continue; // s_cbranch_execnz
      divergences += c.divergences, executions = c.executions, lost += c.lanes - c.taken;
    }
    EXPECT_EQ(divergences, 2 * 63u);
    EXPECT_EQ(executions, 2 * 64u);
    EXPECT_EQ(lost, 2 * 64u);
    const Counts& branch = recorder.of.rbegin()->second;
    EXPECT_EQ(branch.executions, 2 * 64u);
    EXPECT_EQ(branch.divergences, 0u);
    EXPECT_EQ(recorder.of.size(), std::string_view(loop.way) == "s_and_b32" ? 3u : 2u);
    EXPECT_EQ(kernel.run({{128, 1, 1}, {64, 1, 1}}, {}).stats.instructions, outcome.stats.instructions);
  }
}

// Vector instructions that VSKIP passes over take nobody away.
TEST(Listener, SkippedComparisonsAreNoExecutions) {
  const Kernel kernel(isa::Target::gfx900, R"(
  s_setvskip 1, 0
  v_cmpx_lt_u32_e32 vcc, 32, v0
  s_setvskip 0, 0
  v_cmpx_lt_u32_e32 vcc, 47, v0
  s_endpgm
)");
  Recorder recorder;
  engine::Options options;
  options.listener = &recorder;
  EXPECT_NO_FAULT(kernel.run({}, {}, options));
  ASSERT_EQ(recorder.of.size(), 1u);
  EXPECT_EQ(recorder.of.begin()->first, kernel.entry() + 12);
  EXPECT_EQ(recorder.of.begin()->second.lanes, 64u);
  EXPECT_EQ(recorder.of.begin()->second.taken, 16u);
}

} // namespace
} // namespace crosslane
