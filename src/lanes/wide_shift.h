// Owns shifts and rotates of a whole vector as one integer of 128 to 2048 bits, lane 0 lowest.
//
//   wide_shift_left(v, n), wide_shift_right(v, n)    by a count known at run time; zeros come in
//   wide_shift_right_signed(v, n)                    copies of the top bit come in
//   wide_rotate_left(v, n), wide_rotate_right(v, n)  the count is taken modulo the width
//   wide_shift_left<42>(v), ...                      the same by a count known at compile time
//
// Any unsigned count is right: from the width on, a shift gives zero (or the sign in every bit). v is a Vec of 16 to
// 256 bytes of elements of any size. Nearly all are one scheme: elements of 64 bits move to where most of their bits
// belong, their neighbours move one further, and a funnel shift joins the two.
//
// Instructions for 512 bits, besides a zeroed register:
//   compile time  1 (valignd, valignq) for multiples of 32 and, with VBMI, of 8 (vpermt2b); else with VBMI2 2 (valignq,
//                 vpshldq) below 64 and 3 above, two more without VBMI2
//   run time      6 (2 broadcasts, vpaddq, vpermq under a mask, valignq, vpshldvq) and 8 on scalars; two more without
//                 VBMI2; rotates need no mask: 6 and 3
// Shifts of 128 bits by a run time count have a way of their own, at every level: 9 instructions (wide_pair). On Zen 4,
// from and to memory, 0.8 ns with AVX2 or AVX-512 and 1.1 ns without; unsigned _BitInt(128), in general registers, 1.1
// (as a chain in vector registers 1.3 to 1.6 and 3.6).
// Run time counts of vectors of more than 1024 bits, of more than 256 bits without AVX-512 and of more than 128 bits
// without AVX2 go through memory: a store, and two loads at an offset.
// Source: Intel, "AVX-512 - Permuting Data Within and Between AVX Registers", 4.3.
#pragma once
#include "lanes/permute.h"
#include "lanes/registers.h"

namespace crosslane::lanes {
CROSSLANE_LEVEL_BEGIN

enum class Wide { left, right, right_signed, rotate_left, rotate_right };

namespace detail {
consteval bool rotates(Wide w) { return w == Wide::rotate_left || w == Wide::rotate_right; }
consteval bool goes_left(Wide w) { return w == Wide::left || w == Wide::rotate_left; }

// What comes in from outside: zero, or the sign.
template <Wide W, int Q> CROSSLANE_INLINE Vec<uint64_t, Q> incoming(Vec<uint64_t, Q> v) {
  if constexpr (W != Wide::right_signed)
    return Vec<uint64_t, Q>(0u);
  else
    return permute(bitcast<uint64_t>(bitcast<int64_t>(v) >> Vec<int64_t, Q>(63)), [](auto) { return Q - 1; });
}

// Where element i of `Lanes` comes from when they move by `Step`; from `Lanes` on it is the incoming one.
template <Wide W, int Lanes, int Step> consteval int moved_from(int i) {
  const int from = goes_left(W) ? i - Step : i + Step;
  if (rotates(W))
    return (from % Lanes + Lanes) % Lanes;
  return from < 0 || from >= Lanes ? (W == Wide::right_signed ? Lanes + i : zero) : from;
}
// Elements of T move by Step.
template <Wide W, int Step, class T, int Q> CROSSLANE_INLINE Vec<uint64_t, Q> moved(Vec<uint64_t, Q> v) {
  constexpr int lanes = Q * 8 / int(sizeof(T));
  const auto from = [](auto i) { return moved_from<W, lanes, Step>(i); };
  if constexpr (W == Wide::right_signed)
    return reinterpret<uint64_t>(permute(reinterpret<T>(v), reinterpret<T>(incoming<W>(v)), from));
#ifdef __AVX512VL__
  else if constexpr (!rotates(W) && sizeof(T) >= 4 && (Q == 4 || Q == 8)) {
    // A zero that the compiler does not see as one: else it makes an expansion or a permute by a loaded index of
    // valign.
    auto nothing = machine(Vec<uint64_t, Q>(0u));
    asm("" : "+v"(nothing));
    return reinterpret<uint64_t>(permute(reinterpret<T>(v), from_machine<T>(nothing), [](auto i) {
      constexpr int from = moved_from<W, lanes, Step>(i);
      return from != zero ? from : lanes + (goes_left(W) ? (i - Step + 2 * lanes) % lanes : (i + Step) % lanes);
    }));
  }
#endif
  else
    return reinterpret<uint64_t>(permute(reinterpret<T>(v), from));
}

// Of each pair of elements, `near` moves by n bits (below 64) and what it leaves open comes from `far`.
template <Wide W, int Q>
CROSSLANE_INLINE Vec<uint64_t, Q> funnel(Vec<uint64_t, Q> near, Vec<uint64_t, Q> far, unsigned n) {
  return by_parts<register_bytes>(
      [n]<int P>(Vec<uint64_t, P> a, Vec<uint64_t, P> b) {
        const auto x = machine(a), y = machine(b);
#define CROSSLANE_FUNNEL(prefix, or_bits)                                                                              \
  {                                                                                                                    \
    const __m128i c = _mm_cvtsi32_si128(int(n)), rest = _mm_cvtsi32_si128(int(64 - n)); /* 64 shifts all out */        \
    if constexpr (goes_left(W))                                                                                        \
      return from_machine<uint64_t>(or_bits(prefix##_sll_epi64(x, c), prefix##_srl_epi64(y, rest)));                   \
    else                                                                                                               \
      return from_machine<uint64_t>(or_bits(prefix##_srl_epi64(x, c), prefix##_sll_epi64(y, rest)));                   \
  }
#if defined(__AVX512VBMI2__)
        const auto c = machine(Vec<uint64_t, P>(uint64_t(n)));
        if constexpr (P == 8)
          return from_machine<uint64_t>(goes_left(W) ? _mm512_shldv_epi64(x, y, c) : _mm512_shrdv_epi64(x, y, c));
        else if constexpr (P == 4)
          return from_machine<uint64_t>(goes_left(W) ? _mm256_shldv_epi64(x, y, c) : _mm256_shrdv_epi64(x, y, c));
        else
          return from_machine<uint64_t>(goes_left(W) ? _mm_shldv_epi64(x, y, c) : _mm_shrdv_epi64(x, y, c));
#else
#ifdef __AVX512F__
        if constexpr (P == 8)
          CROSSLANE_FUNNEL(_mm512, _mm512_or_si512)
#endif
#ifdef __AVX2__
        if constexpr (P == 4)
          CROSSLANE_FUNNEL(_mm256, _mm256_or_si256)
#endif
        if constexpr (P == 2)
          CROSSLANE_FUNNEL(_mm, _mm_or_si128)
#endif
#undef CROSSLANE_FUNNEL
      },
      near, far);
}

// Moves by q elements, q from 0 to Q, in a register; q is below Q for rotates.
#ifdef __AVX2__
template <Wide W, int Q> CROSSLANE_INLINE Vec<uint64_t, Q> move_elements(Vec<uint64_t, Q> v, unsigned q) {
  const auto fill = incoming<W>(v);
#ifdef __AVX512VL__
  const uint64_t s = goes_left(W) ? uint64_t(0) - q : uint64_t(q);
  const auto index = iota<uint64_t, Q>() + Vec<uint64_t, Q>(s); // dirty: the permutes take it modulo the register
  const unsigned every = unsigned(low_bits(Q));
  const unsigned inside = rotates(W) ? every : goes_left(W) ? every << q & every : every >> q;
  if constexpr (Q == 16) {
    const auto at = [&](auto low, auto high, auto i, auto f, unsigned k) {
      if constexpr (rotates(W))
        return from_machine<uint64_t>(_mm512_permutex2var_epi64(low, i, high));
      else if constexpr (W == Wide::right_signed)
        return from_machine<uint64_t>(_mm512_mask_mov_epi64(f, __mmask8(k), _mm512_permutex2var_epi64(low, i, high)));
      else
        return from_machine<uint64_t>(_mm512_maskz_permutex2var_epi64(__mmask8(k), low, i, high));
    };
    const auto low = machine(part<8, 0>(v)), high = machine(part<8, 1>(v)), f = machine(part<8, 0>(fill));
    return join(at(low, high, machine(part<8, 0>(index)), f, inside & 0xff),
                at(low, high, machine(part<8, 1>(index)), f, inside >> 8));
  } else if constexpr (Q == 8) {
    const auto x = machine(v), i = machine(index);
    if constexpr (rotates(W))
      return from_machine<uint64_t>(_mm512_permutexvar_epi64(i, x));
    else
      return from_machine<uint64_t>(_mm512_mask_permutexvar_epi64(machine(fill), __mmask8(inside), i, x));
  } else if constexpr (Q == 4) {
    const auto x = machine(v), i = machine(index);
    if constexpr (rotates(W))
      return from_machine<uint64_t>(_mm256_permutexvar_epi64(i, x));
    else
      return from_machine<uint64_t>(_mm256_mask_permutexvar_epi64(machine(fill), __mmask8(inside), i, x));
  } else {
    const __m256i x = _mm256_castsi128_si256(machine(v)),
                  i = _mm256_castsi128_si256(machine(index & Vec<uint64_t, Q>(1u)));
    const auto moved = from_machine<uint64_t>(_mm256_castsi256_si128(_mm256_permutexvar_epi64(i, x)));
    if constexpr (rotates(W))
      return moved;
    else
      return from_machine<uint64_t>(_mm_mask_mov_epi64(machine(fill), __mmask8(inside), machine(moved)));
  }
#else
  using Pairs = Vec<uint32_t, 2 * Q>;
  const uint32_t s = goes_left(W) ? 0u - 2 * q : 2 * q;
  const Pairs index = iota<uint32_t, 2 * Q>() + Pairs(s);
  const auto wrapped = machine(index & Pairs(uint32_t(2 * Q - 1)));
  __m256i x, i;
  if constexpr (Q == 4)
    x = machine(v), i = wrapped;
  else
    x = _mm256_castsi128_si256(machine(v)), i = _mm256_castsi128_si256(wrapped);
  const auto moved = part<2 * Q, 0>(from_machine<uint32_t>(_mm256_permutevar8x32_epi32(x, i)));
  if constexpr (rotates(W))
    return reinterpret<uint64_t>(moved);
  const raw_t<int32_t, 2 * Q> inside = bitcast<int32_t>(index).v < raw_t<int32_t, 2 * Q>(goes_left(W) ? 0 : 2 * Q);
  const Pairs f = reinterpret<uint32_t>(fill);
  return reinterpret<uint64_t>(Pairs::of(goes_left(W) ? (inside ? f.v : moved.v) : (inside ? moved.v : f.v)));
#endif
}
#endif

template <Wide W, int Q> consteval bool wide_fits() {
#if defined(__AVX512VL__)
  return Q <= 16;
#elif defined(__AVX2__)
  return Q <= 4;
#else
  return false;
#endif
}
} // namespace detail

// The ways by name. In registers: up to 1024 bits with AVX-512, up to 256 with AVX2. n is at most the width.
#ifdef __AVX2__
template <Wide W, int Q> CROSSLANE_INLINE Vec<uint64_t, Q> wide_in_registers(Vec<uint64_t, Q> v, unsigned n) {
  const auto near = detail::move_elements<W>(v, n / 64);
  if constexpr (W == Wide::right_signed) {
    const auto far = permute(near, detail::incoming<W>(v), [](auto i) { return detail::moved_from<W, Q, 1>(i); });
    return detail::funnel<W>(near, far, n % 64);
  } else {
    return detail::funnel<W>(near, detail::moved<W, 1, uint64_t>(near), n % 64);
  }
}
#endif

// Through memory: the vector between what comes in from below and above, read at an offset. n is at most the width, for
// rotates below it.
template <Wide W, int Q> CROSSLANE_INLINE Vec<uint64_t, Q> wide_by_memory(Vec<uint64_t, Q> v, unsigned n) {
  uint64_t line[2 * Q + 1];
  const auto fill = detail::rotates(W) ? v : detail::incoming<W>(v);
  const unsigned q = n / 64;
  if constexpr (detail::goes_left(W)) {
    line[0] = part<1, Q - 1>(fill).v;
    store(line + 1, fill), store(line + 1 + Q, v);
    return detail::funnel<W>(load<uint64_t, Q>(line + 1 + Q - q), load<uint64_t, Q>(line + Q - q), n % 64);
  } else {
    store(line, v), store(line + Q, fill);
    line[2 * Q] = part<1, 0>(fill).v;
    return detail::funnel<W>(load<uint64_t, Q>(line + q), load<uint64_t, Q>(line + q + 1), n % 64);
  }
}

// 128 bits, by shifts of both halves at once: what stays in its half, what goes to the other one below 64 and what does
// from 64 on. A shift of a half by 64 or more, and so by a difference below zero, gives zero.
template <Wide W> CROSSLANE_INLINE Vec<uint64_t, 2> wide_pair(Vec<uint64_t, 2> v, unsigned n) {
  constexpr bool left = detail::goes_left(W);
  const __m128i count = _mm_cvtsi32_si128(int(n)), half = _mm_cvtsi32_si128(64);
  const auto there = [](__m128i x, __m128i by) { return left ? _mm_sll_epi64(x, by) : _mm_srl_epi64(x, by); };
  const auto back = [](__m128i x, __m128i by) { return left ? _mm_srl_epi64(x, by) : _mm_sll_epi64(x, by); };
  __m128i x = detail::machine(v);
  if constexpr (detail::rotates(W)) {
    const __m128i other = _mm_shuffle_epi32(x, 0x4e);
    const __m128i below = _mm_or_si128(there(x, count), back(other, _mm_sub_epi64(half, count)));
    const __m128i above =
        _mm_or_si128(there(other, _mm_sub_epi64(count, half)), back(x, _mm_sub_epi64(_mm_cvtsi32_si128(128), count)));
    return detail::from_machine<uint64_t>(_mm_or_si128(below, above));
  } else {
    // Of a negative number the complement is shifted.
    const __m128i sign = W == Wide::right_signed ? _mm_shuffle_epi32(_mm_srai_epi32(x, 31), 0xff) : __m128i{};
    if constexpr (W == Wide::right_signed)
      x = _mm_xor_si128(x, sign);
    const __m128i other = left ? _mm_slli_si128(x, 8) : _mm_srli_si128(x, 8);
    __m128i r = _mm_or_si128(_mm_or_si128(there(x, count), back(other, _mm_sub_epi64(half, count))),
                             there(other, _mm_sub_epi64(count, half)));
    if constexpr (W == Wide::right_signed)
      r = _mm_xor_si128(r, sign);
    return detail::from_machine<uint64_t>(r);
  }
}

// By a count known at run time; the functions below are its names.
template <Wide W, class T, int N> CROSSLANE_INLINE Vec<T, N> wide(Vec<T, N> v, unsigned n) {
  constexpr unsigned bits = sizeof(T) * N * 8;
  n = detail::rotates(W) ? n % bits : n < bits ? n : bits;
  const auto x = reinterpret<uint64_t>(v);
  if constexpr (bits == 128)
    return reinterpret<T>(wide_pair<W>(x, n));
#ifdef __AVX2__
  if constexpr (detail::wide_fits<W, bits / 64>())
    return reinterpret<T>(wide_in_registers<W>(x, n));
#endif
  return reinterpret<T>(wide_by_memory<W>(x, n));
}

// By a count known at compile time.
template <Wide W, unsigned Count, class T, int N> CROSSLANE_INLINE Vec<T, N> wide(Vec<T, N> v) {
  constexpr unsigned bits = sizeof(T) * N * 8, n = detail::rotates(W) ? Count % bits : Count < bits ? Count : bits;
  const auto x = reinterpret<uint64_t>(v);
#ifdef __AVX512VBMI__
  constexpr bool bytes = bits <= 512; // vpermb; vpslldq, vpalignr
#else
  constexpr bool bytes = bits <= 256;
#endif
  if constexpr (n == 0)
    return v;
  else if constexpr (n == bits)
    return reinterpret<T>(detail::incoming<W>(x));
  else if constexpr (n % 64 == 0)
    return reinterpret<T>(detail::moved<W, n / 64, uint64_t>(x));
  else if constexpr (n % 32 == 0)
    return reinterpret<T>(detail::moved<W, n / 32, uint32_t>(x));
  else if constexpr (n % 8 == 0 && bytes)
    return reinterpret<T>(detail::moved<W, n / 8, uint8_t>(x));
  else
    return reinterpret<T>(
        detail::funnel<W>(detail::moved<W, n / 64, uint64_t>(x), detail::moved<W, n / 64 + 1, uint64_t>(x), n % 64));
}

#define CROSSLANE_WIDE(name, which)                                                                                    \
  template <class T, int N> CROSSLANE_INLINE Vec<T, N> name(Vec<T, N> v, unsigned n) { return wide<which>(v, n); }     \
  template <unsigned Count, class T, int N> CROSSLANE_INLINE Vec<T, N> name(Vec<T, N> v) {                             \
    return wide<which, Count>(v);                                                                                      \
  }
CROSSLANE_WIDE(wide_shift_left, Wide::left)
CROSSLANE_WIDE(wide_shift_right, Wide::right)
CROSSLANE_WIDE(wide_shift_right_signed, Wide::right_signed)
CROSSLANE_WIDE(wide_rotate_left, Wide::rotate_left)
CROSSLANE_WIDE(wide_rotate_right, Wide::rotate_right)
#undef CROSSLANE_WIDE

CROSSLANE_LEVEL_END
} // namespace crosslane::lanes
