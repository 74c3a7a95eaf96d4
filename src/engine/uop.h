// Owns Uop, the interpreter's unit: one GCN instruction is decoded once into one or more of these, and a handler jumps
// straight to the next one's handler (musttail), so there is no central loop.
//
// Operands are byte offsets from the Wave. A scalar operand is `register | constant`: for a register the constant is 0,
// for a constant the register is scalar_zero; so handlers need no variant for it. What is neither (modifiers, DPP,
// SDWA, a scalar where a handler wants a VGPR) is staged into Wave::tmp by a Uop before, and finished by a Uop after.
#pragma once
#include "machine/wave.h"
#include <cstdint>

namespace crosslane::engine {

using machine::Wave;

struct Uop;
// preserve_none leaves no register for the base pointer that AddressSanitizer needs in frames that hold vectors.
#if __has_feature(address_sanitizer)
#define CROSSLANE_CC
#else
#define CROSSLANE_CC __attribute__((preserve_none))
#endif
using Handler = CROSSLANE_CC void (*)(const Uop* op, Wave* w);

struct alignas(64) Uop {
  Handler fn;
  uint32_t dst;      // byte offset of the destination in the Wave
  uint32_t a, b, c;  // byte offsets of the sources
  uint64_t k0, k1;   // constants of a and b (see above)
  const Uop* target; // branch target, or what the handler wants
  int32_t imm;       // immediate: offset, delta of the instruction count, ...
  uint32_t pc;       // dword index of the instruction in its Program
  uint32_t ordinal;  // number of the instruction in its straight-line run
  uint32_t aux;      // flags, as the handler wants
};
static_assert(sizeof(Uop) == 64);

// Handlers end with this: on to the next Uop.
#define CROSSLANE_NEXT(op, w) [[clang::musttail]] return (op)[1].fn((op) + 1, w)
#define CROSSLANE_JUMP(to, w) [[clang::musttail]] return (to)->fn(to, w)

} // namespace crosslane::engine
