// Owns which host instruction a step is: its name, and at which instruction set it exists
// (lanes/plan/instructions.inc). Source: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2; AMD64
// Architecture Programmer's Manual, 4.
#pragma once
#include "lanes/plan/host.h"
#include "lanes/plan/step.h"
#include <array>
#include <bit>

namespace crosslane::lanes {
CROSSLANE_LEVEL_BEGIN
namespace planner {

enum class Element : uint8_t { none, only, fixed, own };

struct Instruction {
  Op op;
  const char* vex; // what AVX2 calls it, if that is not the name at element 4
  const char* names[4];
  char levels[5];
  Element element;
};

inline constexpr Instruction instructions[] = {
#define CROSSLANE_OP(op, vex, byte, word, dword, qword, levels, element)                                               \
  {Op::op, vex, {byte, word, dword, qword}, levels, Element::element},
#include "lanes/plan/instructions.inc"
#undef CROSSLANE_OP
};
static_assert([] {
  for (int i = 0; i < op_count; ++i)
    if (int(instructions[i].op) != i || !instructions[i].levels[3])
      return false;
  return int(sizeof instructions / sizeof *instructions) == op_count;
}());

constexpr int log2_of(int power_of_two) { return std::countr_zero(unsigned(power_of_two)); }

// The element size by which a step's instruction is named: that of the operation where it has but one; a dword where
// the size would only say what a mask selects and there is none.
constexpr int named_element(const Step& s) {
  const Instruction& row = instructions[int(s.op)];
  int only = 0, names = 0;
  for (int i = 0; i < 4; ++i)
    if (row.levels[i] != '-')
      only = 1 << i, ++names;
  if (names == 1 && row.element != Element::own)
    return only;
  return row.element == Element::only && !s.masked && s.element != 8 ? 4 : s.element;
}

constexpr int inserted_bytes(const Step& s) { return s.imm & 0xf0; } // of Op::insert

// Whether one instruction of `isa` does the step. A plan for `isa` has no other steps.
constexpr bool available(Isa isa, const Step& s) {
  using enum Op;
  const Instruction& row = instructions[int(s.op)];
  const int e = named_element(s), wide = s.bytes;
  if (s.op == zero)
    return !s.masked; // vpxor of 16 bytes makes all of them zero
  if (e != 1 && e != 2 && e != 4 && e != 8)
    return false;
  if (wide != 16 && wide != 32 && wide != 64)
    return false;
  const char level = row.levels[log2_of(e)];
  if (level == '-')
    return false;
  const bool evex = isa >= Isa::avx512;
  if (wide == 64 && (!evex || level == 'v'))
    return false;
  if (level == 'e' && !evex)
    return false;
  if (level == 'b' && isa < Isa::avx512_vbmi)
    return false;
  if (level == '2' && isa < Isa::avx512_vbmi2)
    return false;
  if (s.masked && (!evex || row.element == Element::none || s.element != e))
    return false;
  switch (s.op) {
  case permute: return e <= 2 || (wide >= 32 && (evex || e == 4));
  case permute_imm: return wide >= 32;
  case extend: return s.imm >= 2 && s.imm <= e && std::has_single_bit(s.imm);
  case truncate: return s.imm >= 2 && s.imm * e <= 8 && std::has_single_bit(s.imm);
  case extract: return wide < 64 && s.imm < 64 / wide && (evex || (wide == 16 && s.imm < 2));
  case permute_halves: return wide == 32;
  case shuffle_lanes: return wide >= 32;
  case insert: {
    const int part = inserted_bytes(s);
    return (part == 16 || part == 32) && part < wide && (s.imm & 15) < wide / part;
  }
  case permute_two: // an instruction overwrites one of its sources, and that is what a mask leaves
    return !s.masked || s.merge == no_value || s.merge == s.a || s.merge == s.b;
  default: return true;
  }
}

} // namespace planner
CROSSLANE_LEVEL_END
} // namespace crosslane::lanes
