// Profiles made up by hand for the tests of the writers: instructions from assembly text, counts as given.
#pragma once
#include "findings/profile.h"
#include "isa/encode.h"
#include "isa/parse.h"
#include "timing/issue_cycles.h"
#include <gtest/gtest.h>

namespace crosslane::findings::made_up {

// A kernel `f` for gfx900, built instruction by instruction. Lanes are those of each execution.
class Kernel {
public:
  KernelProfile k;
  uint32_t line = 0, file = 0; // of what is added next; 0: unknown

  explicit Kernel(const char* name = "f") {
    k.name = name, k.target = "gfx900", k.card = "vega10", k.launches = 1;
    k.workgroups = 1, k.waves = 1, k.grid[0] = 64, k.block[0] = 64;
    k.vgprs = 8, k.sgprs = 16;
    k.occupancy = {10, 10, "waves", {{"waves", 10}}, ""};
  }

  // `launched`: lanes that the wave has. The lost lane-cycles are 1 for each lane of an instruction of full rate.
  ProfiledInstruction& add(const char* text, uint64_t executions = 1, uint32_t lanes = 64, uint32_t launched = 64) {
    auto& i = k.instructions.emplace_back();
    const auto parsed = isa::parse(isa::Target::gfx900, text);
    EXPECT_TRUE(parsed) << text << ": " << parsed.error.message;
    i.instruction = parsed.instruction;
    i.words = isa::encode(i.instruction).words;
    i.address = end_, i.offset = i.address - 0x1000, i.function = k.name, i.text = text;
    end_ += i.instruction.size;
    i.kind = class_of(i.instruction);
    if (line)
      i.source = {static_cast<int>(file), line, 3};
    i.executions = executions;
    i.active.emplace();
    i.active->waves[lanes] = executions;
    i.active->diverged = executions * (launched - lanes), i.active->missing = executions * (64 - launched);
    const double each = timing::issue_cycles(i.instruction) / 4.0;
    i.lost_lane_cycles = each * static_cast<double>(i.active->diverged);
    i.lost_to_partial_waves = each * static_cast<double>(i.active->missing);
    k.wave_instructions += executions;
    return i;
  }
  // A branch to an instruction that is `distance` further, as the text has it in dwords.
  ProfiledInstruction& jump(const char* text, int distance, uint64_t executions = 1, uint32_t lanes = 64) {
    const int here = static_cast<int>(k.instructions.size());
    auto& i = add(text, executions, lanes);
    i.target = here + distance;
    return i;
  }

private:
  uint64_t end_ = 0x1000;
};

inline void count_branch(ProfiledInstruction& i, views::BranchCounts counts) {
  i.branch.emplace();
  i.branch->per_lane = true, i.branch->counts = counts;
}

// `requests` like this one of 64 lanes of 4 bytes, `stride` bytes apart; the counts are the caller's.
inline views::MemorySite& count_memory(ProfiledInstruction& i, uint64_t requests, uint64_t lines, uint64_t ideal,
                                       views::Pattern pattern, int64_t stride = 0) {
  auto& site = i.memory.emplace_back();
  site.instruction = i.instruction;
  site.bytes = 4;
  site.pattern = pattern, site.pattern_share = 1, site.stride = stride, site.alignment = 64;
  auto& c = site.counts;
  c.requests = requests, c.lanes = 64 * requests, c.lines = lines, c.ideal_lines = ideal;
  c.bytes_asked = 4 * c.lanes, c.bytes_moved = 64 * lines, c.l2_operations = lines;
  c.clocks = 4 * requests, c.ideal_clocks = 4 * requests;
  c.l1_groups[static_cast<int>(views::L1Case::quads_one_block)] = 4 * requests;
  site.worst.lanes = ~uint64_t{0};
  for (uint64_t lane = 0; lane < 64; ++lane)
    site.worst.address[lane] = 0x7f0000001000 + lane * static_cast<uint64_t>(stride ? stride : 4);
  return site;
}

// 64 lanes of 4 bytes, `stride` bytes apart.
inline views::LdsSite& count_lds(ProfiledInstruction& i, uint64_t accesses, uint64_t cycles, uint64_t ideal,
                                 uint64_t stride = 4) {
  auto& site = i.lds.emplace();
  site.instruction = i.instruction;
  site.bytes = 4;
  site.counts.accesses = accesses, site.counts.lanes = 64 * accesses;
  site.counts.cycles = cycles, site.counts.ideal_cycles = ideal;
  site.worst_degree = static_cast<uint32_t>(cycles / ideal);
  site.worst.lanes = ~uint64_t{0};
  for (uint64_t lane = 0; lane < 64; ++lane)
    site.worst.address[lane] = lane * stride;
  return site;
}

} // namespace crosslane::findings::made_up
