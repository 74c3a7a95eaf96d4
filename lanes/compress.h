// Owns compress and expand: moving the lanes chosen by a set of bits to the front of a vector, and back.
//
//   auto [values, count] = compress(v, mask);         chosen lanes to the front, zero behind them
//   auto [values, count] = compress(v, mask, rest);   the same, lanes from `count` on are those of `rest`
//   auto [values, count] = expand(v, mask);           the front of v to the chosen lanes, zero elsewhere
//   auto [values, count] = expand(v, mask, rest);     the same, lanes not chosen are those of `rest`
//   p += compress_store(p, v, mask);                  writes exactly the chosen lanes, touches no byte behind them
//   auto [values, count] = expand_load<N>(p, mask);   reads exactly as many elements as bits are set
//
// Elements of 8, 16, 32 or 64 bits, vectors of 16 to 256 bytes. `mask` is an integer, a Mask<N>, or (more than 64
// lanes) the words of a LaneMask<N>; bits above the last lane are ignored. Memory needs no alignment. Instructions for
// one register, without moving the mask into a k register:
//   AVX-512F 32, 64 bit and VBMI2 8, 16 bit: 1.  AVX-512 16 bit, up to 32 bytes: 3.  AVX2: 3 to 12.
// What has no way in registers (see compress_ways.h) goes part by part through the stack: 8 bit over 16 bytes and 16
// bit over 32 bytes without VBMI2, 8 and 16 bit over 16 bytes with AVX2, and every vector of several registers. The
// parts overlap in the buffer and are read back whole, which costs a failed store forwarding (some 20 cycles of
// latency); compress_store and expand_load do without. Stores put the mask on the store and not on vpcompress: its
// memory form is microcode on Zen 4 (over 100 cycles).
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
#endif
} // namespace detail

// Writes the first n lanes (0 to N) and touches no byte behind them; one register.
template <class T, int N> CROSSLANE_INLINE void store_first(void* p, int n, Vec<T, N> v) {
#ifdef __AVX512BW__
  if constexpr (sizeof(v) >= 16)
    return detail::store_masked<T>(p, low_bits(unsigned(n)), detail::machine(v));
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
  if (n == N)
    return load<T, N>(p);
  T filled[N] = {};
  detail::copy_up_to<sizeof(T) * N / 2>(filled, p, size_t(n) * sizeof(T));
  return load<T, N>(filled);
}

template <class T, int N> CROSSLANE_INLINE Counted<T, N> compress(Vec<T, N> v, std::type_identity_t<LaneMask<N>> mask) {
  constexpr int part_lanes = detail::compress_part<T, N>;
  if constexpr (part_lanes == N) {
    return {compress_by<detail::best_compress<T, N>()>(v, mask.word[0]), mask.count()};
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
  constexpr int part_lanes = detail::compress_part<T, N>;
  int n = 0;
  unrolled<N / part_lanes>([&](auto k) {
    const uint64_t bits = mask.template bits<part_lanes, k>();
    const int chosen = std::popcount(bits);
    store_first(p + n, chosen, compress_by<detail::best_compress<T, part_lanes>()>(part<part_lanes, k>(v), bits));
    n += chosen;
  });
  return n;
}

// expand_load<N>(p, mask) reads a Vec<T, N>; `count` says how many elements were read.
template <int N, class T>
CROSSLANE_INLINE Counted<T, N> expand_load(const T* p, std::type_identity_t<LaneMask<N>> mask) {
  constexpr int part_lanes = detail::compress_part<T, N>;
  std::array<Vec<T, part_lanes>, N / part_lanes> out;
  int n = 0;
  unrolled<N / part_lanes>([&](auto k) {
    const uint64_t bits = mask.template bits<part_lanes, k>();
    const int chosen = std::popcount(bits);
    out[k] = expand_by<detail::best_compress<T, part_lanes>()>(load_first<T, part_lanes>(p + n, chosen), bits);
    n += chosen;
  });
  return {join(out), n};
}

CROSSLANE_LEVEL_END
} // namespace crosslane::lanes
