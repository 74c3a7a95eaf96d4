// Owns compile-time permutes: a lambda says for each element of the result which element of the sources it is.
//
//   permute(v, [](auto i) { return i ^ 1; })                                 swap neighbours
//   permute(a, b, [](auto i) { return i % 2 ? i / 2 + 16 : i / 2; })         interleave two vectors of 16
//   permute<Half>(v, [](auto i) { return i + 8; })                           the upper half, as a shorter vector
//
// Elements of the second source follow those of the first. `dont_care` leaves an element to the cheapest plan, `zero`
// makes it zero. Sources and result are vectors of clang (vector_size, ext_vector_type) or Vec<T, N>, of 8, 16, 32 or
// 64-bit elements, up to 256 bytes; the result may have another number of elements than the sources. The lambda has no
// captures. An index outside of the sources is a compile-time error. Source: Intel, "AVX-512 - Permuting Data Within
// and Between AVX Registers", appendix A.
#pragma once
#include "lanes/plan/lowering.h"
#include "lanes/plan/pattern.h"
#include <array>
#include <utility>

namespace crosslane::lanes {
CROSSLANE_LEVEL_BEGIN

namespace detail {
template <class V> struct VectorOf {
  using element = std::remove_cvref_t<decltype(std::declval<V>()[0])>;
  static constexpr int lanes = sizeof(V) / sizeof(element);
  static CROSSLANE_INLINE V raw(V v) { return v; }
  static CROSSLANE_INLINE V wrap(V v) { return v; }
};
template <class T, int N> struct VectorOf<Vec<T, N>> {
  using element = T;
  static constexpr int lanes = N;
  static CROSSLANE_INLINE raw_t<T, N> raw(Vec<T, N> v) { return v.v; }
  static CROSSLANE_INLINE Vec<T, N> wrap(raw_t<T, N> v) { return Vec<T, N>::of(v); }
};

// A lambda of the lane, which answers without captures.
template <class F>
concept AnswersForLanes = requires(F f) { int16_t(f(std::integral_constant<int, 0>{})); };
template <class F>
concept AnswersWhenCompiled = AnswersForLanes<F> && std::is_empty_v<F>;

// The lambda's answers; zeros of what is no such lambda, of which an error tells.
template <class F, int Lanes>
inline constexpr std::array<int, Lanes> answers = [] {
  std::array<int, Lanes> all{};
  if constexpr (AnswersWhenCompiled<F>)
    [&]<int... I>(std::integer_sequence<int, I...>) {
      ((all[size_t(I)] = int(F{}(std::integral_constant<int, I>{}))), ...);
    }(std::make_integer_sequence<int, Lanes>{});
  return all;
}();

// The lambda's answers, checked; each error names the argument that is wrong.
template <class F, int ElementBytes, int Elements, int Sources, int SourceElements> struct Asked {
  static constexpr bool shapes = [] {
    const auto fits = [](int n) { return n > 0 && (n & (n - 1)) == 0 && n * ElementBytes <= Pattern::max_bytes; };
    return fits(Elements) && fits(SourceElements);
  }();
  static_assert(AnswersForLanes<F>,
                "permute: the last argument is neither a lambda that takes the lane and answers with an element, nor a "
                "Vec of as many indexes as the source has elements");
  static_assert(!AnswersForLanes<F> || std::is_empty_v<F>,
                "permute: the lambda must not capture; make what it needs a template argument");
  static_assert(ElementBytes == 1 || ElementBytes == 2 || ElementBytes == 4 || ElementBytes == 8,
                "permute: the elements of the source have neither 1, 2, 4 nor 8 bytes");
  static_assert(shapes, "permute: the source or the result has no power of two of elements, or more than 256 bytes");
  static constexpr Pattern pattern = [] {
    Pattern p{ElementBytes, Elements, Sources, SourceElements, {}};
    if constexpr (AnswersWhenCompiled<F> && shapes)
      [&]<int... I>(std::integer_sequence<int, I...>) {
        ((p.from[I] = int16_t(F{}(std::integral_constant<int, I>{}))), ...);
      }(std::make_integer_sequence<int, Elements>{});
    return p;
  }();
  static_assert(!shapes || pattern.fault() == nullptr,
                "permute: the lambda names an element outside of the sources (those of the second follow those of the "
                "first)");
};

// The compiler's own way with the whole pattern.
template <class A, class V> CROSSLANE_INLINE auto by_compiler(V a, V b) {
  constexpr const Pattern& p = A::pattern;
  constexpr auto any = [](auto wanted) {
    for (int i = 0; i < p.elements; ++i)
      if (wanted(p.from[i]))
        return true;
    return false;
  };
  constexpr bool zeros = any([](int f) { return f == zero; }), both = any([](int f) { return f >= p.source_elements; });
  return [&]<size_t... I>(std::index_sequence<I...>) {
    const V second = both ? b : V{};
    const auto moved =
        __builtin_shufflevector(a, second, (p.from[I] == zero ? (both ? -1 : p.source_elements) : p.from[I])...);
    if constexpr (zeros && both)
      return __builtin_shufflevector(moved, decltype(moved){}, (p.from[I] == zero ? p.elements : int(I))...);
    else
      return moved;
  }(std::make_index_sequence<p.elements>{});
}

// The planner's names, for what follows.
using namespace planner;
using namespace planner::detail;

// Register `Part` of the result.
template <class A, int Part> struct PartOf {
  static constexpr Plan plan = plan_register(A::pattern, Part, compiled_isa, compiled_cpu);
};

#ifdef __AVX2__
template <class A, Lowering L, size_t... Part, class V>
CROSSLANE_INLINE auto by_plan(V a, V b, std::index_sequence<Part...>) {
  constexpr int per_source = source_registers(A::pattern, compiled_isa);
  constexpr int padded = per_source * native_bytes;
  const auto part = [&]<class Holder>(Holder) {
    constexpr const Plan& p = Holder::plan;
    Register values[p.inputs + (p.count ? p.count : 1)];
    const auto load = [&](V v, int first) {
      const ByteVec<padded> all = resized<padded>(__builtin_bit_cast(ByteVec<sizeof(V)>, v));
      [&]<size_t... R>(std::index_sequence<R...>) {
        ((values[first + R] = register_of<R>(all)), ...);
      }(std::make_index_sequence<per_source>{});
    };
    load(a, 0);
    if constexpr (A::pattern.sources == 2)
      load(b, per_source);
    return run_steps < Holder, L == Lowering::pinned > (values, std::make_index_sequence<p.count>{});
  };
  return resized<A::pattern.bytes()>(joined(part(PartOf<A, Part>{})...));
}
#endif

// Planning costs compile time, some 10 to 20 ms a register; what reads many registers of AVX2 would cost seconds and
// gain nothing.
template <class A>
inline constexpr bool worth_planning =
    has_plans && A::pattern.sources * source_registers(A::pattern, compiled_isa) <= (compiled_isa == Isa::avx2 ? 4 : 8);

// The first register of the result stands for all when the lowering is chosen.
template <class A> consteval Lowering chosen() {
  if constexpr (!worth_planning<A> || !may_beat_compiler(A::pattern, compiled_isa))
    return Lowering::compiler;
  else
    return chosen_lowering(PartOf<A, 0>::plan, A::pattern, compiled_isa);
}
template <class A, Lowering L> consteval bool planned() {
  bool all = worth_planning<A> && L != Lowering::compiler;
  if constexpr (worth_planning<A> && L != Lowering::compiler)
    [&]<size_t... Part>(std::index_sequence<Part...>) {
      all = (PartOf<A, Part>::plan.found && ...);
    }(std::make_index_sequence<registers(A::pattern, compiled_isa)>{});
  return all;
}
} // namespace detail

// The same by a lowering of one's own choice: for measuring. Where there is no plan, the compiler does it.
template <Lowering L, class Result = void, int Sources = 2, class V, class F>
CROSSLANE_INLINE auto permute_by(V v0, V v1, F) {
  using In = detail::VectorOf<V>;
  using R = std::conditional_t<std::is_void_v<Result>, V, Result>;
  using Out = detail::VectorOf<R>;
  using Raw = std::remove_cvref_t<decltype(Out::raw(std::declval<R>()))>;
  static_assert(sizeof(typename Out::element) == sizeof(typename In::element), "permute: elements change size");
  using A = detail::Asked<F, sizeof(typename In::element), Out::lanes, Sources, In::lanes>;
  const auto a = In::raw(v0), b = In::raw(v1);
#ifdef __AVX2__
  if constexpr (detail::planned<A, L>())
    return Out::wrap(__builtin_bit_cast(
        Raw, detail::by_plan<A, L>(a, b, std::make_index_sequence<detail::registers(A::pattern, compiled_isa)>{})));
  else
#endif
    return Out::wrap(__builtin_bit_cast(Raw, detail::by_compiler<A>(a, b)));
}

template <class Result = void, class V, class F> CROSSLANE_INLINE auto permute(V v0, V v1, F f) {
  using R = std::conditional_t<std::is_void_v<Result>, V, Result>;
  using In = detail::VectorOf<V>;
  using A = detail::Asked<F, sizeof(typename In::element), detail::VectorOf<R>::lanes, 2, In::lanes>;
  return permute_by<detail::chosen<A>(), Result, 2>(v0, v1, f);
}
template <class Result = void, class V, class F> CROSSLANE_INLINE auto permute(V v, F f) {
  using R = std::conditional_t<std::is_void_v<Result>, V, Result>;
  using In = detail::VectorOf<V>;
  using A = detail::Asked<F, sizeof(typename In::element), detail::VectorOf<R>::lanes, 1, In::lanes>;
  return permute_by<detail::chosen<A>(), Result, 1>(v, v, f);
}

CROSSLANE_LEVEL_END
} // namespace crosslane::lanes
