// Owns what an operation makes of bits that nothing has defined: pure functions of a value and of which of its bits are
// undefined. An undefined bit of a value may be 0 or 1; what a function says of a result holds for either.
#pragma once
#include <cstdint>

namespace crosslane::check::init {

// Of the low `width` bits of an operation; both fields are 0 above.
struct Bits {
  uint64_t value = 0;
  uint64_t undefined = 0; // a bit each
};

constexpr uint64_t ones(unsigned width) { return width >= 64 ? ~uint64_t(0) : (uint64_t(1) << width) - 1; }
constexpr Bits defined(uint64_t value) { return {value, 0}; }

// All of the result depends on all of the sources.
constexpr Bits any(uint64_t undefined, unsigned width) { return {0, undefined ? ones(width) : 0}; }
// Sums, differences and products: a bit depends on those below it.
constexpr Bits carried(uint64_t undefined, unsigned width) { return {0, (undefined | (0 - undefined)) & ones(width)}; }

constexpr Bits inverted(Bits a, unsigned width) { return {~a.value & ones(width), a.undefined}; }
// A defined 0 decides.
constexpr Bits both(Bits a, Bits b) {
  return {a.value & b.value, (a.undefined & (b.undefined | b.value)) | (b.undefined & (a.undefined | a.value))};
}
// A defined 1 decides.
constexpr Bits either(Bits a, Bits b) {
  return {a.value | b.value, (a.undefined & (b.undefined | ~b.value)) | (b.undefined & (a.undefined | ~a.value))};
}
constexpr Bits differ(Bits a, Bits b) { return {a.value ^ b.value, a.undefined | b.undefined}; }
// Of each bit: b where the mask has 1, else a. Where a and b are the same, the mask does not matter.
constexpr Bits selected(Bits mask, Bits a, Bits b) {
  const uint64_t chosen = (mask.value & b.undefined) | (~mask.value & a.undefined);
  const uint64_t differs = a.undefined | b.undefined | (a.value ^ b.value);
  return {(mask.value & b.value) | (~mask.value & a.value), (mask.undefined & differs) | (~mask.undefined & chosen)};
}

// The amount is taken modulo the width, which is 16, 32 or 64.
constexpr Bits shifted_left(Bits a, Bits amount, unsigned width) {
  if (amount.undefined & (width - 1))
    return any(1, width);
  const unsigned n = amount.value & (width - 1);
  return {a.value << n & ones(width), a.undefined << n & ones(width)};
}
constexpr Bits shifted_right(Bits a, Bits amount, unsigned width) {
  if (amount.undefined & (width - 1))
    return any(1, width);
  const unsigned n = amount.value & (width - 1);
  return {a.value >> n, a.undefined >> n};
}
// From bits to 64: the top bit is repeated, defined or not.
constexpr uint64_t extended(uint64_t a, unsigned width) {
  return width >= 64 || width == 0 ? a : uint64_t(int64_t(a << (64 - width)) >> (64 - width));
}
constexpr Bits shifted_arithmetically(Bits a, Bits amount, unsigned width) {
  const Bits wide{extended(a.value, width), extended(a.undefined, width)};
  if (amount.undefined & (width - 1))
    return any(1, width);
  const unsigned n = amount.value & (width - 1);
  return {uint64_t(int64_t(wide.value) >> n) & ones(width), uint64_t(int64_t(wide.undefined) >> n) & ones(width)};
}
// `count` bits from bit `first` on, both known, extended by their sign or by 0.
constexpr Bits field(Bits a, unsigned first, unsigned count, bool sign, unsigned width) {
  if (count == 0 || first >= width)
    return {};
  const Bits low{a.value >> first & ones(count), a.undefined >> first & ones(count)};
  const unsigned have = count < width - first ? count : width - first;
  return sign ? Bits{extended(low.value, have) & ones(width), extended(low.undefined, have) & ones(width)} : low;
}
constexpr Bits reversed(Bits a, unsigned width) {
  Bits r;
  for (unsigned n = 0; n < width; ++n) {
    r.value |= (a.value >> n & 1) << (width - 1 - n);
    r.undefined |= (a.undefined >> n & 1) << (width - 1 - n);
  }
  return r;
}
// v_perm_b32. Selectors: 0 to 3 the bytes of b, 4 to 7 those of a, 8 to 11 the sign of every other one, 12 is 0, above
// 0xff. Source: GCN3 ISA manual, V_PERM_B32.
constexpr Bits picked(Bits a, Bits b, Bits selector) {
  const Bits all{a.value << 32 | b.value, a.undefined << 32 | b.undefined};
  Bits r;
  for (unsigned n = 0; n < 4; ++n) {
    const uint64_t s = selector.value >> 8 * n & 0xff;
    Bits byte{s > 12 ? 0xffu : 0u, 0};
    if (selector.undefined >> 8 * n & 0xff)
      byte = any(1, 8);
    else if (s < 8)
      byte = {all.value >> 8 * s & 0xff, all.undefined >> 8 * s & 0xff};
    else if (s < 12)
      byte = {all.value >> (16 * (s - 8) + 15) & 1 ? 0xffu : 0u, all.undefined >> (16 * (s - 8) + 15) & 1 ? 0xffu : 0u};
    r.value |= byte.value << 8 * n, r.undefined |= byte.undefined << 8 * n;
  }
  return r;
}

// Whether "a is not 0" is undefined: no bit is a defined 1, and some are undefined.
constexpr bool unsure_if_zero(Bits a) { return a.undefined && !(a.value & ~a.undefined); }
// Whether "a is b" is: no defined bits differ.
constexpr bool unsure_if_equal(Bits a, Bits b) {
  const uint64_t undefined = a.undefined | b.undefined;
  return undefined && !((a.value ^ b.value) & ~undefined);
}

} // namespace crosslane::check::init
