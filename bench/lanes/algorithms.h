// Owns what the algorithms' measurements share: data in L1, loops that the compiler cannot shorten, and what they
// compare with.
#pragma once
#include "bench/lanes/cases.h"
#include "bench/lanes/hide.h"
#include <algorithm>
#include <array>
#include <random>
// Highway takes its own way for the level from the same macros as the compiler; what it wants of AES has no part in it.
#define HWY_DISABLE_PCLMUL_AES
#include <hwy/highway.h>

namespace crosslane::lanes {
CROSSLANE_LEVEL_BEGIN
namespace bench {

using crosslane::bench::Cases;
namespace hn = hwy::HWY_NAMESPACE;

// Highway 1.0.3 has nothing between single elements and SSSE3: no comparison at the baseline.
inline constexpr bool with_highway = widest > 16;
#ifdef __AVX512BW__
static_assert(HWY_STATIC_TARGET == HWY_AVX3, "Highway must use what the level has");
#elif defined(__AVX2__)
static_assert(HWY_STATIC_TARGET == HWY_AVX2, "Highway must use what the level has");
#endif

CROSSLANE_INLINE void everything_counts() { asm volatile("" ::: "memory"); }

// f() is one operation. What it reads may have changed since the last one, what it writes will be read. A copy of f is
// called: pointers that stores could change would be read again for each element, and no loop would be vectorised.
template <class F> crosslane::bench::Variant again(const char* name, F f) {
  return {name, [f](size_t n) {
            const F g = f;
            for (size_t i = 0; i < n; ++i) {
              g();
              everything_counts();
            }
          }};
}

// What is read starts a page, what is written starts in the middle of one: loads and stores at equal places of pages
// would wait for each other.
template <class T, size_t Count> struct Buffer {
  alignas(4096) T at[Count];
};
template <class T, size_t Count> const T* random_data() {
  static const Buffer<T, Count> data = [] {
    Buffer<T, Count> b;
    std::mt19937_64 bits(5);
    for (T& x : b.at)
      x = T(bits());
    return b;
  }();
  return data.at;
}
template <class T, size_t Count> T* room() {
  constexpr size_t half_page = 2048 / sizeof(T);
  static Buffer<T, Count + half_page> b;
  return b.at + half_page;
}
template <class T> std::string element() {
  return (std::is_floating_point_v<T> ? "f" : "u") + std::to_string(sizeof(T) * 8);
}

} // namespace bench
CROSSLANE_LEVEL_END
} // namespace crosslane::lanes
