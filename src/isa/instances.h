// Owns plain examples of a row: for each form that the row has on a target one instruction with ordinary operands. They
// answer whether a form decodes or executes, and stand in for it where something must be shown.
#pragma once
#include "isa/op.h"
#include <vector>

namespace crosslane::isa {

// Empty if the target lacks the row. The first one is the plainest. Registers are aligned and differ from each other.
std::vector<Instruction> instances(Op, Target);

// "e32", "e64", "dpp", "sdwa" of vector arithmetic; of memory instructions "return" (an atomic that gives the old
// value), "saddr", "addr64", "lds", "gds", "tfe"; "base" for everything else.
std::string_view form_name(const Instruction&);

// Whether only graphics pipelines can use it: exports, interpolation, levels of detail, what belongs to pixels.
bool is_graphics(Op);

} // namespace crosslane::isa
