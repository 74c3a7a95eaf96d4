// Owns what the planner is made of: one function for each kind of instruction, which adds the ways it has to a list.
#pragma once
#include "cross_lane/planner.h"

namespace crosslane::cross_lane {

struct Question {
  const Pattern& pattern;
  isa::Target target;
  const Situation& situation;

  isa::Generation generation() const { return isa::info(target).generation; }
  Sequence sequence() const { return Sequence(target, situation); }
};
using Ways = std::vector<Way>;

void add_way(Ways&, Method, const Sequence&, std::string name, std::string note = {}, std::vector<uint32_t> data = {});

// Puts `wrong` lanes of the destination right, one by one.
void patch_lanes(Sequence&, const Pattern&, uint64_t wrong);
std::string lanes_text(uint64_t lanes); // "1 lane", "12 lanes"

void dpp_ways(const Question&, Ways&);    // ways_dpp.cpp
void ds_ways(const Question&, Ways&);     // ways_ds.cpp
void scalar_ways(const Question&, Ways&); // ways_scalar.cpp: v_mov, v_readlane, v_writelane, EXEC

} // namespace crosslane::cross_lane
