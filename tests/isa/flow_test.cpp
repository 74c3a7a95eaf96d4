// Where control goes from each operation: told by hand for those that have a say in it, and nothing for all others.
#include "isa/decode.h"
#include "isa/flow.h"
#include "isa/instances.h"
#include <gtest/gtest.h>
#include <map>
#include <string>

namespace crosslane::isa {
namespace {

struct Expected {
  FlowKind kind;
  Condition condition;
  bool falls_through, direct;
};

// Vega ISA manual, "Program flow control".
const std::map<std::string_view, Expected> expected = {
    {"s_branch", {FlowKind::branch, Condition::always, false, true}},
    {"s_cbranch_scc0", {FlowKind::branch, Condition::scc0, true, true}},
    {"s_cbranch_scc1", {FlowKind::branch, Condition::scc1, true, true}},
    {"s_cbranch_vccz", {FlowKind::branch, Condition::vccz, true, true}},
    {"s_cbranch_vccnz", {FlowKind::branch, Condition::vccnz, true, true}},
    {"s_cbranch_execz", {FlowKind::branch, Condition::execz, true, true}},
    {"s_cbranch_execnz", {FlowKind::branch, Condition::execnz, true, true}},
    {"s_cbranch_cdbgsys", {FlowKind::branch, Condition::debug_system, true, true}},
    {"s_cbranch_cdbguser", {FlowKind::branch, Condition::debug_user, true, true}},
    {"s_cbranch_cdbgsys_or_user", {FlowKind::branch, Condition::debug_either, true, true}},
    {"s_cbranch_cdbgsys_and_user", {FlowKind::branch, Condition::debug_both, true, true}},
    {"s_cbranch_i_fork", {FlowKind::fork, Condition::lanes, true, true}},
    {"s_cbranch_g_fork", {FlowKind::fork, Condition::lanes, true, false}},
    {"s_cbranch_join", {FlowKind::join, Condition::always, true, false}},
    {"s_call_b64", {FlowKind::call, Condition::always, true, true}},
    {"s_swappc_b64", {FlowKind::call, Condition::always, true, false}},
    {"s_setpc_b64", {FlowKind::jump, Condition::always, false, false}},
    {"s_trap", {FlowKind::trap, Condition::always, true, false}},
    {"s_rfe_b64", {FlowKind::trap_end, Condition::always, false, false}},
    {"s_rfe_restore_b64", {FlowKind::trap_end, Condition::always, false, false}},
    {"s_endpgm", {FlowKind::end, Condition::always, false, false}},
    {"s_endpgm_saved", {FlowKind::end, Condition::always, false, false}},
    {"s_endpgm_ordered_ps_done", {FlowKind::end, Condition::always, false, false}},
    {"s_sendmsghalt", {FlowKind::halt, Condition::always, false, false}},
};

TEST(Flow, OfEveryRow) {
  std::map<std::string_view, int> seen;
  for (const TargetInfo& t : targets())
    for (size_t o = 0; o < rows().size(); ++o)
      for (const Instruction& i : instances(Op(o), t.target)) {
        const std::string_view name = row(i.op).mnemonic;
        const auto known = expected.find(name);
        const Expected e = known == expected.end() ? Expected{FlowKind::next, Condition::always, true, false}
                                                   : (++seen[name], known->second);
        const Flow f = flow(i);
        EXPECT_EQ(f.kind, e.kind) << name;
        EXPECT_EQ(f.condition, e.condition) << name;
        EXPECT_EQ(f.falls_through, e.falls_through) << name;
        EXPECT_EQ(f.direct, e.direct) << name;
        EXPECT_EQ(f.ends_basic_block(), e.kind != FlowKind::next) << name;
        EXPECT_EQ(f.link != code::none, name == "s_call_b64" || name == "s_swappc_b64") << name;
      }
  EXPECT_EQ(seen.size(), expected.size()); // each name is a row that some target has
}

// The rows' own word: whatever they call a branch or an end is one, and nothing else but what stops a wave.
TEST(Flow, AgreesWithTheRows) {
  for (const TargetInfo& t : targets())
    for (size_t o = 0; o < rows().size(); ++o)
      for (const Instruction& i : instances(Op(o), t.target)) {
        const bool told = has(row(i.op).implicit, Implicit::branch | Implicit::ends);
        EXPECT_EQ(told || i.op == Op::s_sendmsghalt, flow(i).kind != FlowKind::next) << row(i.op).mnemonic;
      }
}

Instruction decoded(uint32_t word, Target t = Target::gfx900) {
  const uint8_t bytes[] = {uint8_t(word), uint8_t(word >> 8), uint8_t(word >> 16), uint8_t(word >> 24)};
  Instruction i;
  EXPECT_EQ(decode(t, bytes, i), 4);
  return i;
}

TEST(Flow, Targets) {
  EXPECT_EQ(flow(decoded(0xbf820005)).target(0x1000), 0x1018u);                      // s_branch 5
  EXPECT_EQ(flow(decoded(0xbf84ffff)).target(0x1000), 0x1000u);                      // s_cbranch_scc0 -1
  EXPECT_EQ(flow(decoded(0xbf828000)).target(0x100000), 0x100000u + 4 - 4 * 0x8000); // as far back as there is
  EXPECT_EQ(flow(decoded(0xba9e0002)).target(0), 12u);                               // s_call_b64 s[30:31], 2
  EXPECT_EQ(flow(decoded(0xba9e0002)).link, 30);                                     //
  EXPECT_EQ(flow(decoded(0xbe9e1e02)).address, 2);                                   // s_swappc s[30:31], s[2:3]
  EXPECT_EQ(flow(decoded(0xbe9e1e02)).link, 30);                                     //
  EXPECT_EQ(flow(decoded(0xbe801d1e)).address, 30);                                  // s_setpc_b64 s[30:31]
  EXPECT_EQ(flow(decoded(0x94800402)).address, 4);                                   // s_cbranch_g_fork s[2:3], s[4:5]
}

TEST(Flow, KillsTheWaveOrNot) {
  EXPECT_EQ(flow(decoded(0xbf8b0001)).kind, FlowKind::end);
  EXPECT_FALSE(flow(decoded(0xbf8b0001)).falls_through);
  EXPECT_EQ(flow(decoded(0xbf8b0000)).kind, FlowKind::next);
  EXPECT_TRUE(flow(decoded(0xbf8b0000)).falls_through);
}

} // namespace
} // namespace crosslane::isa
