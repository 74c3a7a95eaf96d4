// Owns which of MODE's two halves a floating-point operation rounds and flushes by: that of 32 bits, or that of 16 and
// 64 bits. Source: Vega 7nm ISA manual, "MODE register".
#pragma once
#include "isa/types.h"

namespace crosslane::isa {

constexpr bool uses_mode64(Type t) { return t == Type::F16 || t == Type::F64 || t == Type::PkF16; }

// A vector operation, by its result and its first source. v_cvt_f32_f64 rounds by the half of 64 bits (LLVM
// SIModeRegister).
constexpr bool runs_in_mode64(Type result, Type source) {
  return result == Type::Mask ? uses_mode64(source) : uses_mode64(result) || source == Type::F64;
}

} // namespace crosslane::isa
