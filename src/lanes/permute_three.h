// Owns compile-time permutes of three sources: as lanes/permute.h has them of one and two, elements of the third source
// following those of the second.
//
//   permute(a, b, c, [](auto i) { return i % 3 * 16 + i / 3; })     three vectors of 16 interleaved, the first 16
//
// It is made of two permutes: of two sources, then of that and the third. Which one is the third is chosen so that one
// of the two moves nothing, if that can be: it is then a blend. With AVX-512 that is two instructions, whatever the
// pattern.
#pragma once
#include "lanes/permute.h"

namespace crosslane::lanes {
CROSSLANE_LEVEL_BEGIN

namespace detail {

template <class F, int Elements, int SourceElements> struct AskedOfThree {
  static_assert(AnswersForLanes<F>,
                "permute: the last argument is no lambda that takes the lane and answers with an element");
  static_assert(!AnswersForLanes<F> || std::is_empty_v<F>,
                "permute: the lambda must not capture; make what it needs a template argument");
  static constexpr const std::array<int, Elements>& from = answers<F, Elements>;
  static_assert(
      [] {
        for (const int f : from)
          if (f < zero || f >= 3 * SourceElements)
            return false;
        return true;
      }(),
      "permute: the lambda names an element outside of the sources (those of the second follow those of the first)");

  static constexpr bool is_of(int element, int source) {
    return element >= source * SourceElements && element < (source + 1) * SourceElements;
  }
  static constexpr bool stays(int source) { // what comes of it does not move
    for (int i = 0; i < Elements; ++i)
      if (is_of(from[size_t(i)], source) && from[size_t(i)] % SourceElements != i)
        return false;
    return true;
  }
  static constexpr bool used(int source) {
    for (const int f : from)
      if (is_of(f, source))
        return true;
    return false;
  }
  // The source that comes last: one that nothing is of, else where the other two, or itself, only have to be blended.
  static constexpr int last = [] {
    for (int s = 2; s >= 0; --s)
      if (!used(s))
        return s;
    for (int s = 2; s >= 0; --s)
      if (stays((s + 1) % 3) && stays((s + 2) % 3))
        return s;
    for (int s = 2; s >= 0; --s)
      if (stays(s))
        return s;
    return 2;
  }();
  static constexpr int first = last == 0 ? 1 : 0, second = last == 2 ? 1 : 2;

  // Of the first two: elements that the last one has do not matter yet.
  struct OfTwo {
    constexpr int operator()(int i) const {
      const int f = from[size_t(i)];
      return f < 0 ? f : is_of(f, last) ? dont_care : f % SourceElements + (is_of(f, second) ? SourceElements : 0);
    }
  };
  // Of that and the last one, if they have as many elements; else of the last one alone, and of both as they lie.
  struct OfAll {
    constexpr int operator()(int i) const {
      const int f = from[size_t(i)];
      return is_of(f, last) ? SourceElements + f % SourceElements : f == dont_care ? dont_care : i;
    }
  };
  struct OfLast {
    constexpr int operator()(int i) const {
      const int f = from[size_t(i)];
      return is_of(f, last) ? f % SourceElements : dont_care;
    }
  };
  struct Both {
    constexpr int operator()(int i) const {
      const int f = from[size_t(i)];
      return is_of(f, last) ? Elements + i : f == dont_care ? dont_care : i;
    }
  };
};

} // namespace detail

template <class Result = void, class V, class F> CROSSLANE_INLINE auto permute(V v0, V v1, V v2, F) {
  using R = std::conditional_t<std::is_void_v<Result>, V, Result>;
  using In = detail::VectorOf<V>;
  using A = detail::AskedOfThree<F, detail::VectorOf<R>::lanes, In::lanes>;
  const auto source = [&]<int S>(std::integral_constant<int, S>) {
    if constexpr (S == 0)
      return v0;
    else if constexpr (S == 1)
      return v1;
    else
      return v2;
  };
  const V a = source(std::integral_constant<int, A::first>{}), b = source(std::integral_constant<int, A::second>{}),
          c = source(std::integral_constant<int, A::last>{});
  const R two = permute<R>(a, b, typename A::OfTwo{});
  if constexpr (!A::used(A::last))
    return two;
  else if constexpr (detail::VectorOf<R>::lanes == In::lanes)
    return permute(__builtin_bit_cast(V, two), c, typename A::OfAll{});
  else
    return permute(two, permute<R>(c, typename A::OfLast{}), typename A::Both{});
}

CROSSLANE_LEVEL_END
} // namespace crosslane::lanes
