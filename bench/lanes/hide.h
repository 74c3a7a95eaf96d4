// Owns values that the compiler can neither foresee nor leave out, in registers: what a variant reads and what it
// makes.
#pragma once
#include "lanes/vec.h"
#include <immintrin.h>
#include <utility>

namespace crosslane::lanes {
CROSSLANE_LEVEL_BEGIN
namespace bench {

#ifdef __AVX512BW__
inline constexpr int widest = 64;
#elif defined(__AVX2__)
inline constexpr int widest = 32;
#else
inline constexpr int widest = 16;
#endif
template <int Bytes> using Raw8 = uint8_t __attribute__((ext_vector_type(Bytes)));

template <int Bytes, int First, class V> CROSSLANE_INLINE Raw8<Bytes> piece(V v) {
  constexpr int have = sizeof(V);
  return [&]<size_t... I>(std::index_sequence<I...>) __attribute__((always_inline)) {
    return __builtin_shufflevector(v, v, (First + int(I) < have ? First + int(I) : -1)...);
  }(std::make_index_sequence<Bytes>{});
}
template <class V> CROSSLANE_INLINE auto put_together(V v) { return v; }
template <class V, class... More> CROSSLANE_INLINE auto put_together(V v, More... more) {
  if constexpr (sizeof...(More) == 0)
    return v;
  else if constexpr (sizeof...(More) == 1)
    return [&]<size_t... I>(std::index_sequence<I...>) __attribute__((always_inline)) {
      return __builtin_shufflevector(v, more..., int(I)...);
    }(std::make_index_sequence<2 * sizeof(V)>{});
}

template <class V> CROSSLANE_INLINE void forget_one(V& v) { asm volatile("" : "+v"(v)); }

// Bytes in as many registers as it takes.
template <int Bytes> struct Held {
  static constexpr int each = Bytes < 16       ? 16
                              : Bytes < widest ? Bytes
                                               : widest,
                       count = Bytes <= each ? 1 : Bytes / each;
  Raw8<each> r[count];

  // From now on the compiler knows nothing of what is in it.
  CROSSLANE_INLINE void forget() {
    [&]<size_t... K>(std::index_sequence<K...>)
        __attribute__((always_inline)) { (forget_one(r[K]), ...); }(std::make_index_sequence<count>{});
  }
  template <int First, int Count> CROSSLANE_INLINE auto joined() const {
    if constexpr (Count == 1)
      return r[First];
    else
      return put_together(joined<First, Count / 2>(), joined<First + Count / 2, Count / 2>());
  }
  template <class V> CROSSLANE_INLINE V as() const {
    if constexpr (Bytes < 16)
      return __builtin_bit_cast(V, piece<Bytes, 0>(r[0]));
    else
      return __builtin_bit_cast(V, joined<0, count>());
  }
  // What does not fit is left out; what is missing is anything.
  template <class V> CROSSLANE_INLINE void set(V v) {
    const auto bytes = __builtin_bit_cast(Raw8<sizeof(V)>, v);
    [&]<size_t... K>(std::index_sequence<K...>) __attribute__((always_inline)) {
      ((int(K) * each < int(sizeof(V)) ? void(r[K] = piece<each, int(K) * each>(bytes)) : void()), ...);
    }(std::make_index_sequence<count>{});
  }
};

// The value must be made.
template <class V> CROSSLANE_INLINE void use(V v) {
  Held<sizeof(V)> h{};
  h.set(v);
  h.forget();
}

} // namespace bench
CROSSLANE_LEVEL_END
} // namespace crosslane::lanes
