// Integer operations with the CLAMP bit: the result saturates instead of wrapping.
// Source: Vega ISA manual, "VOP3 integer clamp"; exact sums in a wider type, then clamped.
#include "engine/valu.h"
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
struct Add { template <class V> V operator()(V a, V b) const { return a + b; } };
struct Sub { template <class V> V operator()(V a, V b) const { return a - b; } };
struct SubRev { template <class V> V operator()(V a, V b) const { return b - a; } };

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

}  // namespace

ValuHandlers clamped_handlers(isa::Op op) {
  using isa::Op;
  constexpr auto none = Implicit::none;
  switch (op) {
  case Op::v_add_u32: return valu_handlers<Two<uint32_t, int64_t, Add>, Type::U32, none, Type::U32, Type::U32>();
  case Op::v_sub_u32: return valu_handlers<Two<uint32_t, int64_t, Sub>, Type::U32, none, Type::U32, Type::U32>();
  case Op::v_subrev_u32: return valu_handlers<Two<uint32_t, int64_t, SubRev>, Type::U32, none, Type::U32, Type::U32>();
  case Op::v_add_i32: return valu_handlers<Two<int32_t, int64_t, Add>, Type::I32, none, Type::I32, Type::I32>();
  case Op::v_sub_i32: return valu_handlers<Two<int32_t, int64_t, Sub>, Type::I32, none, Type::I32, Type::I32>();
  case Op::v_add_u16: return valu_handlers<Two<uint16_t, int32_t, Add>, Type::U16, none, Type::U16, Type::U16>();
  case Op::v_sub_u16: return valu_handlers<Two<uint16_t, int32_t, Sub>, Type::U16, none, Type::U16, Type::U16>();
  case Op::v_subrev_u16: return valu_handlers<Two<uint16_t, int32_t, SubRev>, Type::U16, none, Type::U16, Type::U16>();
  case Op::v_add_i16: return valu_handlers<Two<int16_t, int32_t, Add>, Type::I16, none, Type::I16, Type::I16>();
  case Op::v_sub_i16: return valu_handlers<Two<int16_t, int32_t, Sub>, Type::I16, none, Type::I16, Type::I16>();
  case Op::v_mad_u16: return valu_handlers<Mad16<uint16_t, int64_t>, Type::U16, none, Type::U16, Type::U16, Type::U16>();
  case Op::v_mad_i16: return valu_handlers<Mad16<int16_t, int64_t>, Type::I16, none, Type::I16, Type::I16, Type::I16>();
  case Op::v_pk_add_u16: return valu_handlers<Packed<uint16_t, Add>, Type::PkU16, none, Type::PkU16, Type::PkU16>();
  case Op::v_pk_sub_u16: return valu_handlers<Packed<uint16_t, Sub>, Type::PkU16, none, Type::PkU16, Type::PkU16>();
  case Op::v_pk_add_i16: return valu_handlers<Packed<int16_t, Add>, Type::PkI16, none, Type::PkI16, Type::PkI16>();
  case Op::v_pk_sub_i16: return valu_handlers<Packed<int16_t, Sub>, Type::PkI16, none, Type::PkI16, Type::PkI16>();
  default: return {};  // a named fault; the instruction without CLAMP is no substitute
  }
}

CROSSLANE_LEVEL_END
}  // namespace crosslane::engine
