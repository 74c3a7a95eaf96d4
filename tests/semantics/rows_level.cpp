// Binds every row of isa/rows to its semantics by the row's types, as the engine does. Compiled once per level.
#include "isa/op.h"
#include "semantics/all.h"
#include "tests/semantics/rows.h"
#include <type_traits>

namespace crosslane::test::CROSSLANE_LEVEL {
namespace {

using isa::has;
using isa::Implicit;
using isa::Type;
using lanes::Mask;
using lanes::Vec;
using semantics::Unimplemented;

template <Type T> struct Element {
  using type = uint32_t;
};
#define CROSSLANE_ELEMENT(t, c)                                                                                        \
  template <> struct Element<Type::t> {                                                                                \
    using type = c;                                                                                                    \
  };
CROSSLANE_ELEMENT(I32, int32_t)
CROSSLANE_ELEMENT(F32, float)
CROSSLANE_ELEMENT(B16, uint16_t)
CROSSLANE_ELEMENT(U16, uint16_t)
CROSSLANE_ELEMENT(I16, int16_t)
CROSSLANE_ELEMENT(F16, _Float16)
CROSSLANE_ELEMENT(PkF32, uint64_t)
CROSSLANE_ELEMENT(PkB32, uint64_t)
CROSSLANE_ELEMENT(B64, uint64_t)
CROSSLANE_ELEMENT(U64, uint64_t)
CROSSLANE_ELEMENT(I64, int64_t)
CROSSLANE_ELEMENT(F64, double)
#undef CROSSLANE_ELEMENT
template <Type T> using element_t = typename Element<T>::type;

namespace own {
using namespace semantics;
// Rows of the engine: wave state or other lanes.
#define CROSSLANE_ENGINE_ROW(m) inline constexpr Unimplemented m{};
#include "engine/own.inc"
#undef CROSSLANE_ENGINE_ROW
} // namespace own

// Lanes of E from the low bits of 64-bit slots; `first` picks the lane when there is one.
template <class E, int N> Vec<E, N> load(const uint64_t* slots, int first) {
  E lanes[N];
  for (int i = 0; i < N; ++i)
    memcpy(&lanes[i], &slots[first + i], sizeof(E));
  return lanes::load<E, N>(lanes);
}
template <class E, int N> void store(uint64_t* slots, int first, Vec<E, N> v) {
  E lanes[N];
  lanes::store<E, N>(lanes, v);
  for (int i = 0; i < N; ++i) {
    slots[first + i] = 0;
    memcpy(&slots[first + i], &lanes[i], sizeof(E));
  }
}
template <int N> Mask<N> load_mask(uint16_t bits, int first) {
  return Mask<N>(typename Mask<N>::bits_t(N == 1 ? bits >> first & 1 : bits));
}
template <int N> void store_mask(uint16_t& bits, int first, Mask<N> m) {
  if constexpr (N == 1)
    bits = uint16_t((bits & ~(1 << first)) | m.bits << first);
  else
    bits = m.bits;
}

template <class R> struct Shape {
  static constexpr bool value = true, flag = false;
};
template <int N> struct Shape<Mask<N>> {
  static constexpr bool value = false, flag = true;
};
template <class D, class M> struct Shape<semantics::Pair<D, M>> {
  static constexpr bool value = true, flag = true;
};

template <class E, int N> void keep(Result& out, int first, Vec<E, N> v) { store<E, N>(out.value, first, v); }
template <int N> void keep(Result& out, int first, Mask<N> m) { store_mask<N>(out.flag, first, m); }
template <class D, class M> void keep(Result& out, int first, semantics::Pair<D, M> p) {
  keep(out, first, p.value);
  keep(out, first, p.flag);
}
inline void keep(Result&, int, Unimplemented) {}

template <class F, class... A> auto apply(const ModeBits& m, A... a) {
  if constexpr (std::is_invocable_v<F, A..., semantics::Mode>) {
    semantics::Mode mode;
    mode.ieee = m.ieee, mode.flush32 = m.flush32, mode.flush64 = m.flush64;
    mode.flush_result32 = m.flush32, mode.flush_result64 = m.flush64;
    mode.round32 = m.round32, mode.round64 = m.round64;
    return F{}(a..., mode);
  } else {
    return F{}(a...);
  }
}

template <class F, Implicit I, int N, Type D, Type... S> struct Bound {
  static constexpr bool scalar = has(I, Implicit::scc_r), mask = has(I, Implicit::vcc_r) || scalar;
  static auto call(const Call& c, int first) { return sources(c, first, std::make_index_sequence<sizeof...(S)>{}); }
  template <size_t... K> static auto sources(const Call& c, int first, std::index_sequence<K...>) {
    if constexpr (has(I, Implicit::dst_r) && mask)
      return apply<F>(c.mode, load<element_t<S>, N>(c.source[K], first)..., load<element_t<D>, N>(c.old, first),
                      load_mask<N>(c.mask, first));
    else if constexpr (has(I, Implicit::dst_r))
      return apply<F>(c.mode, load<element_t<S>, N>(c.source[K], first)..., load<element_t<D>, N>(c.old, first));
    else if constexpr (mask)
      return apply<F>(c.mode, load<element_t<S>, N>(c.source[K], first)..., load_mask<N>(c.mask, first));
    else
      return apply<F>(c.mode, load<element_t<S>, N>(c.source[K], first)...);
  }
  static void run(const Call& c, Result& out) { keep(out, 0, call(c, 0)); }
  static void run_lane(const Call& c, int i, Result& out) { keep(out, i, call(c, i)); }
  using R = decltype(call(Call{}, 0));
};

template <class F, Implicit I, Type D, Type... S>
constexpr RowEntry vector_entry(const char* name, isa::Encoding encoding) {
  using Row = Bound<F, I, 16, D, S...>;
  using Lane = Bound<F, I, 1, D, S...>;
  using R = typename Row::R;
  RowEntry e{name,
             encoding,
             D,
             {},
             has(I, Implicit::dst_r),
             Row::mask,
             Shape<R>::value,
             Shape<R>::flag,
             !std::is_same_v<R, Unimplemented>,
             Row::run,
             Lane::run_lane};
  const Type sources[] = {S..., Type::None, Type::None, Type::None};
  for (int i = 0; i < 3; ++i)
    e.src[i] = sources[i];
  return e;
}
template <class F, Implicit I, Type D, Type... S>
constexpr RowEntry scalar_entry(const char* name, isa::Encoding encoding) {
  using Lane = Bound<F, I, 1, D, S...>;
  using R = typename Lane::R;
  RowEntry e{name,
             encoding,
             D,
             {},
             has(I, Implicit::dst_r),
             Lane::mask,
             Shape<R>::value,
             Shape<R>::flag,
             !std::is_same_v<R, Unimplemented>,
             nullptr,
             Lane::run_lane};
  const Type sources[] = {S..., Type::None, Type::None, Type::None};
  for (int i = 0; i < 3; ++i)
    e.src[i] = sources[i];
  return e;
}

// Drops the sources that a row does not have, and gives v_madmk and v_madak their third.
template <class F, Implicit I, Type D, Type S0, Type S1, Type S2>
constexpr RowEntry vector_row(const char* name, isa::Encoding e) {
  if constexpr (S0 == Type::None)
    return vector_entry<F, I, D>(name, e);
  else if constexpr (S1 == Type::None)
    return vector_entry<F, I, D, S0>(name, e);
  else if constexpr (S2 == Type::None)
    return vector_entry<F, I, D, S0, S1>(name, e);
  else
    return vector_entry<F, I, D, S0, S1, S2>(name, e);
}
template <class F, Implicit I, Type D, Type S0, Type S1> constexpr RowEntry vop2_row(const char* name) {
  constexpr auto e = isa::Encoding::VOP2;
  constexpr bool three =
      !std::is_invocable_v<F, Vec<element_t<S0>, 16>, Vec<element_t<S1>, 16>> &&
      std::is_invocable_v<F, Vec<element_t<S0>, 16>, Vec<element_t<S1>, 16>, Vec<element_t<D>, 16>, semantics::Mode> &&
      !has(I, Implicit::dst_r);
  constexpr bool three_plain =
      !std::is_invocable_v<F, Vec<element_t<S0>, 16>, Vec<element_t<S1>, 16>> &&
      std::is_invocable_v<F, Vec<element_t<S0>, 16>, Vec<element_t<S1>, 16>, Vec<element_t<D>, 16>> &&
      !has(I, Implicit::dst_r);
  if constexpr (three || three_plain)
    return vector_row<F, I, D, S0, S1, D>(name, e);
  else
    return vector_row<F, I, D, S0, S1, Type::None>(name, e);
}
template <class F, Implicit I, Type D, Type S0, Type S1>
constexpr RowEntry scalar_row(const char* name, isa::Encoding e) {
  if constexpr (S0 == Type::None)
    return scalar_entry<F, I, D>(name, e);
  else if constexpr (S1 == Type::None)
    return scalar_entry<F, I, D, S0>(name, e);
  else
    return scalar_entry<F, I, D, S0, S1>(name, e);
}
// SOPK: the compares take S0 and the immediate; the others the immediate, then D.
template <class F, Implicit I, Type D, Type S0> constexpr RowEntry sopk_row(const char* name) {
  constexpr auto e = isa::Encoding::SOPK;
  if constexpr (S0 != Type::None && has(I, Implicit::scc_w))
    return scalar_entry<F, Implicit::none, S0, S0, S0>(name, e);
  else
    return scalar_entry<F, I, D, D>(name, e);
}

#define CALL(m) decltype([](auto... s) -> decltype(own::m(s...)) { return own::m(s...); })
using enum isa::Implicit;
constexpr RowEntry entries[] = {
#define SOP1(m, o, D, S0, implicit, t)                                                                                 \
  scalar_row<CALL(m), implicit, Type::D, Type::S0, Type::None>(#m, isa::Encoding::SOP1),
#define SOP2(m, o, D, S0, S1, implicit, t)                                                                             \
  scalar_row<CALL(m), implicit, Type::D, Type::S0, Type::S1>(#m, isa::Encoding::SOP2),
#define SOPC(m, o, S0, S1, implicit, t)                                                                                \
  scalar_row<CALL(m), implicit, Type::Mask, Type::S0, Type::S1>(#m, isa::Encoding::SOPC),
#define SOPK(m, o, D, S0, imm, implicit, t) sopk_row<CALL(m), implicit, Type::D, Type::S0>(#m),
#define VOP1(m, o, D, S0, implicit, t)                                                                                 \
  vector_row<CALL(m), implicit, Type::D, Type::S0, Type::None, Type::None>(#m, isa::Encoding::VOP1),
#define VOP2(m, o, D, S0, S1, implicit, t) vop2_row<CALL(m), implicit, Type::D, Type::S0, Type::S1>(#m),
#define VOP3(m, o, D, SD, S0, S1, S2, implicit, t)                                                                     \
  vector_row<CALL(m), implicit, Type::D, Type::S0, Type::S1, Type::S2>(#m, isa::Encoding::VOP3),
#define VOP3P(m, o, D, S0, S1, S2, implicit, t)                                                                        \
  vector_row<CALL(m), implicit, Type::D, Type::S0, Type::S1, Type::S2>(#m, isa::Encoding::VOP3P),
#define VOPC(m, o, S0, S1, implicit, t)                                                                                \
  vector_row<CALL(m), implicit, Type::Mask, Type::S0, Type::S1, Type::None>(#m, isa::Encoding::VOPC),
#include "isa/rows/all.inc"
};

} // namespace

RowList rows() { return {entries, int(sizeof entries / sizeof entries[0])}; }

} // namespace crosslane::test::CROSSLANE_LEVEL
