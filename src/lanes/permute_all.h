// Owns compile-time permutes with several results: a lambda says for each result and each element which element of the
// sources it is, counted through all sources laid end to end.
//
// Both halves of a zip, four fields taken apart, and what lies beside each element:
//
//   permute_all<2>(std::array{a, b}, [](auto r, auto i) { return i / 2 + r * 8 + i % 2 * 16; })
//   permute_all<4>(std::array{a, b, c, d}, [](auto r, auto i) { return 4 * i + r; })
//   permute_all<3>(std::array{a, b}, [](auto r, auto i) { return i + r + 1; })
//
// What several results need is moved once (lanes/plan/sets.h): a transpose of 8 x 8 dwords takes 24 instructions,
// as eight permutes 56. Where the results' own permutes cost no more, it is them. Sources and results are vectors of
// clang or Vec<T, N>, as for lanes/permute.h: of any number up to 1024 bytes, planned up to 16 registers. `dont_care`
// and `zero` as there. Compile time: some 20 to 30 ms for each result.
#pragma once
#include "lanes/permute.h"
#include "lanes/plan/sets.h"

namespace crosslane::lanes {
CROSSLANE_LEVEL_BEGIN

namespace detail {

// A lambda of the result and of the lane, without captures.
template <class F>
concept AnswersForResults =
    requires(F f) { int16_t(f(std::integral_constant<int, 0>{}, std::integral_constant<int, 0>{})); };

template <class F, int Results, int ElementBytes, int Elements, int Sources, int SourceElements> struct AskedOfAll {
  static constexpr bool shapes = [] {
    const auto fits = [](int n, int times) {
      return n > 0 && (n & (n - 1)) == 0 && times > 0 && times * n * ElementBytes <= PatternSet::max_bytes;
    };
    return fits(Elements, Results) && fits(SourceElements, Sources);
  }();
  static_assert(AnswersForResults<F>,
                "permute_all: the last argument is no lambda that takes result and lane and answers with an element");
  static_assert(!AnswersForResults<F> || std::is_empty_v<F>,
                "permute_all: the lambda must not capture; make what it needs a template argument");
  static_assert(ElementBytes == 1 || ElementBytes == 2 || ElementBytes == 4 || ElementBytes == 8,
                "permute_all: the elements of the sources have neither 1, 2, 4 nor 8 bytes");
  static_assert(shapes, "permute_all: sources or results have no power of two of elements, or more than 1024 bytes");
  static constexpr PatternSet set = [] {
    PatternSet s{ElementBytes, Results, Elements, Sources, SourceElements, {}};
    if constexpr (AnswersForResults<F> && std::is_empty_v<F> && shapes)
      [&]<int... K>(std::integer_sequence<int, K...>) {
        ((s.from[K] =
              int16_t(F{}(std::integral_constant<int, K / Elements>{}, std::integral_constant<int, K % Elements>{}))),
         ...);
      }(std::make_integer_sequence<int, Results * Elements>{});
    return s;
  }();
  static_assert(!shapes || set.fault() == nullptr,
                "permute_all: the lambda names an element outside of the sources (those of the second follow those of "
                "the first)");
};

// The plan, in parts: each is a constant expression of its own, as a compiler bounds the steps of one.
template <class A> inline constexpr planner::detail::Goals goals_of{A::set, compiled_isa};
template <class A, int R>
inline constexpr Plan own_plan = planner::detail::solve(compiled_isa, compiled_cpu, goals_of<A>.goal[R],
                                                        goals_of<A>.inputs, goals_of<A>.input_bytes, Effort::quick);

template <class A>
inline constexpr planner::detail::Draft start_of =
    planner::detail::draft_of(goals_of<A>.goal, goals_of<A>.count, goals_of<A>.inputs);
template <int Bytes, int Size>
inline constexpr planner::detail::Forms forms_of{compiled_isa, compiled_cpu, Bytes, Size};
template <class A>
inline constexpr planner::detail::Network network_of = [] {
  constexpr const planner::detail::Draft& start = start_of<A>;
  planner::detail::Networks<1> networks(forms_of<start.bytes, start.size>, start, goals_of<A>.wide());
  networks.search();
  return networks.found() ? networks.best(0) : planner::detail::blank;
}();
template <class A>
inline constexpr SetPlan network_plan = [] {
  SetPlan p;
  if constexpr (network_of<A>.left.results > 0)
    p = planner::detail::build(compiled_isa, compiled_cpu, goals_of<A>.goal, network_of<A>);
  else
    p.found = false;
  return p;
}();

struct Limited {
  SetPlan plan;
  float limit; // what would have to cost less
};
template <class A, int R>
inline constexpr Plan pair_plan = planner::detail::pair_of(compiled_isa, compiled_cpu, goals_of<A>.goal[R],
                                                           goals_of<A>.inputs, goals_of<A>.input_bytes);
template <class A>
inline constexpr Limited own_plans = [] {
  constexpr const planner::detail::Goals& goals = goals_of<A>;
  Limited own{{}, planner::detail::least_score(compiled_isa, compiled_cpu, goals)};
  own.plan.found = false;
  if constexpr (planner::detail::plans_each(goals, Effort::quick))
    [&]<int... R>(std::integer_sequence<int, R...>) {
      const Plan* const each[] = {&own_plan<A, R>...};
      own.plan = planner::detail::join_plans(compiled_cpu, each, goals.goal, goals.count, goals.inputs, own.limit);
    }(std::make_integer_sequence<int, goals.count>{});
  return own;
}();
template <class A>
inline constexpr Limited sharing_plans = [] {
  constexpr const planner::detail::Goals& goals = goals_of<A>;
  Limited best = own_plans<A>;
  if constexpr (planner::detail::worth_sharing(compiled_cpu, goals, own_plans<A>.plan))
    [&]<int... R>(std::integer_sequence<int, R...>) {
      const Plan *const each[] = {&own_plan<A, R>...}, *const pairs[] = {&pair_plan<A, R>...};
      planner::detail::share_first_steps(compiled_cpu, each, pairs, goals.goal, goals.count, goals.inputs, best.plan,
                                         best.limit);
    }(std::make_integer_sequence<int, goals.count>{});
  return best;
}();
template <class A>
inline constexpr SetPlan plan_of_all = [] {
  using namespace planner::detail;
  SetPlan best = sharing_plans<A>.plan;
  float limit = sharing_plans<A>.limit;
  if constexpr (worth_networks(compiled_cpu, goals_of<A>, sharing_plans<A>.plan))
    take_cheaper(compiled_cpu, network_plan<A>, best, limit);
  best.registers = registers(A::set, compiled_isa), best.results = A::set.results;
  return best;
}();
// Its steps alone, as run_steps() takes them.
template <class A> struct StepsOfAll {
  static constexpr const Plan& plan = plan_of_all<A>.steps;
};

// One of the results.
template <class A, int R> struct OneOfAll {
  // Of sources First and First + 1.
  template <int First> struct OfTwo {
    constexpr int operator()(int i) const {
      constexpr int n = A::set.source_elements;
      const int from = A::set.at(R, i);
      return from < 0 ? from : from / n == First || from / n == First + 1 ? from - First * n : dont_care;
    }
  };
  // What the sources before First and the two from it on give.
  template <int First> struct Both {
    constexpr int operator()(int i) const {
      const int from = A::set.at(R, i);
      return from == dont_care ? dont_care
             : from < 0        ? i
                               : i + (from / A::set.source_elements >= First ? A::set.elements : 0);
    }
  };
  static constexpr bool reads(int first) {
    for (int i = 0; i < A::set.elements; ++i)
      if (const int from = A::set.at(R, i); from >= 0 && from / A::set.source_elements / 2 == first / 2)
        return true;
    return false;
  }
};

#ifdef __AVX2__
template <class A, bool Hide, class Out, size_t Sources, class V>
CROSSLANE_INLINE auto all_by_plan(const std::array<V, Sources>& sources) {
  constexpr const SetPlan& p = plan_of_all<A>;
  constexpr int per_source = planner::detail::source_registers(A::set, compiled_isa),
                padded = per_source * native_bytes;
  Register values[p.steps.inputs + (p.steps.count ? p.steps.count : 1)];
  [&]<size_t... S>(std::index_sequence<S...>) __attribute__((always_inline)) {
    const auto load = [&]<size_t... R>(auto first, V v, std::index_sequence<R...>) __attribute__((always_inline)) {
      const ByteVec<padded> all = resized<padded>(__builtin_bit_cast(ByteVec<sizeof(V)>, v));
      ((values[first * per_source + R] = register_of<R>(all)), ...);
    };
    (load(std::integral_constant<size_t, S>{}, sources[S], std::make_index_sequence<per_source>{}), ...);
  }(std::make_index_sequence<Sources>{});
  run_steps<StepsOfAll<A>, Hide>(values, std::make_index_sequence<p.steps.count>{});
  return [&]<size_t... R>(std::index_sequence<R...>) __attribute__((always_inline)) {
    const auto result = [&]<size_t... K>(auto r, std::index_sequence<K...>) __attribute__((always_inline)) {
      return __builtin_bit_cast(Out,
                                resized<A::set.bytes()>(joined(values[p.value[size_t(r * p.registers + int(K))]]...)));
    };
    return std::array<Out, A::set.results>{
        result(std::integral_constant<int, int(R)>{}, std::make_index_sequence<p.registers>{})...};
  }(std::make_index_sequence<A::set.results>{});
}
#endif

// A result by permutes of two sources each, and blends.
template <class A, int R, class Out, int First, size_t Sources, class V>
CROSSLANE_INLINE Out one_by_one(const std::array<V, Sources>& sources) {
  using One = OneOfAll<A, R>;
  constexpr size_t last = std::min<size_t>(First + 1, Sources - 1);
  const Out two = permute<Out>(sources[First], sources[last], typename One::template OfTwo<First>{});
  if constexpr (First == 0)
    return two;
  else if constexpr (!One::reads(First))
    return one_by_one<A, R, Out, First - 2>(sources);
  else
    return permute(one_by_one<A, R, Out, First - 2>(sources), two, typename One::template Both<First>{});
}

// Measured on Zen 5, ns for 16 KB, steps / pinned. AVX2: 4 x 4 words 189 / 167, both halves of an unzip of words 212
// (the compiler) / 161, neighbours of qwords 139 (the compiler) / 118; both halves of a zip of bytes and words 149 /
// 149, of which the compiler by itself makes as many instructions and the better loop (114). AVX-512: 4 x 4 qwords 104
// / 72, 4 x 4 bytes 107 / 132; where nothing is shared of two sources, permute() knows best.
template <class A> consteval Lowering chosen_for_all() {
  using enum Lowering;
  if constexpr (has_plans && goals_of<A>.fit) {
    constexpr const SetPlan& p = plan_of_all<A>;
    constexpr bool of_two = goals_of<A>.most <= 2, bytes_or_words = A::set.element_bytes <= 2;
    if (!p.found)
      return compiler;
    if (compiled_isa != Isa::avx2)
      return of_two && !p.shared ? compiler : bytes_or_words ? steps : pinned;
    if (of_two && p.shared)
      return bytes_or_words && p.steps.count <= 4 && !planner::cost(compiled_cpu, p).constants ? compiler : pinned;
    return of_two && (goals_of<A>.most < 2 || p.steps.count > 4 * goals_of<A>.count) ? compiler : pinned;
  } else {
    return compiler;
  }
}

} // namespace detail

// Results of the sources' type, or of another length. `Lowering::pinned` and `steps`: by the plan, also where the
// results one by one cost as little; `compiler`: one by one. For measuring.
template <Lowering L, int Results, class Result = void, size_t Sources, class V, class F>
CROSSLANE_INLINE auto permute_all_by(const std::array<V, Sources>& sources, F) {
  using In = detail::VectorOf<V>;
  using R = std::conditional_t<std::is_void_v<Result>, V, Result>;
  using Out = detail::VectorOf<R>;
  static_assert(sizeof(typename Out::element) == sizeof(typename In::element), "permute_all: elements change size");
  using A = detail::AskedOfAll<F, Results, sizeof(typename In::element), Out::lanes, int(Sources), In::lanes>;
#ifdef __AVX2__
  if constexpr (L != Lowering::compiler && detail::goals_of<A>.fit) {
    if constexpr (detail::plan_of_all<A>.found)
      return detail::all_by_plan < A, L == Lowering::pinned, R > (sources);
    else
      return permute_all_by<Lowering::compiler, Results, Result>(sources, F{});
  } else
#endif
    return [&]<size_t... K>(std::index_sequence<K...>) __attribute__((always_inline)) {
      constexpr int first = (int(Sources) - 1) / 2 * 2; // the last two sources, or the last one
      return std::array<R, Results>{detail::one_by_one<A, int(K), R, first>(sources)...};
    }(std::make_index_sequence<Results>{});
}

template <int Results, class Result = void, size_t Sources, class V, class F>
CROSSLANE_INLINE auto permute_all(const std::array<V, Sources>& sources, F f) {
  using In = detail::VectorOf<V>;
  using R = std::conditional_t<std::is_void_v<Result>, V, Result>;
  using A =
      detail::AskedOfAll<F, Results, sizeof(typename In::element), detail::VectorOf<R>::lanes, int(Sources), In::lanes>;
  return permute_all_by<detail::chosen_for_all<A>(), Results, Result>(sources, f);
}

CROSSLANE_LEVEL_END
} // namespace crosslane::lanes
