// Owns floating-point numbers as bits: MXCSR is the wave's while checks run, so nothing here computes with SSE.
#pragma once
#include <cmath>
#include <cstdint>

namespace crosslane::check::numerics {

enum class Format : uint8_t { none, f16, bf16, f32, f64 };

constexpr int mantissa_bits(Format f) {
  return f == Format::f16 ? 10 : f == Format::bf16 ? 7 : f == Format::f32 ? 23 : 52;
}
constexpr int exponent_bits(Format f) { return f == Format::f16 ? 5 : f == Format::f64 ? 11 : 8; }
constexpr uint64_t mantissa(Format f, uint64_t bits) { return bits & ((uint64_t(1) << mantissa_bits(f)) - 1); }
constexpr uint64_t exponent(Format f, uint64_t bits) {
  return bits >> mantissa_bits(f) & ((uint64_t(1) << exponent_bits(f)) - 1);
}
// An infinity or a NaN.
constexpr bool is_special(Format f, uint64_t bits) {
  return f != Format::none && exponent(f, bits) == (uint64_t(1) << exponent_bits(f)) - 1;
}
constexpr bool is_nan(Format f, uint64_t bits) { return is_special(f, bits) && mantissa(f, bits) != 0; }
constexpr bool is_denormal(Format f, uint64_t bits) {
  return f != Format::none && exponent(f, bits) == 0 && mantissa(f, bits) != 0;
}
constexpr bool is_zero(Format f, uint64_t bits) { return exponent(f, bits) == 0 && mantissa(f, bits) == 0; }

constexpr int bias(Format f) { return (1 << (exponent_bits(f) - 1)) - 1; }
// The exponent of the smallest number that is not 0.
constexpr int least_exponent(Format f) { return 1 - bias(f) - mantissa_bits(f); }

// Of a finite one. long double is the x87's, which has no MXCSR, and holds products of 64 bits.
inline long double value_of(Format f, uint64_t bits) {
  const uint64_t e = exponent(f, bits), m = mantissa(f, bits) | (e ? uint64_t(1) << mantissa_bits(f) : 0);
  const long double magnitude = std::ldexp(static_cast<long double>(m), int(e ? e - 1 : 0) + least_exponent(f));
  return bits >> (mantissa_bits(f) + exponent_bits(f)) & 1 ? -magnitude : magnitude;
}

} // namespace crosslane::check::numerics
