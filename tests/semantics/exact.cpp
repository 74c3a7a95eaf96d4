// Exact float arithmetic on wide integers.
#include "tests/semantics/exact.h"
#include <cstring>

namespace crosslane::test {
namespace {

struct Parts {
  int64_t significand; // signed
  int exponent;        // of its last bit
};
Parts parts(FloatFormat f, uint64_t bits) {
  const int field = int(f.magnitude(bits) >> f.mantissa);
  int64_t m = int64_t(bits & ((1ull << f.mantissa) - 1));
  if (field)
    m |= 1ll << f.mantissa;
  return {f.negative(bits) ? -m : m, (field ? field : 1) - f.bias() - f.mantissa};
}
int top_bit(const Big& v) { // of a positive value
  uint64_t words[4608 / 64];
  memcpy(words, &v, sizeof words);
  int i = 4608 / 64 - 1;
  while (words[i] == 0)
    --i;
  return 64 * i + 63 - __builtin_clzll(words[i]);
}
// v / 2^drop as an integer, rounded
Big divided(Big v, int drop, int mode, bool negative) {
  if (drop <= 0)
    return v << -drop;
  const Big whole = v >> drop, rest = v - (whole << drop);
  if (rest == 0)
    return whole;
  const Big halfway = Big(1) << (drop - 1);
  const bool up = mode == 0   ? rest > halfway || (rest == halfway && (whole & 1) == 1)
                  : mode == 1 ? !negative
                  : mode == 2 ? negative
                              : false;
  return whole + (up ? 1 : 0);
}

} // namespace

Big exact(FloatFormat f, uint64_t bits) {
  const Parts p = parts(f, bits);
  return Big(p.significand) << (p.exponent + unit);
}
Big exact_product(FloatFormat f, uint64_t a, uint64_t b) {
  const Parts x = parts(f, a), y = parts(f, b);
  return Big(__int128(x.significand) * y.significand) << (x.exponent + y.exponent + unit);
}
Big scaled(Big v, int power) {
  if (power >= 0)
    return v << power;
  return v >= 0 ? v >> -power : -(-v >> -power);
}

uint64_t round_to(FloatFormat f, Big v, int mode, bool flush, bool zero_sign) {
  if (v == 0)
    return zero_sign ? f.sign() : 0;
  const bool negative = v < 0;
  const uint64_t sign = negative ? f.sign() : 0;
  if (negative)
    v = -v;
  const int top = top_bit(v), least = 1 - f.bias() - f.mantissa + unit; // where the last bit of a denormal is
  int drop = top - f.mantissa;
  if (flush) {
    Big r = divided(v, drop, mode, negative);
    int e = top - unit;
    if (r >> (f.mantissa + 1) != 0)
      ++e;
    if (e < 1 - f.bias())
      return sign;
  }
  if (drop < least)
    drop = least;
  Big r = divided(v, drop, mode, negative);
  if (r >> (f.mantissa + 1) != 0)
    r >>= 1, ++drop;
  if (r >> f.mantissa == 0)
    return sign | uint64_t(r); // denormal, or zero
  const int field = drop - least + 1;
  if (field > 2 * f.bias()) {
    const bool to_infinity = mode == 0 || (mode == 1 && !negative) || (mode == 2 && negative);
    return sign | (to_infinity ? f.infinity() : f.infinity() - 1);
  }
  return sign | (uint64_t(r) & ((1ull << f.mantissa) - 1)) | uint64_t(field) << f.mantissa;
}

} // namespace crosslane::test
