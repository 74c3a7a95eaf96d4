// Owns single lanes, and parts, of vectors: taken out and put in, at places known when compiled or at run time.
//
//   extract<K>(v), extract(v, k)          lane K; lane k % N
//   insert<K>(v, x), insert(v, k, x)      v with x as lane K; as lane k % N
//   insert_part<K>(v, w)                  v with w's M lanes in place of lanes K * M to K * M + M - 1
// (part<M, K>(v) of lanes/registers.h takes such a part out.)
//
// A lane at a place of run time comes through memory, whose latency the moves to and from a register of indexes would
// exceed; it is put in by a comparison of lane numbers and a blend, as a written lane would be waited for when the
// register is read back (a failed store forwarding): AVX-512 2 instructions, AVX2 3, for each register.
// Source: Intel, "AVX-512 - Permuting Data Within and Between AVX Registers", 3.2.3.
#pragma once
#include "lanes/registers.h"

namespace crosslane::lanes {
CROSSLANE_LEVEL_BEGIN

template <int K, class T, int N> CROSSLANE_INLINE T extract(Vec<T, N> v) {
  static_assert(K >= 0 && K < N, "extract: there is no such lane");
  return part<1, K>(v).v;
}
template <class T, int N> CROSSLANE_INLINE T extract(Vec<T, N> v, unsigned k) {
  static_assert((N & (N - 1)) == 0, "extract: the number of lanes is no power of two");
  if constexpr (N == 1)
    return v.v;
  else
    return v.v[k % N];
}

template <int K, class T, int N> CROSSLANE_INLINE Vec<T, N> insert(Vec<T, N> v, std::type_identity_t<T> x) {
  static_assert(K >= 0 && K < N, "insert: there is no such lane");
  if constexpr (N == 1)
    return Vec<T, N>::of(x);
  else {
    v.v[K] = x;
    return v;
  }
}
template <class T, int N> CROSSLANE_INLINE Vec<T, N> insert(Vec<T, N> v, unsigned k, std::type_identity_t<T> x) {
  static_assert((N & (N - 1)) == 0, "insert: the number of lanes is no power of two");
  using U = unsigned_of<sizeof(T)>;
  if constexpr (N == 1)
    return Vec<T, N>::of(x);
  else
    return detail::by_parts<register_bytes>(
        [&](auto old, auto number) {
          constexpr int lanes = decltype(old)::lanes;
          return Vec<T, lanes>::of(number.v == raw_t<U, lanes>(U(k % N)) ? raw_t<T, lanes>(x) : old.v);
        },
        v, iota<U, N>());
}

template <int K, class T, int N, int M> CROSSLANE_INLINE Vec<T, N> insert_part(Vec<T, N> v, Vec<T, M> w) {
  static_assert(K >= 0 && K * M + M <= N, "insert_part: there is no such part");
  if constexpr (M == N)
    return w;
  else if constexpr (M == 1)
    return insert<K>(v, w.v);
  else {
    const auto long_w = detail::longer<N>(w);
    return [&]<int... I>(std::integer_sequence<int, I...>) {
      return Vec<T, N>::of(
          __builtin_shufflevector(v.v, long_w.v, (I >= K * M && I < K * M + M ? N + I - K * M : I)...));
    }(std::make_integer_sequence<int, N>{});
  }
}

CROSSLANE_LEVEL_END
} // namespace crosslane::lanes
