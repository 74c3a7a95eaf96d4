// Owns the patterns that stand for the planner's classes, each by the three lowerings, as throughput (one independent
// permute after the other) and as latency (each works on the result of the one before). One source file for each
// element size.
#pragma once
#include "bench/lanes/cases.h"
#include "bench/lanes/hide.h"
#include "lanes/permute.h"

namespace crosslane::lanes {
CROSSLANE_LEVEL_BEGIN
namespace bench {

using crosslane::bench::Cases;
using planner::Plan, planner::Class, planner::class_names;

template <class R, class V, int Sources, Lowering L, class F> __attribute__((noinline)) void one_by_one(size_t n) {
  Held<sizeof(V)> a{}, b{};
#pragma clang loop unroll_count(4)
  for (size_t i = 0; i < n; ++i) {
    a.forget();
    if constexpr (Sources == 2)
      b.forget();
    use(permute_by<L, R, Sources>(a.template as<V>(), b.template as<V>(), F{}));
  }
}
template <class R, class V, int Sources, Lowering L, class F> __attribute__((noinline)) void chained(size_t n) {
  Held<sizeof(V)> a{}, b{};
#pragma clang loop unroll_count(2)
  for (size_t i = 0; i < n; ++i) {
    a.forget();
    if constexpr (Sources == 2)
      b.forget();
    const R r = permute_by<L, R, Sources>(a.template as<V>(), b.template as<V>(), F{});
    a.set(r);
    if constexpr (Sources == 2)
      b.set(r);
  }
}

// A permute of Sources vectors of N elements of T into M.
template <class T, int N, int M, int Sources, class F> void pattern(const Cases& cases, const char* name, F) {
  using V = raw_t<T, N>;
  using R = raw_t<T, M>;
  using A = detail::Asked<F, sizeof(T), M, Sources, N>;
  if constexpr (has_plans && detail::worth_planning<A>) {
    using enum Lowering;
    constexpr const Plan& p = detail::PartOf<A, 0>::plan;
    const std::string kind =
        p.kind == Class::several ? std::to_string(p.count) + " steps" : std::string(class_names[int(p.kind)]);
    const std::string ours = std::array{"compiler", "steps", "pinned"}[size_t(detail::chosen<A>())];
    const std::string full = std::string(name) + ", " + std::to_string(N) + " x u" + std::to_string(sizeof(T) * 8);
    cases.measure({"pattern",
                   full,
                   "throughput",
                   kind,
                   ours,
                   {{"compiler", one_by_one<R, V, Sources, compiler, F>},
                    {"steps", one_by_one<R, V, Sources, steps, F>},
                    {"pinned", one_by_one<R, V, Sources, pinned, F>}}});
    cases.measure({"pattern",
                   full,
                   "latency",
                   kind,
                   ours,
                   {{"compiler", chained<R, V, Sources, compiler, F>},
                    {"steps", chained<R, V, Sources, steps, F>},
                    {"pinned", chained<R, V, Sources, pinned, F>}}});
  }
}

template <class T, int N> void one_source(const Cases& c) {
  constexpr int L = 16 / sizeof(T); // elements in 128 bits
  const auto one = [&](const char* name, auto f) { pattern<T, N, N, 1>(c, name, f); };
  const auto half = [&](const char* name, auto f) { pattern<T, N, N / 2, 1>(c, name, f); };
  one("broadcast first", [](auto) { return 0; });
  one("broadcast last", [](auto) { return N - 1; });
  one("duplicate even", [](auto i) { return i & ~1; });
  one("swap neighbours", [](auto i) { return i ^ 1; });
  one("reverse in 128 bits", [](auto i) { return i / L * L + L - 1 - i % L; });
  one("reverse", [](auto i) { return N - 1 - i; });
  one("rotate by one", [](auto i) { return (i + 1) % N; });
  one("rotate by one in 128 bits", [](auto i) { return i / L * L + (i + 1) % L; });
  one("shift down by one, zero", [](auto i) { return i + 1 < N ? i + 1 : zero; });
  one("shift up by one in 128 bits, zero", [](auto i) { return i % L ? i - 1 : zero; });
  one("every second zero", [](auto i) { return i % 2 ? zero : int(i); });
  one("extend low half", [](auto i) { return i % 2 ? zero : i / 2; });
  one("scattered", [](auto i) { return (i * 7 + 3) % N; });
  one("scattered, some zero", [](auto i) { return i % 4 == 2 ? zero : (i * 7 + 3) % N; });
  one("reverse, some any", [](auto i) { return i % 4 == 1 ? dont_care : N - 1 - i; });
  one("three of four together, zero", [](auto i) { return i < N * 3 / 4 ? i + i / 3 : zero; });
  one("three of four apart, zero", [](auto i) { return i % 4 == 3 ? zero : i - i / 4; });
  one("transpose of four columns", [](auto i) { return i % 4 * (N / 4) + i / 4; });
  if constexpr (N > 2) {
    half("every second", [](auto i) { return 2 * i; });
    half("upper half", [](auto i) { return i + N / 2; });
  }
  if constexpr (L > 2)
    one("repeat four", [](auto i) { return i % 4; });
  if constexpr (L > 4)
    one("shift in four, zero", [](auto i) { return i % 4 ? i - 1 : zero; });
  if constexpr (N > L) {
    one("exchange halves", [](auto i) { return i ^ N / 2; });
    one("repeat the first 128 bits", [](auto i) { return i % L; });
  }
}

template <class T, int N> void two_sources(const Cases& c) {
  constexpr int L = 16 / sizeof(T);
  const auto two = [&](const char* name, auto f) { pattern<T, N, N, 2>(c, name, f); };
  two("interleave low", [](auto i) { return i / 2 + i % 2 * N; });
  two("interleave low in 128 bits", [](auto i) { return i / L * L + i % L / 2 + i % 2 * N; });
  two("take turns", [](auto i) { return i + i % 2 * N; });
  two("halves of both", [](auto i) { return i < N / 2 ? int(i) : i + N / 2; });
  two("align by one", [](auto i) { return i + 1; });
  two("align by one in 128 bits", [](auto i) { return i % L < L - 1 ? i + 1 : i / L * L + N; });
  two("every second of both", [](auto i) { return 2 * i; });
  two("every second of both in 128 bits", [](auto i) { return i / L * L + i * 2 % L + (i % L >= L / 2 ? N : 0); });
  two("scattered of both", [](auto i) { return (i * 7 + 3) % (2 * N); });
  two("zero, either, any", [](auto i) { return i % 4 == 0 ? zero : i % 4 == 1 ? dont_care : (i * 7 + 3) % (2 * N); });
  two("reversed into another", [](auto i) { return i % 2 ? 2 * N - 1 - i : int(i); });
  two("swap between pairs", [](auto i) { return i % 2 ? i - 1 + N : i + 1; });
}

template <class T, int Bytes> void one_width(const Cases& c) {
  one_source<T, Bytes / int(sizeof(T))>(c);
  two_sources<T, Bytes / int(sizeof(T))>(c);
}

template <class T> void all_patterns(const Cases& c) {
  one_width<T, 16>(c);
  one_width<T, widest>(c);
  if constexpr (sizeof(T) == 4)
    one_source<T, 2 * widest / 4>(c);
}

} // namespace bench
CROSSLANE_LEVEL_END
} // namespace crosslane::lanes
