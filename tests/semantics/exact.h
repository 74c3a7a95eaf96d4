// Owns exact arithmetic on floats of any width, the independent side of float tests: a value is a 4608-bit integer in
// units of 2^-2300, sums and products are integer operations, and one function rounds to a format in any mode.
#pragma once
#include <cstdint>

namespace crosslane::test {

struct FloatFormat {
  int mantissa, exponent;
  constexpr int bias() const { return (1 << (exponent - 1)) - 1; }
  constexpr uint64_t sign() const { return 1ull << (mantissa + exponent); }
  constexpr uint64_t infinity() const { return uint64_t(2 * bias() + 1) << mantissa; }
  constexpr uint64_t quiet() const { return 1ull << (mantissa - 1); }
  constexpr uint64_t default_nan() const { return sign() | infinity() | quiet(); }
  constexpr uint64_t magnitude(uint64_t b) const { return b & (sign() - 1); }
  constexpr bool negative(uint64_t b) const { return b & sign(); }
  constexpr bool nan(uint64_t b) const { return magnitude(b) > infinity(); }
  constexpr bool signaling(uint64_t b) const { return nan(b) && !(b & quiet()); }
  constexpr bool inf(uint64_t b) const { return magnitude(b) == infinity(); }
  constexpr bool zero(uint64_t b) const { return magnitude(b) == 0; }
  constexpr bool denormal(uint64_t b) const { return !zero(b) && magnitude(b) < (1ull << mantissa); }
  constexpr uint64_t flush(uint64_t b) const { return denormal(b) ? b & sign() : b; }
};
inline constexpr FloatFormat half{10, 5}, single{23, 8}, twofold{52, 11};

using Big = signed _BitInt(4608);
inline constexpr int unit = 2300; // a Big counts units of 2^-2300

Big exact(FloatFormat f, uint64_t bits);                  // of a finite float
Big exact_product(FloatFormat f, uint64_t a, uint64_t b); // of two finite floats
Big scaled(Big v, int power);                             // v * 2^power, exact
// Mode: 0 nearest even, 1 up, 2 down, 3 toward zero. zero_sign is the sign of an exact zero. With flush a result that
// is below the least normal when rounded with unbounded exponent becomes zero.
uint64_t round_to(FloatFormat f, Big v, int mode, bool flush, bool zero_sign);

} // namespace crosslane::test
