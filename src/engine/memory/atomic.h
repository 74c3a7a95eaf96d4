// Owns what atomics of memory and LDS share besides what they compute (engine/atomic_update.h), and the handlers of
// memory atomics (atomic.cpp).
#pragma once
#include "engine/atomic_update.h"
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
