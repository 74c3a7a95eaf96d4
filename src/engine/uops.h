// Owns looking at what an instruction is lowered to, as data: for `crosslane disasm --uops`, tests, and whoever writes
// another back end.
#pragma once
#include "engine/uop_kind.h"
#include "isa/instruction.h"
#include <cstdint>
#include <string>
#include <vector>

namespace crosslane::engine {

// A Uop without its handler. Operands are byte offsets from the Wave, as in Uop; no_operand: none, or a constant.
struct LoweredUop {
  static constexpr uint32_t no_operand = ~0u;
  UopKind kind;
  uint32_t dst, a, b, c;
  uint64_t k0, k1; // constants: of a and b, or as the kind wants
  int32_t imm;     // of `vector`: where carries go, an offset too
  uint32_t aux;
};

// What this host's interpreter makes of an instruction by itself, in its default mode (no VGPR indexing, no VSKIP).
// Empty: nothing, as of s_nop, or the instruction is not executed (engine/executes.h). What a Program adds around it
// (links, hooks, lookups of a changed mode) is not among them.
std::vector<LoweredUop> lowered(const isa::Instruction&);

// What lies at an offset of the Wave: "v3", "a3", "s5", "vcc_lo", "exec_lo", "t8" (a temporary VGPR), "st0" (a scalar
// one).
std::string place_name(uint32_t offset);

// "vector dst=v0 a=v1 b=t2 k0=0x3f800000"
std::string text(const LoweredUop&);

} // namespace crosslane::engine
