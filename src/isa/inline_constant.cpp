// See inline_constant.h. Source: GCN3 and Vega ISA manuals, "Scalar ALU operands" and "Vector ALU operands".
#include "isa/inline_constant.h"
#include "isa/instruction.h"

namespace crosslane::isa {
namespace {

constexpr int float_count = 9; // codes 240..248
struct Bits {
  uint16_t half;
  uint32_t single;
  uint64_t twice;
};
constexpr Bits floats[float_count] = {
    {0x3800, 0x3f000000, 0x3fe0000000000000}, // 0.5
    {0xb800, 0xbf000000, 0xbfe0000000000000}, // -0.5
    {0x3c00, 0x3f800000, 0x3ff0000000000000}, // 1
    {0xbc00, 0xbf800000, 0xbff0000000000000}, // -1
    {0x4000, 0x40000000, 0x4000000000000000}, // 2
    {0xc000, 0xc0000000, 0xc000000000000000}, // -2
    {0x4400, 0x40800000, 0x4010000000000000}, // 4
    {0xc400, 0xc0800000, 0xc010000000000000}, // -4
    {0x3118, 0x3e22f983, 0x3fc45f306dc9c882}, // 1/(2*pi)
};

uint64_t float_bits(int index, int width) {
  const Bits& f = floats[index];
  return width == 16 ? f.half : width == 32 ? f.single : f.twice;
}

// Bits of the value that an operand of this type compares.
int width(Type t) {
  switch (t) {
  case Type::B16:
  case Type::I16:
  case Type::U16:
  case Type::F16:
  case Type::PkB16:
  case Type::PkI16:
  case Type::PkU16:
  case Type::PkF16: return 16;
  case Type::PkF32:
  case Type::PkB32: return 32;
  default: return dwords(t) >= 2 ? 64 : 32;
  }
}

int64_t sign_extend(uint64_t v, int bits) { return int64_t(v << (64 - bits)) >> (64 - bits); }

} // namespace

std::optional<uint16_t> inline_constant(uint64_t bits, Type t, Generation g) {
  const int n = width(t);
  const bool half_integer = n == 16 && t != Type::F16 && t != Type::PkF16;
  const int64_t integer = sign_extend(bits, half_integer ? 32 : n);
  if (integer >= 0 && integer <= 64)
    return static_cast<uint16_t>(code::inline_int0 + integer);
  if (integer >= -16 && integer < 0)
    return static_cast<uint16_t>(code::inline_int0 + 64 - integer);
  if (half_integer)
    return std::nullopt;
  const uint64_t mask = ~0ull >> (64 - n);
  for (int i = 0; i < (g >= Generation::gfx8 ? float_count : float_count - 1); ++i)
    if (float_bits(i, n) == (bits & mask))
      return static_cast<uint16_t>(code::inline_float0 + i);
  return std::nullopt;
}

uint64_t inline_value(uint16_t c, int width) {
  const uint64_t mask = ~0ull >> (64 - width);
  if (c >= code::inline_int0 && c <= code::inline_int0 + 64)
    return c - code::inline_int0;
  if (c > code::inline_int0 + 64 && c <= 208)
    return uint64_t(code::inline_int0 + 64 - int64_t(c)) & mask;
  if (c >= code::inline_float0 && c < code::inline_float0 + float_count)
    return float_bits(c - code::inline_float0, width);
  return 0;
}

std::optional<uint64_t> constant_source(const Instruction& in, uint16_t c, Type t) {
  // A constant of a packed pair of floats is one item of 32 bits, and 0 above it. assumed: the 0; compilers read the
  // low item twice.
  const bool wide = dwords(t) >= 2 && t != Type::PkF32 && t != Type::PkB32;
  if (c == code::literal) {
    if (t == Type::F64)
      return uint64_t(in.literal) << 32;
    return t == Type::I64 ? uint64_t(int64_t(int32_t(in.literal))) : in.literal;
  }
  if (!is_inline_constant(c))
    return std::nullopt;
  const bool half = t == Type::F16 || t == Type::I16 || t == Type::U16 || t == Type::B16 || t == Type::PkF16;
  return inline_value(c, wide ? 64 : half && c >= code::inline_float0 ? 16 : 32);
}

} // namespace crosslane::isa
