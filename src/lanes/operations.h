// Owns the operations that reductions and scans combine elements by: Sum, Min, Max, And, Or, Xor, on Vecs of any
// length. Integers wrap. Min and Max of floats prefer a number to a NaN, so that the order in which they are taken does
// not matter; FastMin and FastMax do not care for NaNs. identity<T>() is the element that changes nothing. An operation
// of one's own looks the same; reductions need no identity.
#pragma once
#include "lanes/math.h"
#include <limits>

namespace crosslane::lanes {
CROSSLANE_LEVEL_BEGIN

struct Sum {
  template <class T> static constexpr T identity() { return T(0); }
  template <class T, int N> CROSSLANE_INLINE Vec<T, N> operator()(Vec<T, N> a, Vec<T, N> b) const {
    if constexpr (std::is_integral_v<T>)
      return add(a, b);
    else
      return a + b;
  }
};
struct Min {
  template <class T> static constexpr T identity() {
    using L = std::numeric_limits<T>;
    return L::has_infinity ? L::infinity() : L::max();
  }
  template <class T, int N> CROSSLANE_INLINE Vec<T, N> operator()(Vec<T, N> a, Vec<T, N> b) const {
    return min_int(a, b);
  }
};
struct Max {
  template <class T> static constexpr T identity() {
    using L = std::numeric_limits<T>;
    return L::has_infinity ? -L::infinity() : L::lowest();
  }
  template <class T, int N> CROSSLANE_INLINE Vec<T, N> operator()(Vec<T, N> a, Vec<T, N> b) const {
    return max_int(a, b);
  }
};
// The machine's own minimum and maximum of floats, one instruction where Min and Max are five: a < b ? a : b, so that
// the second operand is taken where either is a NaN, and where both are zeros. Elements without a NaN give what Min and
// Max give (a zero of either sign); with one, what comes out is one of the elements, the NaN or another. Integers as
// Min and Max.
struct FastMin : Min {
  template <class T, int N> CROSSLANE_INLINE Vec<T, N> operator()(Vec<T, N> a, Vec<T, N> b) const {
    if constexpr (std::is_integral_v<T>)
      return min_int(a, b);
    else
      return Vec<T, N>::of(a.v < b.v ? a.v : b.v);
  }
};
struct FastMax : Max {
  template <class T, int N> CROSSLANE_INLINE Vec<T, N> operator()(Vec<T, N> a, Vec<T, N> b) const {
    if constexpr (std::is_integral_v<T>)
      return max_int(a, b);
    else
      return Vec<T, N>::of(a.v > b.v ? a.v : b.v);
  }
};
struct And {
  template <class T> static constexpr T identity() { return T(~T(0)); }
  template <class T, int N> CROSSLANE_INLINE Vec<T, N> operator()(Vec<T, N> a, Vec<T, N> b) const { return a & b; }
};
struct Or {
  template <class T> static constexpr T identity() { return T(0); }
  template <class T, int N> CROSSLANE_INLINE Vec<T, N> operator()(Vec<T, N> a, Vec<T, N> b) const { return a | b; }
};
struct Xor {
  template <class T> static constexpr T identity() { return T(0); }
  template <class T, int N> CROSSLANE_INLINE Vec<T, N> operator()(Vec<T, N> a, Vec<T, N> b) const { return a ^ b; }
};

CROSSLANE_LEVEL_END
} // namespace crosslane::lanes
