// Owns the one handler template of vector arithmetic: fetch the sources of a row of 16 lanes, compute
// (engine/values/valu.h), store under EXEC, four rows. Modifiers, DPP and SDWA never reach it: they are staged around
// it (engine/valu/stage.h).
#pragma once
#include "engine/uop.h"
#include "engine/values/valu.h"
#include "isa/float_mode.h"
#include "isa/op.h"
#include "lanes/fields.h"
#include <type_traits>
#include <xmmintrin.h>

namespace crosslane::engine {
CROSSLANE_LEVEL_BEGIN

inline constexpr int row_lanes = machine::lanes_per_row;
template <Type T> using RowVec = Vec<element_t<T>, row_lanes>;
using RowMask = Mask<row_lanes>;
using Words = Vec<uint32_t, row_lanes>;

CROSSLANE_INLINE char* at(Wave* w, uint32_t offset) { return reinterpret_cast<char*>(w) + offset; }

// Two rows of dwords <-> one row of 64-bit lanes.
template <class E> CROSSLANE_INLINE Vec<E, row_lanes> join(Words lo, Words hi) {
  return __builtin_bit_cast(Vec<E, row_lanes>, lanes::interleave(std::array{lo, hi}));
}
template <class E> CROSSLANE_INLINE void split(Vec<E, row_lanes> v, Words& lo, Words& hi) {
  const auto halves = lanes::deinterleave(__builtin_bit_cast(std::array<Words, 2>, v));
  lo = halves[0], hi = halves[1];
}

// A VGPR operand of type T, row r. 16-bit types live in the low half of a dword.
template <Type T> CROSSLANE_INLINE RowVec<T> fetch(Wave* w, uint32_t offset, int r) {
  using E = element_t<T>;
  const char* p = at(w, offset) + r * 64;
  if constexpr (sizeof(E) == 4)
    return lanes::load<E, row_lanes>(p);
  else if constexpr (sizeof(E) == 2)
    return lanes::bitcast<E>(lanes::convert<uint16_t>(lanes::load<uint32_t, row_lanes>(p)));
  else
    return join<E>(lanes::load<uint32_t, row_lanes>(p), lanes::load<uint32_t, row_lanes>(p + machine::vgpr_bytes));
}

// A scalar operand (register | constant), the same in all lanes.
template <Type T> CROSSLANE_INLINE RowVec<T> broadcast(Wave* w, uint32_t offset, uint64_t k) {
  using E = element_t<T>;
  if constexpr (sizeof(E) == 8) {
    uint64_t bits;
    std::memcpy(&bits, at(w, offset), 8);
    return lanes::bitcast<E>(Vec<uint64_t, row_lanes>(bits | k));
  } else {
    uint32_t bits;
    std::memcpy(&bits, at(w, offset), 4);
    bits |= uint32_t(k);
    if constexpr (sizeof(E) == 4)
      return lanes::bitcast<E>(Words(bits));
    else
      return lanes::bitcast<E>(Vec<uint16_t, row_lanes>(uint16_t(bits)));
  }
}

// A row of a VGPR under EXEC. AVX-512 has masked stores, but a later load waits until one has left the store buffer
// (Zen 4: 7 ns against 3.7 ns for a chain of additions), and EXEC is nearly always full.
CROSSLANE_INLINE void put_words(char* p, RowMask exec, Words v) {
#ifdef CROSSLANE_LEVEL_v4
  if (__builtin_expect(exec.bits == 0xffff, 1)) {
    lanes::store<uint32_t, row_lanes>(p, v);
    return;
  }
#endif
  lanes::store<uint32_t, row_lanes>(p, exec, v);
}

// 16-bit results are zero-extended; what preserves the high half is merged by a finishing Uop.
template <class E> CROSSLANE_INLINE void put(Wave* w, uint32_t offset, int r, RowMask exec, Vec<E, row_lanes> v) {
  char* p = at(w, offset) + r * 64;
  if constexpr (sizeof(E) == 4)
    put_words(p, exec, lanes::bitcast<uint32_t>(v));
  else if constexpr (sizeof(E) == 2)
    put_words(p, exec, lanes::convert<uint32_t>(lanes::bitcast<uint16_t>(v)));
  else {
    Words lo, hi;
    split(v, lo, hi);
    put_words(p, exec, lo);
    put_words(p + machine::vgpr_bytes, exec, hi);
  }
}

CROSSLANE_INLINE RowMask exec_row(Wave* w, int r) {
  uint16_t bits;
  std::memcpy(&bits, reinterpret_cast<const char*>(w->s + 126) + 2 * r, 2);
  return RowMask(bits);
}
CROSSLANE_INLINE RowMask mask_row(Wave* w, uint32_t offset, int r) {
  uint16_t bits;
  std::memcpy(&bits, at(w, offset) + 2 * r, 2);
  return RowMask(bits);
}

// The operand fields of a Uop, read once: stores to registers could alias the Uop for all the compiler knows.
struct Operands {
  uint32_t dst, a, b, c, aux;
};

// Kinds: bit i set = source i is a scalar (offset in a/b/c, constant in k0); at most one bit.
template <class F, Type D, Implicit I, int Kinds, Type A, Type B, Type C> struct Valu {
  using Function = ValuFunction<F, D, I, A, B, C, row_lanes>;
  using Result = typename Function::Result;
  static constexpr bool mode64 = isa::runs_in_mode64(D, A);

  template <Type T, int Index>
  static CROSSLANE_INLINE RowVec<T> source(Wave* w, uint32_t offset, RowVec<T> scalar, int r) {
    if constexpr (T == Type::None || Kinds >> Index & 1)
      return scalar;
    else
      return fetch<T>(w, offset, r);
  }
  template <Type T, int Index> static CROSSLANE_INLINE RowVec<T> scalar(Wave* w, uint32_t offset, uint64_t k) {
    if constexpr (Kinds >> Index & 1)
      return broadcast<T>(w, offset, k);
    else
      return RowVec<T>{};
  }

  static CROSSLANE_INLINE RowVec<D> old(const Operands& o, Wave* w, int r) {
    if constexpr (Function::reads_dst)
      return fetch<D>(w, o.dst, r);
    else
      return RowVec<D>{};
  }

  static CROSSLANE_CC void run(const Uop* op, Wave* w) {
    if constexpr (mode64)
      if (__builtin_expect(w->fp_split, 0))
        _mm_setcsr(w->mxcsr64);
    const Operands o{op->dst, op->a, op->b, op->c, op->aux};
    const RowVec<A> sa = scalar<A, 0>(w, o.a, op->k0);
    const RowVec<B> sb = scalar<B, 1>(w, o.b, op->k0);
    const RowVec<C> sc = scalar<C, 2>(w, o.c, op->k0);
    uint64_t flags = 0;
    for (int r = 0; r < machine::rows_per_wave; ++r) {
      const RowMask exec = exec_row(w, r);
      const RowMask mask = Function::mask_in ? mask_row(w, C == Type::None ? o.c : o.aux, r) : RowMask();
      const Result result = Function::compute(source<A, 0>(w, o.a, sa, r), source<B, 1>(w, o.b, sb, r),
                                              source<C, 2>(w, o.c, sc, r), old(o, w, r), mask, w->mode);
      if constexpr (std::is_same_v<Result, RowMask>) {
        flags |= uint64_t((result & exec).bits) << (16 * r);
      } else if constexpr (IsPair<Result>::value) {
        put(w, o.dst, r, exec, result.value);
        flags |= uint64_t((result.flag & exec).bits) << (16 * r);
      } else {
        put(w, o.dst, r, exec, result);
      }
    }
    if constexpr (std::is_same_v<Result, RowMask>) {
      std::memcpy(at(w, o.dst), &flags, 8);
      if constexpr (has(I, Implicit::exec_w))
        w->set_pair(126, flags);
    } else if constexpr (IsPair<Result>::value) {
      std::memcpy(at(w, uint32_t(op->imm)), &flags, 8);
    }
    if constexpr (mode64)
      if (__builtin_expect(w->fp_split, 0))
        _mm_setcsr(w->mxcsr32);
    CROSSLANE_NEXT(op, w);
  }
};

// The variants of one row: all sources VGPRs, or one of them scalar. nullptr: stage the scalar into a VGPR first.
struct ValuHandlers {
  Handler kinds[3] = {};  // [0] all VGPR, [1] src0 scalar, [2] src1 scalar
  Handler src2 = nullptr; // src2 scalar
};

#ifdef CROSSLANE_LEVEL_v4
inline constexpr bool all_kinds = true;
#else
inline constexpr bool all_kinds = false; // fewer copies; the staging Uop costs little beside the rest
#endif

template <class F, Type D, Implicit I, Type A, Type B = Type::None, Type C = Type::None>
constexpr ValuHandlers valu_handlers() {
  ValuHandlers h;
  if constexpr (Valu<F, D, I, 0, A, B, C>::Function::implemented) {
    constexpr bool plain = !is_64bit(D) && C == Type::None;
    h.kinds[0] = Valu<F, D, I, 0, A, B, C>::run;
    if constexpr (A != Type::None && (plain || all_kinds))
      h.kinds[1] = Valu<F, D, I, 1, A, B, C>::run;
    if constexpr (all_kinds && B != Type::None)
      h.kinds[2] = Valu<F, D, I, 2, A, B, C>::run;
    if constexpr (all_kinds && C != Type::None && !is_64bit(D))
      h.src2 = Valu<F, D, I, 4, A, B, C>::run;
  }
  return h;
}

ValuHandlers vop1_handlers(isa::Op);
ValuHandlers vop2_handlers(isa::Op);
ValuHandlers vop3_handlers(isa::Op);
ValuHandlers vop3p_handlers(isa::Op);
ValuHandlers vopc_handlers(isa::Op);
ValuHandlers clamped_handlers(isa::Op); // integer operations with CLAMP: the saturating forms

CROSSLANE_LEVEL_END
} // namespace crosslane::engine
