// Owns what atomics compute, for memory and LDS alike, and the handlers of memory atomics (atomic.cpp).
// Source: Vega ISA manual, 12.13 and 12.14, formulas of DS_* and BUFFER_ATOMIC_*.
#pragma once
#include "engine/decode/lowering.h"
#include "engine/memory/access.h"
#include <type_traits>

namespace crosslane::engine {
CROSSLANE_LEVEL_BEGIN

// Handler of a plain load or store by 64-bit addresses: VGPR pair a, plus Uop::k0; dst or c. flat.cpp
Handler pick_address64(const isa::Row&);
// Emits a Uop that sets the status register of a load with TFE, at that offset, to 0: nothing failed. flat.cpp
void clear_status(Lowering&, uint32_t offset);

// Handler of a memory atomic. Addresses: see the flags, plus Uop::k0; lanes: the mask at offset Uop::k1; data in c.
// nullptr: not an atomic.
Handler pick_atomic(isa::Access access, isa::Type memory);

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

// The same on memory that other threads see; the value before.
template <isa::Access A, class T> CROSSLANE_INLINE T exchange(T* p, T data, T data1) {
  using isa::Access;
  if constexpr (A == Access::atomic_swap)
    return __atomic_exchange_n(p, data, __ATOMIC_RELAXED);
  else if constexpr (A == Access::atomic_add)
    return __atomic_fetch_add(p, data, __ATOMIC_RELAXED);
  else if constexpr (A == Access::atomic_sub)
    return __atomic_fetch_sub(p, data, __ATOMIC_RELAXED);
  else if constexpr (A == Access::atomic_cmpswap) {
    __atomic_compare_exchange_n(p, &data1, data, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    return data1; // the old value either way
  } else {
    using B = bits_of_t<T>;
    B* bits = reinterpret_cast<B*>(p);
    B old = __atomic_load_n(bits, __ATOMIC_RELAXED), wanted;
    do
      wanted = __builtin_bit_cast(B, updated<A>(__builtin_bit_cast(T, old), data, data1));
    while (!__atomic_compare_exchange_n(bits, &old, wanted, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    return __builtin_bit_cast(T, old);
  }
}

// Calls pick.operator()<access, element>() for the atomics of integers that memory and LDS share.
template <class T, class S, class Pick> inline Handler pick_integer_atomic(isa::Access a, Pick pick) {
  using enum isa::Access;
  switch (a) {
  case atomic_swap: return pick.template operator()<atomic_swap, T>();
  case atomic_cmpswap: return pick.template operator()<atomic_cmpswap, T>();
  case atomic_add: return pick.template operator()<atomic_add, T>();
  case atomic_sub: return pick.template operator()<atomic_sub, T>();
  case atomic_rsub: return pick.template operator()<atomic_rsub, T>();
  case atomic_smin: return pick.template operator()<atomic_smin, S>();
  case atomic_umin: return pick.template operator()<atomic_umin, T>();
  case atomic_smax: return pick.template operator()<atomic_smax, S>();
  case atomic_umax: return pick.template operator()<atomic_umax, T>();
  case atomic_and: return pick.template operator()<atomic_and, T>();
  case atomic_or: return pick.template operator()<atomic_or, T>();
  case atomic_xor: return pick.template operator()<atomic_xor, T>();
  case atomic_inc: return pick.template operator()<atomic_inc, T>();
  case atomic_dec: return pick.template operator()<atomic_dec, T>();
  default: return nullptr;
  }
}
template <class T, class Pick> inline Handler pick_float_atomic(isa::Access a, Pick pick) {
  using enum isa::Access;
  switch (a) {
  case atomic_fadd: return pick.template operator()<atomic_fadd, T>();
  case atomic_fmin: return pick.template operator()<atomic_fmin, T>();
  case atomic_fmax: return pick.template operator()<atomic_fmax, T>();
  case atomic_fcmpswap: return pick.template operator()<atomic_fcmpswap, T>();
  default: return nullptr;
  }
}

// Two dwords of a lane, or one.
template <class T> CROSSLANE_INLINE T get_lane(const uint32_t* v, int lane) {
  bits_of_t<T> bits = v[lane];
  if constexpr (sizeof(T) == 8)
    bits |= uint64_t(v[64 + lane]) << 32;
  return __builtin_bit_cast(T, bits);
}
template <class T> CROSSLANE_INLINE void set_lane(uint32_t* v, int lane, T value) {
  const auto bits = __builtin_bit_cast(bits_of_t<T>, value);
  v[lane] = uint32_t(bits);
  if constexpr (sizeof(T) == 8)
    v[64 + lane] = uint32_t(bits >> 32);
}

} // namespace access
CROSSLANE_LEVEL_END
} // namespace crosslane::engine
