// Integer operations with the CLAMP bit: the result saturates instead of wrapping (engine/values/clamped.inc says
// which). Source: Vega ISA manual, "VOP3 integer clamp"; exact sums in a wider type, then clamped.
#pragma once
#include "engine/values/valu.h"
#include "isa/op.h"
#include "lanes/math.h"
#include <limits>

namespace crosslane::engine {
CROSSLANE_LEVEL_BEGIN
namespace clamped {

// The exact result in Wide, clamped to the range of T.
template <class T, class Wide, class V, class F> CROSSLANE_INLINE V saturate(F exact, V a, V b) {
  using W = Vec<Wide, V::lanes>;
  const W v = exact(lanes::convert<Wide>(a), lanes::convert<Wide>(b));
  const W low = Wide(std::numeric_limits<T>::min()), high = Wide(std::numeric_limits<T>::max());
  return lanes::convert<T>(select(v < low, low, select(v > high, high, v)));
}
struct Add {
  template <class V> V operator()(V a, V b) const { return a + b; }
};
struct Sub {
  template <class V> V operator()(V a, V b) const { return a - b; }
};
struct SubRev {
  template <class V> V operator()(V a, V b) const { return b - a; }
};

template <class T, class Wide, class Exact> struct Two {
  template <class V> V operator()(V a, V b) const {
    return lanes::bitcast<typename V::element>(saturate<T, Wide>(Exact{}, lanes::bitcast<T>(a), lanes::bitcast<T>(b)));
  }
};

// Packed: both halves on their own.
template <class T, class Exact> struct Packed {
  template <class V> V operator()(V a, V b) const {
    using H = Vec<T, V::lanes>;
    const auto half = [](V v, int shift) -> H {
      return lanes::bitcast<T>(lanes::convert<uint16_t>(v >> V(uint32_t(shift))));
    };
    const auto up = [](H h) { return lanes::convert<uint32_t>(lanes::bitcast<uint16_t>(h)); };
    const H lo = saturate<T, int32_t>(Exact{}, half(a, 0), half(b, 0));
    const H hi = saturate<T, int32_t>(Exact{}, half(a, 16), half(b, 16));
    return up(lo) | up(hi) << V(16);
  }
};

// 24-bit and 16-bit multiply-adds.
template <class T, class Wide> struct Mad16 {
  template <class V> V operator()(V a, V b, V c) const {
    using W = Vec<Wide, V::lanes>;
    const W v = lanes::convert<Wide>(lanes::bitcast<T>(a)) * lanes::convert<Wide>(lanes::bitcast<T>(b)) +
                lanes::convert<Wide>(lanes::bitcast<T>(c));
    const W low = Wide(std::numeric_limits<T>::min()), high = Wide(std::numeric_limits<T>::max());
    return lanes::bitcast<typename V::element>(lanes::convert<T>(select(v < low, low, select(v > high, high, v))));
  }
};

// Sums of products, exact in 64 bits: the result type's range is where they saturate.
template <class T, class V> CROSSLANE_INLINE Vec<T, V::lanes> saturated(V v) {
  const V low = typename V::element(std::numeric_limits<T>::min()),
          high = typename V::element(std::numeric_limits<T>::max());
  return lanes::convert<T>(select(v < low, low, select(v > high, high, v)));
}
template <int N> CROSSLANE_INLINE Vec<int64_t, N> wide(Vec<int32_t, N> v) { return lanes::convert<int64_t>(v); }
template <int N> CROSSLANE_INLINE Vec<int64_t, N> wide(Vec<uint32_t, N> v) { return lanes::convert<int64_t>(v); }
template <int N> CROSSLANE_INLINE Vec<int64_t, N> wide(Vec<int16_t, N> v) { return lanes::convert<int64_t>(v); }
template <int N> CROSSLANE_INLINE Vec<int64_t, N> wide(Vec<uint16_t, N> v) { return lanes::convert<int64_t>(v); }

template <class T, class A> CROSSLANE_INLINE auto product24(A a, A b) {
  return wide(semantics::detail::low24(a)) * wide(semantics::detail::low24(b));
}
template <class T> struct Mul24 {
  template <class V> Vec<T, V::lanes> operator()(V a, V b) const { return saturated<T>(product24<T>(a, b)); }
};
template <class T> struct Mad24 {
  template <class V> Vec<T, V::lanes> operator()(V a, V b, V c) const {
    return saturated<T>(product24<T>(a, b) + wide(c));
  }
};
template <class T> struct MadWide { // 16-bit factors, 32-bit sum
  template <class V> Vec<T, V::lanes> operator()(V a, V b, Vec<T, V::lanes> c) const {
    return saturated<T>(wide(a) * wide(b) + wide(c));
  }
};
template <class T, class F> struct PackedMad {
  template <class V> V operator()(V a, V b, V c) const {
    const auto half = [](V v, uint32_t shift) { return lanes::bitcast<T>(lanes::convert<uint16_t>(v >> V(shift))); };
    const auto up = [](auto h) { return lanes::convert<uint32_t>(lanes::bitcast<uint16_t>(h)); };
    return up(F{}(half(a, 0), half(b, 0), half(c, 0))) | up(F{}(half(a, 16), half(b, 16), half(c, 16))) << V(16);
  }
};
// Fields of Bits bits, multiplied pairwise and added to the third source.
template <class T, int Bits> struct Dot {
  template <class V> Vec<T, V::lanes> operator()(V a, V b, Vec<T, V::lanes> c) const {
    auto sum = wide(c);
    for (uint32_t i = 0; i < 32; i += Bits) {
      const V up = V(32 - Bits - i);
      const auto field = [&](V v) {
        const auto top = lanes::bitcast<T>(v << up);
        return wide(top >> Vec<T, V::lanes>(T(32 - Bits)));
      };
      sum = sum + field(a) * field(b);
    }
    return saturated<T>(sum);
  }
};
// Sums of absolute differences: the unclamped sum of zero, then the third source.
template <class F> struct Sad {
  template <class V> V operator()(V a, V b, V c) const { return saturated<uint32_t>(wide(F{}(a, b, V(0))) + wide(c)); }
};

// With carry out: the carry says that the sum left the range.
struct AddCo {
  template <class V> auto operator()(V a, V b) const {
    auto r = own::v_add_co_u32(a, b);
    r.value = select(r.flag, V(~0u), r.value);
    return r;
  }
};
struct SubCo {
  template <class V> auto operator()(V a, V b) const {
    auto r = own::v_sub_co_u32(a, b);
    r.value = select(r.flag, V(0), r.value);
    return r;
  }
};
struct SubRevCo {
  template <class V> auto operator()(V a, V b) const { return SubCo{}(b, a); }
};

struct AddcCo {
  template <class V, class M> auto operator()(V a, V b, M carry) const {
    auto r = own::v_addc_co_u32(a, b, carry);
    r.value = select(r.flag, V(~0u), r.value);
    return r;
  }
};
struct SubbCo {
  template <class V, class M> auto operator()(V a, V b, M borrow) const {
    auto r = own::v_subb_co_u32(a, b, borrow);
    r.value = select(r.flag, V(0), r.value);
    return r;
  }
};
struct SubbRevCo {
  template <class V, class M> auto operator()(V a, V b, M borrow) const { return SubbCo{}(b, a, borrow); }
};

// 64-bit multiply-adds: the flag of the unsigned one is its carry; the signed sum left the range if both terms have one
// sign and the sum another.
struct MadU64 {
  template <class A, class C> auto operator()(A a, A b, C c) const {
    auto r = own::v_mad_u64_u32(a, b, c);
    r.value = select(r.flag, C(~uint64_t(0)), r.value);
    return r;
  }
};
struct MadI64 {
  template <class A, class C> auto operator()(A a, A b, C c) const {
    auto r = own::v_mad_i64_i32(a, b, c);
    const C zero = int64_t(0), product = lanes::sub(r.value, c);
    const auto left = ((product < zero) ^ (r.value < zero)) & ~((product < zero) ^ (c < zero));
    r.value =
        select(left, select(c < zero, C(std::numeric_limits<int64_t>::min()), C(std::numeric_limits<int64_t>::max())),
               r.value);
    return r;
  }
};

// Four sums of absolute differences in 16 bits each: those of zeros, which fit, and then the third source.
template <class F> struct QuadSad {
  template <class A, class B> A operator()(A a, B b, A c) const {
    const A sums = F{}(a, b, A(uint64_t(0)));
    A result = uint64_t(0);
    for (uint64_t i = 0; i < 64; i += 16) {
      const A sum = ((sums >> A(i)) & A(uint64_t(0xffff))) + ((c >> A(i)) & A(uint64_t(0xffff)));
      result = result | (lanes::min_int(sum, A(uint64_t(0xffff))) << A(i));
    }
    return result;
  }
};

// The types of a row's operands, and the flags it takes and gives: a saturating form has those of the plain one.
template <isa::Op> struct RowTypes;
#define ROW_TYPES(m, D, I, S0, S1, S2)                                                                                 \
  template <> struct RowTypes<isa::Op::m> {                                                                            \
    static constexpr Type dst = Type::D, a = Type::S0, b = Type::S1, c = Type::S2;                                     \
    static constexpr Implicit implicit = I;                                                                            \
  };
using enum Implicit;
#define VOP2(m, opcodes, D, S0, S1, implicit, timing) ROW_TYPES(m, D, implicit, S0, S1, None)
#define VOP3(m, opcodes, D, SD, S0, S1, S2, implicit, timing) ROW_TYPES(m, D, implicit, S0, S1, S2)
#define VOP3P(m, opcodes, D, S0, S1, S2, implicit, timing) ROW_TYPES(m, D, implicit, S0, S1, S2)
#include "isa/rows/all.inc"
#undef ROW_TYPES

} // namespace clamped
CROSSLANE_LEVEL_END
} // namespace crosslane::engine
