// Owns the shape in which functions of engine/values/ are compiled to bitcode: floats as integers of their width,
// absent operands as empty classes, which take no argument, and each result in memory, where its type can be read
// (finish.cpp makes it a direct value). A source lists its functions by name in crosslane_bodies.
#pragma once
#include "engine/values/salu.h"
#include "engine/values/valu.h"
#include "isa/op.h"

namespace crosslane::jit {
CROSSLANE_LEVEL_BEGIN
namespace bodies {

namespace own = engine::own; // for CROSSLANE_CALL
using engine::element_t;
using engine::Type;
using lanes::Mask;
using lanes::raw_t;
using lanes::Vec;

struct Body {
  const char* name;     // "v16.v_add_f32"
  const void* function; // nullptr: the row has none
};

struct Absent {};
template <class T> struct Out {
  T value;
  ~Out() {} // not trivial: returned in memory
};
template <class E, int N> using Bits = raw_t<lanes::unsigned_of<sizeof(E)>, N>;
template <Type T, int N> using In = std::conditional_t<T == Type::None, Absent, Bits<element_t<T>, N>>;
template <bool Present, class T> using Optional = std::conditional_t<Present, T, Absent>;

template <class E, int N> CROSSLANE_INLINE Vec<E, N> value(Bits<E, N> bits) {
  return Vec<E, N>::of(__builtin_bit_cast(raw_t<E, N>, bits));
}
template <class V> CROSSLANE_INLINE V operand(Absent) { return {}; }
template <class V> CROSSLANE_INLINE V operand(Bits<typename V::element, V::lanes> bits) {
  return value<typename V::element, V::lanes>(bits);
}
template <int N> CROSSLANE_INLINE Mask<N> mask_of(Absent) { return {}; }
template <int N> CROSSLANE_INLINE Mask<N> mask_of(typename Mask<N>::bits_t bits) { return {bits}; }

template <int N, class F, Type D, isa::Implicit I, Type A, Type B = Type::None, Type C = Type::None> struct ValuBody {
  using Function = engine::ValuFunction<F, D, I, A, B, C, N>;
  template <Type T> using V = Vec<element_t<T>, N>;
  static Out<typename Function::Result> call(In<A, N> a, In<B, N> b, In<C, N> c,
                                             Optional<Function::reads_dst, In<D, N>> old,
                                             Optional<Function::mask_in, typename Mask<N>::bits_t> mask,
                                             uint32_t mode) {
    return {Function::compute(operand<V<A>>(a), operand<V<B>>(b), operand<V<C>>(c), operand<V<D>>(old),
                              mask_of<N>(mask), mode)};
  }
  static constexpr bool implemented = Function::implemented;
};

template <class Function> struct SaluBody {
  template <Type T> using V = Vec<element_t<T>, 1>;
  static Out<typename Function::Result> call(In<Function::a, 1> a, In<Function::b, 1> b,
                                             Optional<Function::reads_dst, In<Function::dst, 1>> old,
                                             Optional<Function::reads_scc, bool> scc) {
    return {Function::compute(operand<V<Function::a>>(a), operand<V<Function::b>>(b), operand<V<Function::dst>>(old),
                              mask_of<1>(scc))};
  }
  static constexpr bool implemented = Function::implemented;
};

// Lines of crosslane_bodies: one function of values, and a row's at both widths.
#define BODY(name, ...) {name, __VA_ARGS__::implemented ? reinterpret_cast<const void*>(&__VA_ARGS__::call) : nullptr},
#define VALU_BODIES(name, ...) BODY("v16." name, ValuBody<16, __VA_ARGS__>) BODY("s1." name, ValuBody<1, __VA_ARGS__>)
#define BODIES_BEGIN extern "C" __attribute__((used)) const Body crosslane_bodies[] = {
#define BODIES_END                                                                                                     \
  }                                                                                                                    \
  ;

} // namespace bodies
CROSSLANE_LEVEL_END
} // namespace crosslane::jit
