// Integer operations with the CLAMP bit: the result saturates instead of wrapping.
// Source: Vega ISA manual, "VOP3 integer clamp"; exact sums in a wider type, then clamped.
#include "engine/valu/valu.h"
#include "isa/op.h"
#include <limits>

namespace crosslane::engine {
CROSSLANE_LEVEL_BEGIN

namespace {

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

} // namespace

ValuHandlers clamped_handlers(isa::Op op) {
  using isa::Op;
  constexpr auto none = Implicit::none;
  switch (op) {
  case Op::v_add_u32: return valu_handlers<Two<uint32_t, int64_t, Add>, Type::U32, none, Type::U32, Type::U32>();
  case Op::v_sub_u32: return valu_handlers<Two<uint32_t, int64_t, Sub>, Type::U32, none, Type::U32, Type::U32>();
  case Op::v_subrev_u32: return valu_handlers<Two<uint32_t, int64_t, SubRev>, Type::U32, none, Type::U32, Type::U32>();
  case Op::v_add_co_u32: return valu_handlers<AddCo, Type::U32, Implicit::vcc_w, Type::U32, Type::U32>();
  case Op::v_sub_co_u32: return valu_handlers<SubCo, Type::U32, Implicit::vcc_w, Type::U32, Type::U32>();
  case Op::v_subrev_co_u32: return valu_handlers<SubRevCo, Type::U32, Implicit::vcc_w, Type::U32, Type::U32>();
  case Op::v_addc_co_u32:
    return valu_handlers<AddcCo, Type::U32, Implicit::vcc_r | Implicit::vcc_w, Type::U32, Type::U32>();
  case Op::v_subb_co_u32:
    return valu_handlers<SubbCo, Type::U32, Implicit::vcc_r | Implicit::vcc_w, Type::U32, Type::U32>();
  case Op::v_subbrev_co_u32:
    return valu_handlers<SubbRevCo, Type::U32, Implicit::vcc_r | Implicit::vcc_w, Type::U32, Type::U32>();
  case Op::v_mad_u64_u32: return valu_handlers<MadU64, Type::U64, none, Type::U32, Type::U32, Type::U64>();
  case Op::v_mad_i64_i32: return valu_handlers<MadI64, Type::I64, none, Type::I32, Type::I32, Type::I64>();
  case Op::v_qsad_pk_u16_u8:
    return valu_handlers<QuadSad<CROSSLANE_CALL(v_qsad_pk_u16_u8)>, Type::B64, none, Type::B64, Type::B32, Type::B64>();
  case Op::v_mqsad_pk_u16_u8:
    return valu_handlers<QuadSad<CROSSLANE_CALL(v_mqsad_pk_u16_u8)>, Type::B64, none, Type::B64, Type::B32,
                         Type::B64>();
  case Op::v_add_i32: return valu_handlers<Two<int32_t, int64_t, Add>, Type::I32, none, Type::I32, Type::I32>();
  case Op::v_sub_i32: return valu_handlers<Two<int32_t, int64_t, Sub>, Type::I32, none, Type::I32, Type::I32>();
  case Op::v_add_u16: return valu_handlers<Two<uint16_t, int32_t, Add>, Type::U16, none, Type::U16, Type::U16>();
  case Op::v_sub_u16: return valu_handlers<Two<uint16_t, int32_t, Sub>, Type::U16, none, Type::U16, Type::U16>();
  case Op::v_subrev_u16: return valu_handlers<Two<uint16_t, int32_t, SubRev>, Type::U16, none, Type::U16, Type::U16>();
  case Op::v_add_i16: return valu_handlers<Two<int16_t, int32_t, Add>, Type::I16, none, Type::I16, Type::I16>();
  case Op::v_sub_i16: return valu_handlers<Two<int16_t, int32_t, Sub>, Type::I16, none, Type::I16, Type::I16>();
  case Op::v_mad_u16:
    return valu_handlers<Mad16<uint16_t, int64_t>, Type::U16, none, Type::U16, Type::U16, Type::U16>();
  case Op::v_mad_i16: return valu_handlers<Mad16<int16_t, int64_t>, Type::I16, none, Type::I16, Type::I16, Type::I16>();
  case Op::v_pk_add_u16: return valu_handlers<Packed<uint16_t, Add>, Type::PkU16, none, Type::PkU16, Type::PkU16>();
  case Op::v_pk_sub_u16: return valu_handlers<Packed<uint16_t, Sub>, Type::PkU16, none, Type::PkU16, Type::PkU16>();
  case Op::v_pk_add_i16: return valu_handlers<Packed<int16_t, Add>, Type::PkI16, none, Type::PkI16, Type::PkI16>();
  case Op::v_pk_sub_i16: return valu_handlers<Packed<int16_t, Sub>, Type::PkI16, none, Type::PkI16, Type::PkI16>();
  case Op::v_mad_legacy_u16:
    return valu_handlers<Mad16<uint16_t, int64_t>, Type::U16, none, Type::U16, Type::U16, Type::U16>();
  case Op::v_mad_legacy_i16:
    return valu_handlers<Mad16<int16_t, int64_t>, Type::I16, none, Type::I16, Type::I16, Type::I16>();
  case Op::v_pk_mad_u16:
    return valu_handlers<PackedMad<uint16_t, Mad16<uint16_t, int64_t>>, Type::PkU16, none, Type::PkU16, Type::PkU16,
                         Type::PkU16>();
  case Op::v_pk_mad_i16:
    return valu_handlers<PackedMad<int16_t, Mad16<int16_t, int64_t>>, Type::PkI16, none, Type::PkI16, Type::PkI16,
                         Type::PkI16>();
  case Op::v_mul_u32_u24: return valu_handlers<Mul24<uint32_t>, Type::U32, none, Type::U32, Type::U32>();
  case Op::v_mul_i32_i24: return valu_handlers<Mul24<int32_t>, Type::I32, none, Type::I32, Type::I32>();
  case Op::v_mad_u32_u24: return valu_handlers<Mad24<uint32_t>, Type::U32, none, Type::U32, Type::U32, Type::U32>();
  case Op::v_mad_i32_i24: return valu_handlers<Mad24<int32_t>, Type::I32, none, Type::I32, Type::I32, Type::I32>();
  case Op::v_mad_u32_u16: return valu_handlers<MadWide<uint32_t>, Type::U32, none, Type::U16, Type::U16, Type::U32>();
  case Op::v_mad_i32_i16: return valu_handlers<MadWide<int32_t>, Type::I32, none, Type::I16, Type::I16, Type::I32>();
#define DOT(m, T, Bits, A)                                                                                             \
  case Op::m: return valu_handlers<Dot<element_t<Type::T>, Bits>, Type::T, none, Type::A, Type::A, Type::T>();
    DOT(v_dot2_i32_i16, I32, 16, PkI16)
    DOT(v_dot2_u32_u16, U32, 16, PkU16)
    DOT(v_dot4_i32_i8, I32, 8, B32)
    DOT(v_dot4_u32_u8, U32, 8, B32)
    DOT(v_dot8_i32_i4, I32, 4, B32)
    DOT(v_dot8_u32_u4, U32, 4, B32)
#undef DOT
#define SAD(m, A)                                                                                                      \
  case Op::m: return valu_handlers<Sad<CROSSLANE_CALL(m)>, Type::U32, none, Type::A, Type::A, Type::U32>();
    SAD(v_sad_u8, B32)
    SAD(v_sad_hi_u8, B32)
    SAD(v_sad_u16, PkU16)
    SAD(v_sad_u32, U32)
    SAD(v_msad_u8, B32)
#undef SAD
  case Op::v_min3_i16:
  case Op::v_min3_u16:
  case Op::v_max3_i16:
  case Op::v_max3_u16:
  case Op::v_med3_i16:
  case Op::v_med3_u16: return vop3_handlers(op); // one of its sources: always in range
  default: return {};                            // a named fault; the instruction without CLAMP is no substitute
  }
}

CROSSLANE_LEVEL_END
} // namespace crosslane::engine
