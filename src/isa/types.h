// Owns the data types that rows give their operands. The name says what the lanes hold; the width in
// dwords follows from it and is never written twice.
#pragma once
#include <cstdint>

namespace crosslane::isa {

// clang-format off
enum class Type : uint8_t {
  None,
  B8, I8, U8,                 // memory sub-dword
  B16, I16, U16, F16,
  B32, I32, U32, F32,
  B64, I64, U64, F64,
  B96, B128, B160, B256, B512, B1024,  // register tuples
  PkI16, PkU16, PkB16, PkF16, PkF32, PkB32,  // packed pairs (PkF32/PkB32: gfx90a)
  Mask,                       // one bit per lane in an SGPR pair (VCC, carry, compare result)
  Simm16, Uimm16, Simm32, Label, // immediates of SOPK/SOPP
  Imm32,                      // mandatory literal (v_madmk/v_madak)
  SendMsg, WaitCnt, HwReg, GprIdx,  // SOPP/SOPK/SOPC immediates with a syntax of their own
  Attr,                       // interpolation attribute and channel
};
// clang-format on

constexpr int dwords(Type t) {
  switch (t) {
  case Type::None: return 0;
  case Type::B64:
  case Type::I64:
  case Type::U64:
  case Type::F64:
  case Type::Mask:
  case Type::PkF32:
  case Type::PkB32: return 2;
  case Type::B96: return 3;
  case Type::B128: return 4;
  case Type::B160: return 5;
  case Type::B256: return 8;
  case Type::B512: return 16;
  case Type::B1024: return 32;
  default: return 1;
  }
}

constexpr bool is_16bit(Type t) { return t == Type::B16 || t == Type::I16 || t == Type::U16 || t == Type::F16; }
constexpr bool is_float(Type t) {
  return t == Type::F16 || t == Type::F32 || t == Type::F64 || t == Type::PkF16 || t == Type::PkF32;
}

} // namespace crosslane::isa
