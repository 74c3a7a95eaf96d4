// Owns compress and expand: moving the lanes chosen by a set of bits to the front of a vector, and back.
//
//   auto [values, count] = compress(v, mask);         chosen lanes to the front, zero behind them
//   auto [values, count] = compress(v, mask, rest);   the same, lanes from `count` on are those of `rest`
//   auto [values, count] = expand(v, mask);           the front of v to the chosen lanes, zero elsewhere
//   auto [values, count] = expand(v, mask, rest);     the same, lanes not chosen are those of `rest`
//   p += compress_store(p, v, mask);                  writes exactly the chosen lanes, touches no byte behind them
//   p += compress_store_over(p, v, mask);             the same, but the rest of the N lanes from p on may be anything
//   auto [values, count] = expand_load<N>(p, mask);   reads exactly as many elements as bits are set
//
// Elements of 8, 16, 32 or 64 bits, vectors of 16 to 256 bytes. `mask` is an integer, a Mask<N>, or (more than 64
// lanes) the words of a LaneMask<N>; bits above the last lane are ignored. Memory needs no alignment. Instructions for
// one register, without moving the mask into a k register:
//   AVX-512F 32, 64 bit and VBMI2 8, 16 bit: 1.  AVX-512 16 bit, up to 32 bytes: 3.  AVX2: 3 to 12.
// What has no way in registers (see compress_ways.h) goes part by part through the stack: 8 bit over 16 bytes and 16
// bit over 32 bytes without VBMI2 (but 16 bit in 64 bytes compresses in 11 instructions), 8 and 16 bit over 16 bytes
// with AVX2, and every vector of several registers. The parts overlap in the buffer and are read back whole, which
// costs a failed store forwarding (some 20 cycles of latency); compress_store and expand_load do without. AVX-512 puts
// the mask on the store and not on vpcompress: its memory form is microcode on Zen 4 (over 100 cycles). So is vpmaskmov
// to memory (4.3 ns): AVX2 stores pieces and decides by branches. compress_store_over takes 0.8 ns for 8 x 32 bit where
// compress_store takes 1.2; with AVX-512 they are alike. The baseline moves element by element.
#pragma once
#include "lanes/compress_ways.h"

namespace crosslane::lanes {
CROSSLANE_LEVEL_BEGIN

template <class T, int N> struct Counted {
  Vec<T, N> values;
  int count; // lanes chosen
};

// Lanes of T that one register compresses at this level without memory.
template <class T>
inline constexpr int compress_lanes =
#if defined(__AVX512VBMI2__)
    64 / sizeof(T);
#elif defined(__AVX512BW__)
    sizeof(T) == 1   ? 16
    : sizeof(T) == 2 ? 16
                     : 64 / sizeof(T);
#elif defined(__AVX2__)
    sizeof(T) == 1   ? 16
    : sizeof(T) == 2 ? 8
                     : 32 / sizeof(T);
#else
    64; // a loop over memory: no register to fit in
#endif

namespace detail {
template <class T, int N> consteval Way best_compress() {
  for (Way w : {Way::native, Way::widening, Way::table})
    if (w == Way::native     ? has_compress<Way::native, T, N>()
        : w == Way::widening ? has_compress<Way::widening, T, N>()
                             : has_compress<Way::table, T, N>())
      return w;
  return Way::loop;
}
template <class T, int N> inline constexpr int compress_part = N < compress_lanes<T> ? N : compress_lanes<T>;

// All-ones bytes, then zero bytes: read n elements before the border it is a mask of the first n lanes.
struct Border {
  alignas(64) std::array<uint8_t, 512> byte;
};
inline constexpr Border border = [] {
  Border b{};
  for (int i = 0; i < 256; ++i)
    b.byte[i] = 0xff;
  return b;
}();
// One register compressed; behind the chosen lanes may be anything.
template <class T, int N> CROSSLANE_INLINE Vec<T, N> compress_dirty(Vec<T, N> v, uint64_t mask) {
  constexpr Way way = best_compress<T, N>();
#ifdef __AVX2__
  if constexpr (way == Way::table)
    return by_index<false, way, true>(v, mask);
#endif
  return compress_by<way>(v, mask);
}

// a in the first n lanes, then b.
template <class T, int N> CROSSLANE_INLINE Vec<T, N> first(int n, Vec<T, N> a, Vec<T, N> b) {
#ifdef __AVX512BW__
  if constexpr (N <= 64)
    return blend<T, N>(low_bits(unsigned(n)), a, b);
#endif
  using U = unsigned_of<sizeof(T)>;
  const auto m = load<U, N>(border.byte.data() + 256 - size_t(n) * sizeof(T));
  return bitcast<T>((bitcast<U>(a) & m) | (bitcast<U>(b) & ~m));
}

// `length` bytes, up to 64, by two overlapping moves of the largest power of two in it: a copy without a call or a
// loop.
template <size_t Half> CROSSLANE_INLINE void copy_up_to(void* to, const void* from, size_t length) {
  if constexpr (Half == 0) {
  } else if (length >= Half) {
    std::array<uint8_t, Half> head, tail;
    const auto f = static_cast<const uint8_t*>(from);
    const auto t = static_cast<uint8_t*>(to);
    std::memcpy(&head, f, Half), std::memcpy(&tail, f + length - Half, Half);
    std::memcpy(t, &head, Half), std::memcpy(t + length - Half, &tail, Half);
  } else {
    copy_up_to<Half / 2>(to, from, length);
  }
}

// `length` bytes, up to 16, then zeros, by two overlapping loads into general registers: what is written in pieces and
// read back whole would wait (a failed store forwarding).
CROSSLANE_INLINE Vec<uint64_t, 2> load_up_to_16(const uint8_t* p, unsigned length) {
  const auto word = [p]<class U>(U, unsigned at) { return load<U, 1>(p + at).v; };
  uint64_t low = 0, high = 0;
  if (length >= 8) {
    const unsigned half = 4 * (16 - length); // shifts by 64 in all if there are but 8
    low = word(uint64_t(), 0), high = word(uint64_t(), length - 8) >> half >> half;
  } else if (length >= 4) {
    low = word(uint32_t(), 0) | uint64_t(word(uint32_t(), length - 4)) << 8 * (length - 4);
  } else if (length >= 2) {
    low = word(uint16_t(), 0) | uint32_t(word(uint16_t(), length - 2)) << 8 * (length - 2);
  } else if (length == 1) {
    low = *p;
  }
  return Vec<uint64_t, 2>::of(raw_t<uint64_t, 2>{low, high});
}

#ifdef __AVX512BW__
template <class T, class M> CROSSLANE_INLINE void store_masked(void* p, uint64_t k, M v) {
#define CROSSLANE_STORE(bits, prefix)                                                                                  \
  if constexpr (sizeof(T) * 8 == bits)                                                                                 \
    prefix##_mask_storeu_epi##bits(p, k, v);
#define CROSSLANE_STORES(prefix)                                                                                       \
  CROSSLANE_STORE(8, prefix) CROSSLANE_STORE(16, prefix) CROSSLANE_STORE(32, prefix) CROSSLANE_STORE(64, prefix)
  if constexpr (sizeof(M) == 64) {
    CROSSLANE_STORES(_mm512)
  } else if constexpr (sizeof(M) == 32) {
    CROSSLANE_STORES(_mm256)
  } else {
    CROSSLANE_STORES(_mm)
  }
#undef CROSSLANE_STORES
#undef CROSSLANE_STORE
}
template <class T, int Bytes> CROSSLANE_INLINE auto load_masked(const void* p, uint64_t k) {
#define CROSSLANE_LOAD(bits, prefix)                                                                                   \
  if constexpr (sizeof(T) * 8 == bits)                                                                                 \
    return prefix##_maskz_loadu_epi##bits(k, p);
#define CROSSLANE_LOADS(prefix)                                                                                        \
  CROSSLANE_LOAD(8, prefix) CROSSLANE_LOAD(16, prefix) CROSSLANE_LOAD(32, prefix) CROSSLANE_LOAD(64, prefix)
  if constexpr (Bytes == 64) {
    CROSSLANE_LOADS(_mm512)
  } else if constexpr (Bytes == 32) {
    CROSSLANE_LOADS(_mm256)
  } else {
    CROSSLANE_LOADS(_mm)
  }
#undef CROSSLANE_LOADS
#undef CROSSLANE_LOAD
}
#elif defined(__AVX2__)
// Ones in the first n lanes.
template <class T, int N> CROSSLANE_INLINE auto first_lanes(int n) {
  return machine(load<T, N>(border.byte.data() + 256 - size_t(n) * sizeof(T)));
}
template <class T, class M> CROSSLANE_INLINE M load_masked(const void* p, M k) {
  if constexpr (sizeof(M) == 32 && sizeof(T) == 8)
    return _mm256_maskload_epi64(static_cast<const long long*>(p), k);
  else if constexpr (sizeof(M) == 32)
    return _mm256_maskload_epi32(static_cast<const int*>(p), k);
  else if constexpr (sizeof(T) == 8)
    return _mm_maskload_epi64(static_cast<const long long*>(p), k);
  else
    return _mm_maskload_epi32(static_cast<const int*>(p), k);
}
#endif

#ifdef __AVX2__
// The first n of 4 or 8 lanes of 32 or 64 bits from registers, by two stores at most. vpmaskmov to memory is microcode
// on Zen 4 (4.3 ns), stores to a place that is chosen without a branch take longer, too.
template <class T, int N> CROSSLANE_INLINE void store_by_pieces(T* p, int n, Vec<T, N> v) {
  if constexpr (N == 2) {
    if (n == 2)
      store(p, v);
    else if (n == 1)
      store(p, part<1, 0>(v));
  } else if constexpr (N == 4) {
    if (n >= 2) {
      store(p, part<2, 0>(v));
      if (n == 4)
        store(p + 2, part<2, 1>(v));
      else if (n == 3)
        store(p + 2, part<1, 2>(v));
    } else if (n == 1) {
      store(p, part<1, 0>(v));
    }
  } else {
    // Four and the last four; below, two and the last one, in the last place of these four.
    static constexpr auto from = [] {
      std::array<uint32_t, 16> f{};
      for (unsigned i = 0; i < 16; ++i)
        f[i] = (i + 4) % 8;
      return f;
    }();
    const auto last = from_machine<T>(_mm256_permutevar8x32_epi32(machine(v), machine(load<uint32_t, 8>(&from[n]))));
    if (n >= 4)
      store(p, part<4, 0>(v)), store(p + n - 4, part<4, 0>(last));
    else if (n >= 2)
      store(p, part<2, 0>(v)), store(p + n - 1, part<1, 3>(last));
    else if (n == 1)
      store(p, part<1, 0>(v));
  }
}
#endif

#ifndef __AVX2__
// 16 bytes element by element, from or to memory: to write the elements and read them back whole would wait (a failed
// store forwarding). Lanes are hardly branched on: one that is not chosen is written and then overwritten, except
// behind the last chosen one, which is where to stop.
template <bool Exact, class T, int N> CROSSLANE_INLINE int store_chosen(T* p, Vec<T, N> v, uint64_t mask) {
  T* to = p;
  if constexpr (Exact && N == 2) {
    const auto high = part<1, 1>(v);
    if (mask)
      store(to++, Vec<T, 1>(mask & 1 ? part<1, 0>(v).v : high.v));
    if (mask == 3)
      store(to++, high);
  } else if constexpr (Exact) {
    std::array<T, N> lane;
    store(lane.data(), v);
    for (int i = 0; mask != 0; ++i, mask >>= 1) {
      store(to, Vec<T, 1>(lane[size_t(i)]));
      to += mask & 1;
    }
  } else {
    unrolled<N>([&](auto i) {
      store(to, part<1, i>(v));
      to += mask >> i & 1;
    });
  }
  return int(to - p);
}
template <class T, int N> CROSSLANE_INLINE Vec<T, N> load_chosen(const T* p, uint64_t mask, int& count) {
  static_assert(sizeof(T) * N == 16);
  const T nothing = 0, *from = p; // lanes that are not chosen read that
  std::array<uint64_t, 2> word = {};
  unrolled<N>([&](auto i) {
    const bool on = mask >> i & 1;
    constexpr int at = int(sizeof(T)) * i;
    const T x = load<T, 1>(on ? from : &nothing).v;
    word[at / 8] |= uint64_t(std::bit_cast<unsigned_of<sizeof(T)>>(x)) << at % 8 * 8;
    from += on;
  });
  count = int(from - p);
  return reinterpret<T>(Vec<uint64_t, 2>::of(raw_t<uint64_t, 2>{word[0], word[1]}));
}
#endif
} // namespace detail

// Writes the first n lanes (0 to N) and touches no byte behind them; one register.
template <class T, int N> CROSSLANE_INLINE void store_first(void* p, int n, Vec<T, N> v) {
#ifdef __AVX512BW__
  if constexpr (sizeof(v) >= 16)
    return detail::store_masked<T>(p, low_bits(unsigned(n)), detail::machine(v));
#endif
#if defined(__AVX2__) && !defined(__AVX512BW__)
  if constexpr (sizeof(T) >= 4 && sizeof(v) >= 16)
    return detail::store_by_pieces(static_cast<T*>(p), n, v);
#endif
  T spilled[N];
  store(spilled, v);
  if (n == N)
    store(p, v);
  else
    detail::copy_up_to<sizeof(T) * N / 2>(p, spilled, size_t(n) * sizeof(T));
}
// Reads the first n lanes (0 to N) and touches no byte behind them, the rest is zero; one register.
template <class T, int N> CROSSLANE_INLINE Vec<T, N> load_first(const void* p, int n) {
#ifdef __AVX512BW__
  if constexpr (sizeof(Vec<T, N>) >= 16)
    return detail::from_machine<T>(detail::load_masked<T, sizeof(T) * N>(p, low_bits(unsigned(n))));
#endif
#if defined(__AVX2__) && !defined(__AVX512BW__)
  if constexpr (sizeof(T) >= 4 && sizeof(Vec<T, N>) >= 16)
    return detail::from_machine<T>(detail::load_masked<T>(p, detail::first_lanes<T, N>(n)));
#endif
  if (n == N)
    return load<T, N>(p);
  if constexpr (sizeof(Vec<T, N>) == 16)
    return reinterpret<T>(detail::load_up_to_16(static_cast<const uint8_t*>(p), unsigned(n) * unsigned(sizeof(T))));
  T filled[N] = {};
  detail::copy_up_to<sizeof(T) * N / 2>(filled, p, size_t(n) * sizeof(T));
  return load<T, N>(filled);
}

template <class T, int N> CROSSLANE_INLINE Counted<T, N> compress(Vec<T, N> v, std::type_identity_t<LaneMask<N>> mask) {
  constexpr int part_lanes = detail::compress_part<T, N>;
  if constexpr (part_lanes == N) {
    return {compress_by<detail::best_compress<T, N>()>(v, mask.word[0]), mask.count()};
#ifdef __AVX512BW__
  } else if constexpr (sizeof(T) == 2 && N == 32) {
    // The halves, and the upper one moved to where the lower one ends.
    const auto half = [&](auto k) {
      return _mm512_zextsi256_si512(
          detail::machine(compress_by<Way::widening>(part<16, k>(v), mask.template bits<16, k>())));
    };
    const int low = std::popcount(mask.template bits<16, 0>());
    const __m512i lane = detail::machine(iota<uint16_t, 32>());
    const __m512i from =
        _mm512_mask_add_epi16(lane, ~uint32_t(low_bits(unsigned(low))), lane, _mm512_set1_epi16(short(32 - low)));
    return {detail::from_machine<T>(_mm512_permutex2var_epi16(half(std::integral_constant<int, 0>{}), from,
                                                              half(std::integral_constant<int, 1>{}))),
            mask.count()};
#endif
  } else {
    T out[N + part_lanes] = {};
    int n = 0;
    unrolled<N / part_lanes>([&](auto k) {
      const uint64_t bits = mask.template bits<part_lanes, k>();
      store(out + n, compress_by<detail::best_compress<T, part_lanes>()>(part<part_lanes, k>(v), bits));
      n += std::popcount(bits);
    });
    return {load<T, N>(out), n};
  }
}

template <class T, int N> CROSSLANE_INLINE Counted<T, N> expand(Vec<T, N> v, std::type_identity_t<LaneMask<N>> mask) {
  constexpr int part_lanes = detail::compress_part<T, N>;
  if constexpr (part_lanes == N) {
    return {expand_by<detail::best_compress<T, N>()>(v, mask.word[0]), mask.count()};
  } else {
    T in[N + part_lanes] = {};
    store(in, v);
    std::array<Vec<T, part_lanes>, N / part_lanes> out;
    int n = 0;
    unrolled<N / part_lanes>([&](auto k) {
      const uint64_t bits = mask.template bits<part_lanes, k>();
      out[k] = expand_by<detail::best_compress<T, part_lanes>()>(load<T, part_lanes>(in + n), bits);
      n += std::popcount(bits);
    });
    return {join(out), n};
  }
}

template <class T, int N>
CROSSLANE_INLINE Counted<T, N> compress(Vec<T, N> v, std::type_identity_t<LaneMask<N>> mask,
                                        std::type_identity_t<Vec<T, N>> rest) {
#ifdef __AVX512BW__
  if constexpr (has_compress<Way::native, T, N>()) {
    const auto r = detail::machine(rest), m = detail::machine(v);
    const uint64_t k = mask.word[0];
    if constexpr (sizeof(T) == 8)
      return {detail::from_machine<T>(detail::compress64(r, k, m)), mask.count()};
    else if constexpr (sizeof(T) == 4)
      return {detail::from_machine<T>(detail::compress32(r, k, m)), mask.count()};
#ifdef __AVX512VBMI2__
    else if constexpr (sizeof(T) == 2)
      return {detail::from_machine<T>(detail::compress16(r, k, m)), mask.count()};
    else
      return {detail::from_machine<T>(detail::compress8(r, k, m)), mask.count()};
#endif
  } else
#endif
  {
    const auto [values, count] = compress(v, mask);
    return {detail::first<T, N>(count, values, rest), count};
  }
}

template <class T, int N>
CROSSLANE_INLINE Counted<T, N> expand(Vec<T, N> v, std::type_identity_t<LaneMask<N>> mask,
                                      std::type_identity_t<Vec<T, N>> rest) {
#ifdef __AVX512BW__
  if constexpr (has_compress<Way::native, T, N>()) {
    const auto r = detail::machine(rest), m = detail::machine(v);
    const uint64_t k = mask.word[0];
    if constexpr (sizeof(T) == 8)
      return {detail::from_machine<T>(detail::expand64(r, k, m)), mask.count()};
    else if constexpr (sizeof(T) == 4)
      return {detail::from_machine<T>(detail::expand32(r, k, m)), mask.count()};
#ifdef __AVX512VBMI2__
    else if constexpr (sizeof(T) == 2)
      return {detail::from_machine<T>(detail::expand16(r, k, m)), mask.count()};
    else
      return {detail::from_machine<T>(detail::expand8(r, k, m)), mask.count()};
#endif
  } else
#endif
  {
    const auto [values, count] = expand(v, mask);
    constexpr int step = N < 64 ? N : 64;
    std::array<Vec<T, step>, N / step> out;
    unrolled<N / step>(
        [&](auto k) { out[k] = detail::blend<T, step>(mask.word[k], part<step, k>(values), part<step, k>(rest)); });
    return {join(out), count};
  }
}

// Returns how many lanes were written: where the next ones go.
template <class T, int N>
CROSSLANE_INLINE int compress_store(T* p, Vec<T, N> v, std::type_identity_t<LaneMask<N>> mask) {
  int n = 0;
#ifdef __AVX2__
  constexpr int part_lanes = detail::compress_part<T, N>;
  unrolled<N / part_lanes>([&](auto k) {
    const uint64_t bits = mask.template bits<part_lanes, k>();
    const int chosen = std::popcount(bits);
    store_first(p + n, chosen, detail::compress_dirty(part<part_lanes, k>(v), bits));
    n += chosen;
  });
#else
  constexpr int part_lanes = 16 / sizeof(T);
  unrolled<N / part_lanes>([&](auto k) {
    n += detail::store_chosen<true>(p + n, part<part_lanes, k>(v), mask.template bits<part_lanes, k>());
  });
#endif
  return n;
}

// compress_store where all N lanes from p on may be written: the chosen ones, then anything.
template <class T, int N>
CROSSLANE_INLINE int compress_store_over(T* p, Vec<T, N> v, std::type_identity_t<LaneMask<N>> mask) {
  int n = 0;
#ifdef __AVX2__
  constexpr int part_lanes = detail::compress_part<T, N>;
  unrolled<N / part_lanes>([&](auto k) {
    const uint64_t bits = mask.template bits<part_lanes, k>();
    store(p + n, detail::compress_dirty(part<part_lanes, k>(v), bits));
    n += std::popcount(bits);
  });
#else
  constexpr int part_lanes = 16 / sizeof(T);
  unrolled<N / part_lanes>([&](auto k) {
    n += detail::store_chosen<false>(p + n, part<part_lanes, k>(v), mask.template bits<part_lanes, k>());
  });
#endif
  return n;
}

// expand_load<N>(p, mask) reads a Vec<T, N>; `count` says how many elements were read.
template <int N, class T>
CROSSLANE_INLINE Counted<T, N> expand_load(const T* p, std::type_identity_t<LaneMask<N>> mask) {
#ifdef __AVX2__
  constexpr int part_lanes = detail::compress_part<T, N>;
  std::array<Vec<T, part_lanes>, N / part_lanes> out;
  int n = 0;
  unrolled<N / part_lanes>([&](auto k) {
    const uint64_t bits = mask.template bits<part_lanes, k>();
    const int chosen = std::popcount(bits);
    out[k] = expand_by<detail::best_compress<T, part_lanes>()>(load_first<T, part_lanes>(p + n, chosen), bits);
    n += chosen;
  });
#else
  constexpr int part_lanes = 16 / sizeof(T);
  std::array<Vec<T, part_lanes>, N / part_lanes> out;
  int n = 0;
  unrolled<N / part_lanes>([&](auto k) {
    int chosen;
    out[k] = detail::load_chosen<T, part_lanes>(p + n, mask.template bits<part_lanes, k>(), chosen);
    n += chosen;
  });
#endif
  return {join(out), n};
}

CROSSLANE_LEVEL_END
} // namespace crosslane::lanes
