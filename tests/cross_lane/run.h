// Owns carrying out the planner's assembly: through our assembler and llvm-mc-19, and on one wave of the engine, where
// what arrives is compared with the pattern lane by lane.
#pragma once
#include "cross_lane/planner.h"
#include "tests/engine/case.h"
#include <map>
#include <string>

namespace crosslane::test {

// The bytes of a way, by our assembler, with s_endpgm. Throws std::runtime_error with the line and the message.
std::vector<uint8_t> machine_code(const cross_lane::Way&, isa::Target);

// Runs a way. Empty if every lane has what the pattern says and nothing changed that the way's cost does not name.
std::string run(const cross_lane::Way&, const cross_lane::Pattern&, isa::Target, int dwords, const engine::Backend&);

// What the hardware does not see to: two wait states between a VALU instruction and DPP on what it wrote, s_waitcnt
// before what the LDS or memory returns is used. Empty if the way does. Source: GCN3 ISA manual, "Manually Inserted
// Wait States".
std::string hazard(const cross_lane::Way&, isa::Target, int dwords, bool source_just_written);

// Every line that was ever given to machine_code(), for the comparison with llvm-mc-19.
const std::map<isa::Target, std::map<std::string, std::vector<uint8_t>>>& lines_seen();

std::string text(const cross_lane::Pattern&);
std::string text(const cross_lane::Way&);

inline constexpr isa::Target run_targets[] = {isa::Target::gfx600, isa::Target::gfx701, isa::Target::gfx803,
                                              isa::Target::gfx900, isa::Target::gfx90a};

} // namespace crosslane::test
