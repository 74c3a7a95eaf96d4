// Branch events: every conditional branch and saveexec of a run, with the lanes that arrive and those whose condition holds.
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
    for (const uint64_t bound : {uint64_t(0), uint64_t(64)}) {  // none below, all below
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
  EXPECT_EQ(recorder.of.size(), 2u);  // unconditional branches are none
  // The listener changes nothing about the run.
  const auto plain = kernel.run({{64, 1, 1}, {64, 1, 1}}, {});
  EXPECT_EQ(plain.stats.instructions, outcome.stats.instructions);
  EXPECT_EQ(plain.stats.instructions, 1u + 15 + 2 + 63 * 5 + 3 + 2);
}

}  // namespace
}  // namespace crosslane
