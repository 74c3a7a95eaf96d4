// Issued events: the blocks of a run add up to the instructions that it executed, in order, with the right EXEC.
#include "events/several.h"
#include "isa/op.h"
#include "tests/engine/kernel_fixture.h"
#include <map>
#include <mutex>
#include <set>

namespace crosslane {
namespace {

using isa::Op;
using test::Kernel;

class Recorder : public events::Listener {
public:
  bool wants_issued() const override { return true; }
  void issued(const events::Issued& e) override {
    std::lock_guard lock(mutex_);
    ASSERT_FALSE(e.block->sites.empty());
    ids.insert(e.block->id);
    ++events;
    uint64_t next = 0;
    for (const events::Site& s : e.block->sites) {
      if (next)
        EXPECT_EQ(s.pc, next) << "a block is straight-line code";
      next = s.pc + s.instruction->size;
      ++instructions;
      ++of[s.pc];
      ++by_op[s.instruction->op];
      lanes[s.pc] += uint64_t(__builtin_popcountll(e.exec));
    }
  }
  std::map<uint64_t, uint64_t> of, lanes;
  std::map<Op, uint64_t> by_op;
  std::set<uint32_t> ids;
  uint64_t instructions = 0, events = 0;

private:
  std::mutex mutex_;
};

engine::Outcome run(const Kernel& kernel, const test::Shape& shape, events::Listener& listener,
                    const std::vector<uint64_t>& arguments = {}, unsigned threads = 1,
                    uint64_t preempt_after = 1u << 20) {
  engine::Options options;
  options.listener = &listener;
  options.threads = threads;
  options.preempt_after = preempt_after;
  return kernel.run(shape, arguments, options);
}

TEST(Issued, CountsByHand) {
  FOR_ALL_TARGETS(target) {
    const Kernel kernel(target, R"(
  s_mov_b32 s10, 5
  s_nop 0
loop:
  v_mov_b32_e32 v3, v0
  s_sub_u32 s10, s10, 1
  s_cmp_lg_u32 s10, 0
  s_cbranch_scc1 loop
  v_mov_b32_e32 v4, v0
  s_endpgm
)");
    for (const unsigned threads : {1u, 0u}) {
      Recorder r;
      const auto outcome = run(kernel, {{64 * 7, 1, 1}, {64, 1, 1}}, r, {}, threads);
      EXPECT_NO_FAULT(outcome);
      const auto at = [&](uint64_t offset) { return r.of[kernel.entry() + offset]; };
      EXPECT_EQ(at(0), 7u);
      EXPECT_EQ(at(4), 7u);
      for (const uint64_t in_loop : {8, 12, 16, 20})
        EXPECT_EQ(at(in_loop), 35u);
      EXPECT_EQ(at(24), 7u);
      EXPECT_EQ(at(28), 7u);
      EXPECT_EQ(r.instructions, outcome.stats.instructions);
      EXPECT_EQ(r.by_op[Op::v_mov_b32], 42u);
      // The whole until the first branch, the loop, the rest: one event each time.
      EXPECT_EQ(r.events, 7u * (1 + 4 + 1));
      EXPECT_EQ(r.ids.size(), 3u);
    }
  }
}

// EXEC is the same for all of a block: writing it ends one.
TEST(Issued, ExecHoldsForTheBlock) {
  FOR_ALL_TARGETS(target) {
    const Kernel kernel(target, R"(
  v_cmp_gt_u32_e32 vcc, 20, v0
  s_and_saveexec_b64 s[2:3], vcc
  v_mov_b32_e32 v1, 1
  s_mov_b64 exec, 1
  v_mov_b32_e32 v1, 2
  s_mov_b32 exec_lo, 7
  v_mov_b32_e32 v1, 3
  v_cmpx_eq_u32_e32 vcc, 0, v0
  v_mov_b32_e32 v1, 4
  s_mov_b64 exec, s[2:3]
  v_mov_b32_e32 v1, 5
  s_endpgm
)");
    Recorder r;
    EXPECT_NO_FAULT(run(kernel, {}, r));
    const auto lanes = [&](uint64_t index) { return r.lanes[kernel.entry() + 4 * index]; };
    EXPECT_EQ(lanes(0), 64u);
    EXPECT_EQ(lanes(2), 20u);
    EXPECT_EQ(lanes(4), 1u);
    EXPECT_EQ(lanes(6), 3u);
    EXPECT_EQ(lanes(8), 1u);
    EXPECT_EQ(lanes(10), 64u);
  }
}

// Code that is entered in the middle of a block that was decoded before: by a branch and by a computed jump.
TEST(Issued, JumpsIntoTheMiddleOfABlock) {
  FOR_ALL_TARGETS(target) {
    const Kernel kernel(target, R"(
  s_mov_b32 s10, 0
  s_mov_b32 s11, 0
start:
  s_add_u32 s11, s11, 1
middle:
  s_add_u32 s11, s11, 16
late:
  s_add_u32 s11, s11, 256
  s_add_u32 s10, s10, 1
  s_cmp_eq_u32 s10, 1
  s_cbranch_scc1 middle
  s_cmp_eq_u32 s10, 2
  s_cbranch_scc0 done
  s_getpc_b64 s[4:5]
from:
  s_sub_u32 s4, s4, from-late
  s_subb_u32 s5, s5, 0
  s_setpc_b64 s[4:5]
done:
  s_cmp_eq_u32 s11, 0x321
  s_cbranch_scc1 good
  s_trap 2
good:
  s_endpgm
)");
    Recorder r;
    const auto outcome = run(kernel, {}, r);
    EXPECT_NO_FAULT(outcome);
    EXPECT_EQ(r.instructions, outcome.stats.instructions);
    EXPECT_EQ(r.of[kernel.entry() + 8], 1u);
    EXPECT_EQ(r.of[kernel.entry() + 12], 2u);
    EXPECT_EQ(r.of[kernel.entry() + 16], 3u);
    EXPECT_EQ(r.by_op[Op::s_setpc_b64], 1u);
    EXPECT_EQ(kernel.run({}, {}).stats.instructions, outcome.stats.instructions);
  }
}

TEST(Issued, CallsBarriersAndPreemption) {
  FOR_ALL_TARGETS(target) {
    const Kernel kernel(target, R"(
  s_mov_b32 s10, 100
again:
  s_getpc_b64 s[4:5]
from:
  s_add_u32 s4, s4, function-from
  s_addc_u32 s5, s5, 0
  s_swappc_b64 s[6:7], s[4:5]
  s_barrier
  s_sleep 1
  s_sub_u32 s10, s10, 1
  s_cmp_lg_u32 s10, 0
  s_cbranch_scc1 again
  s_endpgm
function:
  v_mov_b32_e32 v1, v0
  s_setpc_b64 s[6:7]
)");
    Recorder r;
    const auto outcome = run(kernel, {{512, 1, 1}, {256, 1, 1}}, r, {}, 1, 10);
    EXPECT_NO_FAULT(outcome);
    EXPECT_EQ(r.instructions, outcome.stats.instructions);
    EXPECT_EQ(r.by_op[Op::s_barrier], 800u);
    EXPECT_EQ(r.by_op[Op::v_mov_b32], 800u);
  }
}

// The registers that s_set_gpr_idx_on renames stay renamed where a loop begins in the middle of a block.
TEST(Issued, RegisterIndexingCarriesOver) {
  const Kernel kernel(isa::Target::gfx900, R"(
  v_mov_b32_e32 v3, 0
  s_mov_b32 s10, 2
  s_mov_b32 s11, 1
  s_set_gpr_idx_on s11, 0x8
loop:
  v_mov_b32_e32 v2, s10
  s_sub_u32 s10, s10, 1
  s_cmp_lg_u32 s10, 0
  s_cbranch_scc1 loop
  s_set_gpr_idx_off
  v_readfirstlane_b32 s12, v3
  s_cmp_eq_u32 s12, 1
  s_cbranch_scc1 good
  s_trap 2
good:
  s_endpgm
)");
  Recorder r;
  const auto outcome = run(kernel, {}, r);
  EXPECT_NO_FAULT(outcome);
  EXPECT_EQ(r.instructions, outcome.stats.instructions);
}

// What does not execute is not issued; what came before it is.
TEST(Issued, StopsBeforeFaults) {
  FOR_ALL_TARGETS(target) {
    for (const char* bad : {"exp mrt0 v0, v0, v0, v0", ".long 0xffffffff"}) {
      const Kernel kernel(target, std::string("s_nop 0\ns_branch next\nnext:\n") + bad + "\ns_endpgm");
      Recorder r;
      EXPECT_TRUE(run(kernel, {}, r).fault);
      EXPECT_EQ(r.instructions, 2u);
    }
  }
}

class Branches : public events::Listener {
public:
  bool wants_branches() const override { return true; }
  void branch(const events::Branch&) override { ++events; }
  uint64_t events = 0;
};

TEST(Issued, SeveralListenersEachHearWhatTheyWant) {
  const Kernel kernel(isa::Target::gfx900, "s_cbranch_scc0 done\ndone:\ns_endpgm");
  Recorder issued;
  Branches branches;
  events::Several both;
  EXPECT_TRUE(both.empty());
  both.add(issued);
  EXPECT_FALSE(both.wants_branches());
  both.add(branches);
  EXPECT_TRUE(both.wants_branches() && both.wants_issued());
  EXPECT_NO_FAULT(run(kernel, {}, both));
  EXPECT_EQ(issued.instructions, 2u);
  EXPECT_EQ(branches.events, 1u);
}

} // namespace
} // namespace crosslane
