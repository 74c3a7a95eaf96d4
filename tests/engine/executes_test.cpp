// What executes, and the list of what does not: every form of every row on every target is one or the other.
#include "engine/executes.h"
#include "isa/instances.h"
#include <gtest/gtest.h>
#include <set>
#include <string>

namespace crosslane {
namespace {

template <class F> void for_every_form(F f) {
  for (size_t t = 0; t < size_t(isa::Target::count); ++t)
    for (size_t o = 0; o < isa::rows().size(); ++o)
      for (const isa::Instruction& inst : isa::instances(isa::Op(o), isa::Target(t)))
        f(inst);
}
std::string name(const isa::Instruction& inst) {
  return std::string(isa::row(inst.op).mnemonic) + " (" + std::string(isa::form_name(inst)) + ") of " +
         std::string(isa::info(inst.target).name);
}

TEST(Executes, WhatDoesNotIsListedWithAReason) {
  for_every_form([](const isa::Instruction& inst) {
    if (!engine::executes(inst))
      EXPECT_NE(engine::why_not_executed(inst), "") << name(inst) << " does not execute";
  });
}

TEST(Executes, NothingListedDoes) {
  for_every_form([](const isa::Instruction& inst) {
    if (engine::executes(inst))
      EXPECT_EQ(engine::why_not_executed(inst), "")
          << name(inst) << " executes: narrow its line in engine/decode/not_executed.inc";
  });
}

TEST(Executes, EveryLineOfTheListIsNeeded) {
  std::set<const engine::NotExecuted*> needed;
  for_every_form([&](const isa::Instruction& inst) {
    for (const auto& line : engine::not_executed())
      if (line.names(inst)) {
        needed.insert(&line);
        break;
      }
  });
  for (const auto& line : engine::not_executed())
    EXPECT_TRUE(needed.contains(&line)) << line.operations << ", " << line.reason;
}

// Not a tautology: these are known without asking the engine.
TEST(Executes, KnownCases) {
  const auto first = [](isa::Op op, isa::Target t) { return isa::instances(op, t).at(0); };
  EXPECT_TRUE(engine::executes(first(isa::Op::v_add_f32, isa::Target::gfx900)));
  EXPECT_TRUE(engine::executes(first(isa::Op::s_endpgm, isa::Target::gfx803)));
  EXPECT_TRUE(engine::executes(first(isa::Op::ds_read_b32, isa::Target::gfx906)));
  EXPECT_FALSE(engine::executes(first(isa::Op::exp, isa::Target::gfx900)));
  EXPECT_TRUE(engine::executes(first(isa::Op::image_sample, isa::Target::gfx900)));
  EXPECT_FALSE(engine::executes(first(isa::Op::image_get_lod, isa::Target::gfx900)));
  isa::Instruction reserved = first(isa::Op::v_add_f32, isa::Target::gfx900);
  reserved.reserved = true;
  EXPECT_FALSE(engine::executes(reserved));
  isa::Instruction newbcast = isa::instances(isa::Op::v_mov_b32, isa::Target::gfx90a).at(2);
  EXPECT_TRUE(engine::executes(newbcast));
  newbcast.dpp_ctrl = 0x153;
  EXPECT_TRUE(engine::executes(newbcast));
  EXPECT_TRUE(engine::executes(isa::instances(isa::Op::v_ceil_f64, isa::Target::gfx90a).at(2)));
  isa::Instruction accumulator = first(isa::Op::v_add_f32, isa::Target::gfx908);
  accumulator.src[0] = isa::code::agpr0;
  EXPECT_FALSE(engine::executes(accumulator));
}

} // namespace
} // namespace crosslane
