// Owns shifts and rotates of 8-bit elements, which x86 has no instructions for.
//
//   shift_left8<3>(v), shift_right8<3>(v), shift_right_signed8<3>(v), rotate_left8<3>(v)    by a constant
//   shift_left8(v, n), shift_right8(v, n), shift_right_signed8(v, n), rotate_left8(v, n)    each by its own count
//
// Counts of 8 and more shift everything out, or leave the sign; rotates take them modulo 8. Vecs of 16 to 256 bytes.
// By constants: 1 instruction with GFNI, else a shift of 16-bit elements and a mask (2; signed 4, rotates 5).
// By vectors: even and odd bytes apart, in elements of 16 bits, by variable shifts (AVX-512BW: 7; signed 8, rotates 10)
// or multiplications by powers of two from a table (AVX2: 9 to 17); plain x86-64 takes three steps of 4, 2 and 1 (43 to
// 67).
#pragma once
#include "lanes/bit_matrix.h"

namespace crosslane::lanes {
CROSSLANE_LEVEL_BEGIN

template <unsigned Count, int N> CROSSLANE_INLINE Vec<uint8_t, N> shift_left8(Vec<uint8_t, N> v) {
#ifdef __GFNI__
  return permute_bits(v, [](int i) { return i >= int(Count) ? i - int(Count) : zero; });
#else
  if constexpr (Count >= 8)
    return Vec<uint8_t, N>(uint8_t(0));
  else
    return v << Vec<uint8_t, N>(uint8_t(Count));
#endif
}
template <unsigned Count, int N> CROSSLANE_INLINE Vec<uint8_t, N> shift_right8(Vec<uint8_t, N> v) {
#ifdef __GFNI__
  return permute_bits(v, [](int i) { return Count < 8 && i + int(Count) < 8 ? i + int(Count) : zero; });
#else
  if constexpr (Count >= 8)
    return Vec<uint8_t, N>(uint8_t(0));
  else
    return v >> Vec<uint8_t, N>(uint8_t(Count));
#endif
}
template <unsigned Count, int N> CROSSLANE_INLINE Vec<uint8_t, N> shift_right_signed8(Vec<uint8_t, N> v) {
#ifdef __GFNI__
  return permute_bits(v, [](int i) { return Count < 8 && i + int(Count) < 8 ? i + int(Count) : 7; });
#else
  return bitcast<uint8_t>(bitcast<int8_t>(v) >> Vec<int8_t, N>(int8_t(Count < 8 ? Count : 7)));
#endif
}
template <unsigned Count, int N> CROSSLANE_INLINE Vec<uint8_t, N> rotate_left8(Vec<uint8_t, N> v) {
#ifdef __GFNI__
  return permute_bits(v, [](int i) { return (i + 8 - int(Count % 8)) % 8; });
#else
  if constexpr (Count % 8 == 0)
    return v;
  else
    return (v << Vec<uint8_t, N>(uint8_t(Count % 8))) | (v >> Vec<uint8_t, N>(uint8_t(8 - Count % 8)));
#endif
}

namespace detail {
// f on the even bytes of v and n as elements of 16 bits, g on the odd ones: elements that hold the byte in their upper
// half. Results the same way; what is in their other half is dropped.
template <class F, class G, int N>
CROSSLANE_INLINE Vec<uint8_t, N> apart(Vec<uint8_t, N> v, Vec<uint8_t, N> n, F f, G g) {
  using Words = Vec<uint16_t, N / 2>;
  const Words w = reinterpret<uint16_t>(v), c = reinterpret<uint16_t>(n), low(uint16_t(0x00ff));
  const Words even = f(w, c & low), odd = g(w, c >> Words(uint16_t(8)));
  return reinterpret<uint8_t>((even & low) | (odd & ~low));
}
template <int N> CROSSLANE_INLINE Vec<uint8_t, N> at_most(Vec<uint8_t, N> n, uint8_t limit) {
  return Vec<uint8_t, N>::of(__builtin_elementwise_min(n.v, raw_t<uint8_t, N>(limit)));
}
// 2^n for n below 8, or 2^(7 - n), else 0.
template <bool Down, int N> CROSSLANE_INLINE Vec<uint8_t, N> power(Vec<uint8_t, N> n) {
  constexpr std::array<uint8_t, 16> up = {1, 2, 4, 8, 16, 32, 64, 128}, down = {128, 64, 32, 16, 8, 4, 2, 1};
  return shuffle_table(Down ? down : up, at_most(n, 8));
}
// Steps of 4, 2 and 1 by the bits of n.
template <int N, class F4, class F2, class F1>
CROSSLANE_INLINE Vec<uint8_t, N> in_steps(Vec<uint8_t, N> v, Vec<uint8_t, N> n, F4 four, F2 two, F1 one) {
  const auto step = [](Vec<uint8_t, N> on, Vec<uint8_t, N> a, Vec<uint8_t, N> b) { return (on & a) | (~on & b); };
  v = step(has_bit<2>(n), four(v), v);
  v = step(has_bit<1>(n), two(v), v);
  return step(has_bit<0>(n), one(v), v);
}
} // namespace detail

template <int N> CROSSLANE_INLINE Vec<uint8_t, N> shift_left8(Vec<uint8_t, N> v, Vec<uint8_t, N> n) {
#if defined(__AVX512BW__)
  return detail::apart(
      v, detail::at_most(n, 8), [](auto w, auto c) { return w << c; },
      [](auto w, auto c) { return (w & ~decltype(w)(0xff)) << c; });
#elif defined(__AVX2__)
  return detail::apart(
      v, detail::power<false>(n), [](auto w, auto p) { return w * p; },
      [](auto w, auto p) { return (w & ~decltype(w)(0xff)) * p; });
#else
  const auto shifted = detail::in_steps(
      v, n, [](auto x) { return shift_left8<4>(x); }, [](auto x) { return shift_left8<2>(x); },
      [](auto x) { return shift_left8<1>(x); });
  return Vec<uint8_t, N>::of(n.v < raw_t<uint8_t, N>(uint8_t(8)) ? shifted.v : raw_t<uint8_t, N>(uint8_t(0)));
#endif
}
template <int N> CROSSLANE_INLINE Vec<uint8_t, N> shift_right8(Vec<uint8_t, N> v, Vec<uint8_t, N> n) {
#if defined(__AVX512BW__)
  return detail::apart(
      v, detail::at_most(n, 8), [](auto w, auto c) { return (w & decltype(w)(0xff)) >> c; },
      [](auto w, auto c) { return w >> c; });
#elif defined(__AVX2__)
  return detail::apart(
      v, detail::power<true>(n), [](auto w, auto p) { return ((w & decltype(w)(0xff)) * p) >> decltype(w)(7); },
      [](auto w, auto p) { return ((w >> decltype(w)(8)) * p) << decltype(w)(1); });
#else
  const auto shifted = detail::in_steps(
      v, n, [](auto x) { return shift_right8<4>(x); }, [](auto x) { return shift_right8<2>(x); },
      [](auto x) { return shift_right8<1>(x); });
  return Vec<uint8_t, N>::of(n.v < raw_t<uint8_t, N>(uint8_t(8)) ? shifted.v : raw_t<uint8_t, N>(uint8_t(0)));
#endif
}
template <int N> CROSSLANE_INLINE Vec<uint8_t, N> shift_right_signed8(Vec<uint8_t, N> v, Vec<uint8_t, N> n) {
  n = detail::at_most(n, 7);
#if defined(__AVX512BW__)
  const auto arithmetic = [](auto w, auto c) { return bitcast<uint16_t>(bitcast<int16_t>(w) >> bitcast<int16_t>(c)); };
  return detail::apart(
      v, n, [=](auto w, auto c) { return arithmetic(w << decltype(w)(8), c) >> decltype(w)(8); }, arithmetic);
#else
  // Moves the range up by half, shifts, and moves it back by what became of the half.
  const Vec<uint8_t, N> half(uint8_t(0x80));
  return shift_right8(v ^ half, n) - shift_right8(half, n);
#endif
}
template <int N> CROSSLANE_INLINE Vec<uint8_t, N> rotate_left8(Vec<uint8_t, N> v, Vec<uint8_t, N> n) {
  n = n & Vec<uint8_t, N>(uint8_t(7));
#if defined(__AVX512BW__)
  // The byte twice in 16 bits: its upper half after the shift is the rotated byte.
  return detail::apart(
      v, n, [](auto w, auto c) { return (((w & decltype(w)(0xff)) | (w << decltype(w)(8))) << c) >> decltype(w)(8); },
      [](auto w, auto c) { return ((w & ~decltype(w)(0xff)) | (w >> decltype(w)(8))) << c; });
#elif defined(__AVX2__)
  return detail::apart(
      v, detail::power<false>(n),
      [](auto w, auto p) {
        const auto all = (w & decltype(w)(0xff)) * p;
        return all | (all >> decltype(w)(8));
      },
      [](auto w, auto p) {
        const auto all = (w >> decltype(w)(8)) * p;
        return all | (all << decltype(w)(8));
      });
#else
  return detail::in_steps(
      v, n, [](auto x) { return rotate_left8<4>(x); }, [](auto x) { return rotate_left8<2>(x); },
      [](auto x) { return rotate_left8<1>(x); });
#endif
}

CROSSLANE_LEVEL_END
} // namespace crosslane::lanes
