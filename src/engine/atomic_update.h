// Owns what atomics compute, for memory and LDS alike.
// Source: Vega ISA manual, 12.13 and 12.14, formulas of DS_* and BUFFER_ATOMIC_*.
#pragma once
#include "isa/row.h"
#include "lanes/vec.h"
#include <cstdint>
#include <type_traits>

namespace crosslane::engine {
CROSSLANE_LEVEL_BEGIN
namespace access {

template <class T> using bits_of_t = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;

// Floats are ordered by their bits: the manual's "handles NaN/INF/denorm" holds whatever denormal mode the host is in.
template <class T> CROSSLANE_INLINE bool is_nan(T v) {
  using B = bits_of_t<T>;
  constexpr B infinity = sizeof(T) == 4 ? B(0x7f800000) : B(uint64_t(0x7ff) << 52);
  return (__builtin_bit_cast(B, v) & B(~B(0) >> 1)) > infinity;
}
template <class T> CROSSLANE_INLINE std::make_signed_t<bits_of_t<T>> float_key(T v) {
  using B = bits_of_t<T>;
  const B bits = __builtin_bit_cast(B, v), magnitude = bits & B(~B(0) >> 1);
  return std::make_signed_t<B>(bits == magnitude ? magnitude : B(0) - magnitude);
}
template <class T> CROSSLANE_INLINE bool float_less(T a, T b) {
  return !is_nan(a) && !is_nan(b) && float_key(a) < float_key(b);
}
template <class T> CROSSLANE_INLINE bool float_equal(T a, T b) {
  return !is_nan(a) && !is_nan(b) && float_key(a) == float_key(b);
}
// min/max of IEEE 754-2008 minNum/maxNum on values; a NaN in memory or data loses against a number. Equal ones leave
// memory alone.
template <class T> CROSSLANE_INLINE T float_min(T a, T b) {
  return is_nan(b) ? a : is_nan(a) || float_less(b, a) ? b : a;
}
template <class T> CROSSLANE_INLINE T float_max(T a, T b) {
  return is_nan(b) ? a : is_nan(a) || float_less(a, b) ? b : a;
}

// Both halves of a dword, as f16.
CROSSLANE_INLINE uint32_t add_halves(uint32_t a, uint32_t b) {
  const auto half = [](uint32_t v) { return __builtin_bit_cast(_Float16, uint16_t(v)); };
  const auto sum = [&](int shift) {
    return uint32_t(__builtin_bit_cast(uint16_t, _Float16(half(a >> shift) + half(b >> shift))));
  };
  return sum(0) | sum(16) << 16;
}

// What memory holds after. `data` is the first data operand, `data1` the second (compare value of memory cmpswap, new
// value of DS cmpst: the callers put them in the order new, compare).
template <isa::Access A, class T> CROSSLANE_INLINE T updated(T old, T data, T data1) {
  using isa::Access;
  if constexpr (A == Access::atomic_swap)
    return data;
  else if constexpr (A == Access::atomic_cmpswap)
    return old == data1 ? data : old;
  else if constexpr (A == Access::atomic_fcmpswap)
    return float_equal(old, data1) ? data : old;
  else if constexpr (A == Access::atomic_add || A == Access::atomic_fadd)
    return T(old + data);
  else if constexpr (A == Access::atomic_sub)
    return T(old - data);
  else if constexpr (A == Access::atomic_rsub)
    return T(data - old);
  else if constexpr (A == Access::atomic_smin || A == Access::atomic_umin)
    return data < old ? data : old;
  else if constexpr (A == Access::atomic_smax || A == Access::atomic_umax)
    return old < data ? data : old;
  else if constexpr (A == Access::atomic_and)
    return T(old & data);
  else if constexpr (A == Access::atomic_or)
    return T(old | data);
  else if constexpr (A == Access::atomic_xor)
    return T(old ^ data);
  else if constexpr (A == Access::atomic_inc)
    return old >= data ? T(0) : T(old + 1);
  else if constexpr (A == Access::atomic_dec)
    return old == 0 || old > data ? data : T(old - 1);
  else if constexpr (A == Access::atomic_fmin)
    return float_min(old, data);
  else if constexpr (A == Access::atomic_fmax)
    return float_max(old, data);
  else if constexpr (A == Access::atomic_mskor)
    return T((old & ~data) | data1);
  else if constexpr (A == Access::atomic_pk_add_f16)
    return add_halves(old, data);
  else if constexpr (A == Access::wrap)
    return old >= data ? T(old - data) : T(old + data1);
  else
    static_assert(A == Access::atomic_swap, "not an atomic");
}

constexpr bool needs_second(isa::Access a) {
  using enum isa::Access;
  return a == atomic_cmpswap || a == atomic_fcmpswap || a == atomic_mskor || a == wrap;
}

} // namespace access
CROSSLANE_LEVEL_END
} // namespace crosslane::engine
