// Owns the multishift of VBMI: each byte of the result is any 8 consecutive bits of the 64-bit element that it lies in,
// wrapping from bit 63 to bit 0.
//
//   multishift(v, starts)                                    byte i is bits starts[i] to starts[i] + 7 of its element
//   multishift(v, [](auto i) { return i % 8 * 6; })          the same for starts known at compile time: unpack 6-bit
//   fields
//
// `starts` is dirty: only its low 6 bits count. v is a Vec of 64-bit elements, 16 to 256 bytes, the result one of
// bytes. Instructions per register: 1 with VBMI (vpmultishiftqb); about 26 with AVX2, 18 with AVX-512BW (two byte
// shuffles fetch the two bytes that the field lies in, a multiply or variable shift of 16-bit elements cuts it out);
// plain x86-64 rotates field by field. With starts known at compile time, a rotation of the whole element and fields
// that start at whole bytes become a rotate or a byte permute at every level. Source: Intel, "AVX-512 - Permuting Data
// Within and Between AVX Registers", 3.1.4.
#pragma once
#include "lanes/permute.h"
#include "lanes/registers.h"

namespace crosslane::lanes {
CROSSLANE_LEVEL_BEGIN

// Bit by bit, through memory: what every other way must equal.
template <int Q>
CROSSLANE_INLINE Vec<uint8_t, 8 * Q> multishift_by_loop(Vec<uint64_t, Q> v, Vec<uint8_t, 8 * Q> starts) {
  uint64_t in[Q];
  uint8_t start[8 * Q], out[8 * Q];
  store(in, v), store(start, starts);
  for (int i = 0; i < 8 * Q; ++i)
    out[i] = uint8_t(std::rotr(in[i / 8], start[i] & 63));
  return load<uint8_t, 8 * Q>(out);
}

#ifdef __AVX2__
// By byte shuffles; one register of the level or less.
template <int Q>
CROSSLANE_INLINE Vec<uint8_t, 8 * Q> multishift_by_shuffle(Vec<uint64_t, Q> v, Vec<uint8_t, 8 * Q> starts) {
#ifdef __AVX512BW__
#define CROSSLANE_SHUFFLE(x, i)                                                                                        \
  [&] {                                                                                                                \
    if constexpr (Q == 8)                                                                                              \
      return _mm512_shuffle_epi8(x, i);                                                                                \
    else if constexpr (Q == 4)                                                                                         \
      return _mm256_shuffle_epi8(x, i);                                                                                \
    else                                                                                                               \
      return _mm_shuffle_epi8(x, i);                                                                                   \
  }()
#else
#define CROSSLANE_SHUFFLE(x, i)                                                                                        \
  [&] {                                                                                                                \
    if constexpr (Q == 4)                                                                                              \
      return _mm256_shuffle_epi8(x, i);                                                                                \
    else                                                                                                               \
      return _mm_shuffle_epi8(x, i);                                                                                   \
  }()
#endif
  using Bytes = Vec<uint8_t, 8 * Q>;
  using Words = Vec<uint16_t, 4 * Q>;
  const auto shuffle = [](auto x, auto i) {
    return detail::from_machine<uint8_t>(CROSSLANE_SHUFFLE(detail::machine(x), detail::machine(i)));
  };
#undef CROSSLANE_SHUFFLE
  const Bytes element = iota<uint8_t, 8 * Q>() & Bytes(8); // where the element begins in its 16 bytes
  const Bytes whole = reinterpret<uint8_t>(reinterpret<uint16_t>(starts) >> Words(3));
  const Bytes low = shuffle(reinterpret<uint8_t>(v), (whole & Bytes(7)) | element);
  const Bytes high = shuffle(reinterpret<uint8_t>(v), ((whole + Bytes(1)) & Bytes(7)) | element);
  const Bytes bit = starts & Bytes(7);
  // Elements of 16 bits that hold the field, for even and odd bytes.
  const Words even =
      reinterpret<uint16_t>(low & reinterpret<uint8_t>(Words(0x00ff))) | (reinterpret<uint16_t>(high) << Words(8));
  const Words odd =
      (reinterpret<uint16_t>(low) >> Words(8)) | reinterpret<uint16_t>(high & reinterpret<uint8_t>(Words(0xff00)));
#ifdef __AVX512BW__
  const Words e = (even >> (reinterpret<uint16_t>(bit) & Words(0xff))) & Words(0xff);
  const Words o = (odd >> (reinterpret<uint16_t>(bit) >> Words(8))) << Words(8);
#else
  // No variable shift of 16 bits: multiply by 2^(7 - bit) to bring the field to bits 7 to 14.
  const auto factors = [&] {
    const Vec<uint8_t, 16> powers = reinterpret<uint8_t>(Vec<uint64_t, 2>(uint64_t(0x0102040810204080)));
    if constexpr (Q == 4)
      return shuffle(join(powers, powers), bit);
    else
      return shuffle(powers, bit);
  }();
  const Words e = ((even * (reinterpret<uint16_t>(factors) & Words(0xff))) >> Words(7)) & Words(0xff);
  const Words o = ((odd * (reinterpret<uint16_t>(factors) >> Words(8))) << Words(1)) & Words(0xff00);
#endif
  return reinterpret<uint8_t>(e | o);
}
#endif

template <int Q> CROSSLANE_INLINE Vec<uint8_t, 8 * Q> multishift(Vec<uint64_t, Q> v, Vec<uint8_t, 8 * Q> starts) {
#ifdef __AVX2__
  return detail::by_parts<register_bytes>(
      []<int P>(Vec<uint64_t, P> x, Vec<uint8_t, 8 * P> s) {
#ifdef __AVX512VBMI__
        const auto c = detail::machine(s), d = detail::machine(x);
        if constexpr (P == 8)
          return detail::from_machine<uint8_t>(_mm512_multishift_epi64_epi8(c, d));
        else if constexpr (P == 4)
          return detail::from_machine<uint8_t>(_mm256_multishift_epi64_epi8(c, d));
        else
          return detail::from_machine<uint8_t>(_mm_multishift_epi64_epi8(c, d));
#else
        return multishift_by_shuffle(x, s);
#endif
      },
      v, starts);
#else
  return multishift_by_loop(v, starts);
#endif
}

namespace detail {
template <class F, int Bytes> consteval std::array<uint8_t, Bytes> starts() {
  static_assert(std::is_empty_v<F>, "multishift: the lambda must not capture; make what it needs a template argument");
  return []<int... I>(std::integer_sequence<int, I...>) {
    return std::array<uint8_t, Bytes>{uint8_t(unsigned(F{}(std::integral_constant<int, I>{})) & 63)...};
  }(std::make_integer_sequence<int, Bytes>{});
}
} // namespace detail

template <int Q, class F>
  requires std::is_invocable_v<F, std::integral_constant<int, 0>>
CROSSLANE_INLINE Vec<uint8_t, 8 * Q> multishift(Vec<uint64_t, Q> v, F) {
  constexpr auto starts = detail::starts<F, 8 * Q>();
  constexpr bool rotation = [&] {
    for (int i = 0; i < 8 * Q; ++i)
      if ((starts[i] - starts[0] - i * 8) % 64 != 0)
        return false;
    return true;
  }();
  constexpr bool whole_bytes = [&] {
    for (uint8_t s : starts)
      if (s % 8 != 0)
        return false;
    return true;
  }();
  if constexpr (whole_bytes) {
    return permute(reinterpret<uint8_t>(v), [](auto i) { return i / 8 * 8 + detail::starts<F, 8 * Q>()[i] / 8; });
  } else if constexpr (rotation) {
    return reinterpret<uint8_t>((v >> Vec<uint64_t, Q>(starts[0])) | (v << Vec<uint64_t, Q>(64 - starts[0])));
  } else {
    return multishift(v, load<uint8_t, 8 * Q>(starts.data()));
  }
}

CROSSLANE_LEVEL_END
} // namespace crosslane::lanes
