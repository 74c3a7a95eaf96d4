// Owns permutes of what lies in memory: a lambda says for each lane of the result which element from p on it is.
//
//   load_permuted<uint32_t, 16>(p, [](auto i) { return i / 2; })         p[0] p[0] p[1] p[1] ...
//   load_permuted<uint32_t, 16, 100>(p, [](auto i) { ... })              p[0] to p[99] may be read
//   load_permuted_by<Loading::window, uint32_t, 16>(p, f)                by a way of one's own choice
//
// Memory can do what registers cannot: a load begins anywhere, leaves lanes alone under a mask, and repeats what it
// reads, at no more than a plain one costs. The ways:
//   repeat   one load that repeats 1, 2, 4, 8, 16 or 32 bytes (embedded broadcasts)
//   run      all lanes are as far from their elements: one load that begins so far away, under a mask where lanes are
//            zero or it would read too much
//   halves   where each half of a register, of 128 bits or more, is one of the above: two loads, the second one
//   inserted window   the elements from the first to the last, loaded, then permuted; where there is room, loaded from
//   where the
//            permute stays within 128 bits
//   elements one move for each lane, where the window would have more than 256 bytes
// Several runs under a mask each are no way: of two loads that cross a line of the cache each takes as long as
// two, and a permute of two registers less (Zen 5, halves of 16 x 32 bit three apart: 0.58 ns against 0.40).
// `dont_care` and `zero` are as in lanes/permute.h. N lanes of T, up to 256 bytes, which are made register by register.
//
// What is touched: nothing in front of p[0], nor behind the last element that is named, or behind p[Readable - 1] if
// that is further. A mask may hide what is not mapped, in front of p[0] or behind the last one: no fault, but the CPU
// then takes long for that load (Zen 5: 170 ns).
#pragma once
#include "lanes/compress.h"
#include "lanes/permute.h"
#include "lanes/registers.h"

namespace crosslane::lanes {
CROSSLANE_LEVEL_BEGIN

enum class Loading : uint8_t { repeat, run, halves, window };

namespace detail {

// What is asked of memory for one register of the result: of each lane the element from p on, `zero` or `dont_care`.
struct FromMemory {
  int element_bytes = 4, lanes = 0, readable = 0;
  std::array<int, 64> from{};

  constexpr bool named(int i) const { return from[size_t(i)] >= 0; }
  constexpr bool any(int what) const {
    for (int i = 0; i < lanes; ++i)
      if (from[size_t(i)] == what)
        return true;
    return false;
  }
  constexpr int first() const {
    int least = readable;
    for (int i = 0; i < lanes; ++i)
      least = named(i) ? std::min(least, from[size_t(i)]) : least;
    return least;
  }
  constexpr int last() const {
    int most = -1;
    for (int i = 0; i < lanes; ++i)
      most = std::max(most, from[size_t(i)]);
    return most;
  }
  constexpr bool nothing() const { return last() < 0; }

  // So many elements are one after the other in memory and are repeated; 0: they are not.
  constexpr int period() const {
    for (int n = 1; n < lanes && n * element_bytes <= 32; n *= 2) {
      bool fits = !any(zero);
      int start = -1;
      for (int i = 0; i < lanes && fits; ++i)
        if (named(i)) {
          const int begin = from[size_t(i)] - i % n;
          fits = begin >= 0 && begin + n <= readable && (start < 0 || start == begin);
          start = begin;
        }
      if (fits && start >= 0)
        return n;
    }
    return 0;
  }
  constexpr int period_start() const {
    for (int i = 0; i < lanes; ++i)
      if (named(i))
        return from[size_t(i)] - i % period();
    return 0;
  }
};

// Lanes that are as far from their elements: lane i is element i + distance.
struct Run {
  bool found = false; // all lanes are
  int distance = 0;
  uint64_t lanes = 0; // that are named
  bool whole = false; // the load reads all lanes
};
constexpr Run run_of(const FromMemory& m) {
  Run r;
  for (int i = 0; i < m.lanes; ++i) {
    if (!m.named(i))
      continue;
    const int distance = m.from[size_t(i)] - i;
    if (r.lanes && r.distance != distance)
      return {};
    r.distance = distance, r.lanes |= uint64_t(1) << i;
  }
  r.found = true, r.whole = r.distance >= 0 && r.distance + m.lanes <= m.readable;
  return r;
}
// Loads under a mask that read nothing else: AVX-512's, and vpmaskmov of dwords and qwords, of which only Zen 3's is
// known to cost no more than another load (32 bytes moved up by a qword, 4 KB: 41 ns, by a permute 81).
#ifdef __AVX512BW__
constexpr bool loads_under_masks(size_t) { return true; }
#else
constexpr bool loads_under_masks(size_t element_bytes) {
  return register_bytes == 32 && compiled_cpu == Cpu::zen3 && element_bytes >= 4;
}
#endif
constexpr bool can_run(const FromMemory& m) {
  const Run r = run_of(m);
  return r.found && (r.whole || (loads_under_masks(size_t(m.element_bytes)) && m.lanes * m.element_bytes >= 16));
}

// So many elements from `begin` on, a power of two, have all that is named. Where the window is allowed to begin
// earlier, it begins where nothing leaves its 128 bits, if there is such a place.
struct Window {
  int begin = 0, elements = 1;
  bool in_lanes = true; // no element leaves its 128 bits
};
constexpr Window window_of(const FromMemory& m) {
  Window w;
  const int first = m.first(), last = m.last(), lane = std::max(16 / m.element_bytes, 1);
  while (w.elements <= last - first)
    w.elements *= 2;
  w.elements = std::max(w.elements, std::min(m.lanes, lane));
  const auto stays = [&](int begin) {
    for (int i = 0; i < m.lanes; ++i)
      if (m.named(i) && (m.from[size_t(i)] - begin) / lane != i / lane)
        return false;
    return true;
  };
  w.begin = std::max(0, std::min(first, m.readable - w.elements));
  w.in_lanes = stays(w.begin);
  for (int begin = std::max(0, last + 1 - w.elements); begin <= first && !w.in_lanes; ++begin)
    if (begin + w.elements <= m.readable && stays(begin))
      w.begin = begin, w.in_lanes = true;
  return w;
}

// Zen 3: vpermq and vpermd of memory take 2 cycles, behind a load of their own 1.2 to 1.5. They are alone, unless
// dwords stay together with their 128 bits, which a shuffle of memory and vpermq move.
constexpr bool crosses_alone(const FromMemory& m, int begin) {
  if (m.element_bytes != 4 || m.lanes != 8)
    return m.element_bytes == 8;
  for (int i = 0; i < 8; ++i)
    for (int k = i / 4 * 4; k < i; ++k)
      if (m.named(i) && m.named(k) && (m.from[size_t(i)] - begin) / 4 != (m.from[size_t(k)] - begin) / 4)
        return true;
  return false;
}

constexpr FromMemory half_of(const FromMemory& m, int half) {
  FromMemory h{m.element_bytes, m.lanes / 2, m.readable, {}};
  for (int i = 0; i < h.lanes; ++i)
    h.from[size_t(i)] = m.from[size_t(half * h.lanes + i)];
  return h;
}
constexpr bool has_halves(const FromMemory& m) {
  const auto is_load = [](const FromMemory& h) {
    return h.period() || (run_of(h).found && run_of(h).whole && !h.any(zero));
  };
  return m.lanes * m.element_bytes >= 32 && is_load(half_of(m, 0)) && is_load(half_of(m, 1));
}

// Zen 5 with AVX2, 4 KB of dwords or qwords three apart, ns: halves 50 wherever p is, two registers permuted 36 if they
// cross no line of the cache, 53 if they do; of bytes and words 53, 57 and 71.
constexpr bool permutes_rather_than_halves(const FromMemory& m) {
  return compiled_cpu == Cpu::zen5 && register_bytes == 32 && m.element_bytes >= 4 &&
         window_of(m).elements * m.element_bytes <= 64;
}
constexpr Loading best_loading(const FromMemory& m) {
  using enum Loading;
  return m.period() ? repeat : can_run(m) ? run : has_halves(m) && !permutes_rather_than_halves(m) ? halves : window;
}

// Lanes of the mask from p on, the others zero; without masks all.
template <class T, int N, uint64_t Lanes> CROSSLANE_INLINE Vec<T, N> load_lanes(const T* p) {
#ifdef __AVX512BW__
  if constexpr (N * sizeof(T) >= 16 && Lanes != ~uint64_t(0) >> (64 - N))
    return from_machine<T>(load_masked<T, N* int(sizeof(T))>(p, Lanes));
#elif defined(__AVX2__)
  if constexpr (N * sizeof(T) >= 16 && loads_under_masks(sizeof(T)) && Lanes != ~uint64_t(0) >> (64 - N))
    return from_machine<T>(load_masked<T>(p, machine([]<int... I>(std::integer_sequence<int, I...>) {
                                            using S = signed_of<sizeof(T)>;
                                            return Vec<S, N>::of(raw_t<S, N>{S(-S(Lanes >> I & 1))...});
                                          }(std::make_integer_sequence<int, N>{}))));
#endif
  return load<T, N>(p);
}

// The first Count elements, then whatever.
template <class T, int N, int Count> CROSSLANE_INLINE Vec<T, N> load_beginning(const T* p) {
  constexpr int bytes = N * int(sizeof(T));
  if constexpr (Count >= N)
    return load<T, N>(p);
  else if constexpr (Count <= 0)
    return Vec<T, N>(T(0));
  else if constexpr (bytes <= register_bytes && bytes >= 16 &&
                     (loads_under_masks(sizeof(T)) || (register_bytes == 32 && sizeof(T) >= 4)))
    return load_first<T, N>(p, Count);
  else
    return join(load_beginning<T, N / 2, Count>(p), load_beginning<T, N / 2, Count - N / 2>(p + N / 2));
}

template <FromMemory M, Loading L, class T, int N> CROSSLANE_INLINE Vec<T, N> load_register(const T* p) {
  if constexpr (M.nothing() || N == 1) {
    if constexpr (M.nothing())
      return Vec<T, N>(T(0));
    else
      return load<T, 1>(p + M.from[0]);
  } else if constexpr (L == Loading::repeat && M.period() > 0) {
    constexpr int n = M.period(), begin = M.period_start();
    const auto few = load<T, n>(p + begin);
    if constexpr (n == 1)
      return Vec<T, N>(few.v);
    else
      return [&]<int... I>(std::integer_sequence<int, I...>) __attribute__((always_inline)) {
        return Vec<T, N>::of(__builtin_shufflevector(few.v, few.v, (I % n)...));
      }(std::make_integer_sequence<int, N>{});
  } else if constexpr (L == Loading::run && can_run(M)) {
    constexpr Run r = run_of(M);
    constexpr uint64_t zeros = [] {
      uint64_t lanes = 0;
      for (int i = 0; i < N; ++i)
        lanes |= uint64_t(M.from[size_t(i)] == zero) << i;
      return lanes;
    }();
    constexpr uint64_t wanted = r.whole ? ~uint64_t(0) >> (64 - N) & ~zeros : r.lanes;
    const Vec<T, N> v = load_lanes<T, N, wanted>(p + r.distance);
    if constexpr (zeros && !(loads_under_masks(sizeof(T)) && N * sizeof(T) >= 16))
      return [&]<int... I>(std::integer_sequence<int, I...>) __attribute__((always_inline)) {
        return Vec<T, N>::of(__builtin_shufflevector(v.v, raw_t<T, N>{}, (zeros >> I & 1 ? N : I)...));
      }(std::make_integer_sequence<int, N>{});
    else
      return v;
  } else if constexpr (constexpr Window w = window_of(M); w.elements * sizeof(T) > Pattern::max_bytes) {
    return [&]<size_t... I>(std::index_sequence<I...>) __attribute__((always_inline)) {
      return Vec<T, N>::of(raw_t<T, N>{(M.from[I] < 0 ? T(0) : p[std::max(M.from[I], 0)])...});
    }(std::make_index_sequence<size_t(N)>{});
  } else {
    struct Moved {
      constexpr int operator()(int i) const {
        return M.from[size_t(i)] < 0 ? M.from[size_t(i)] : M.from[size_t(i)] - w.begin;
      }
    };
    auto window = load_beginning<T, w.elements, M.readable - w.begin>(p + w.begin);
    if constexpr (compiled_cpu == Cpu::zen3 && !w.in_lanes && sizeof(window) == 32 && crosses_alone(M, w.begin))
      window = as_written(window);
    return permute<Vec<T, N>>(window, Moved{});
  }
}

// The lambda's answers, checked.
template <class T, int N, int Readable, class F> struct AskedOfMemory {
  static_assert(sizeof(T) == 1 || sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8,
                "load_permuted: elements have neither 1, 2, 4 nor 8 bytes");
  static_assert(N > 0 && (N & (N - 1)) == 0 && N * sizeof(T) <= Pattern::max_bytes,
                "load_permuted: the result has no power of two of elements, or more than 256 bytes");
  static_assert(AnswersForLanes<F>,
                "load_permuted: the last argument is no lambda that takes the lane and answers with an element");
  static_assert(!AnswersForLanes<F> || std::is_empty_v<F>,
                "load_permuted: the lambda must not capture; make what it needs a template argument");
  static constexpr const std::array<int, N>& from = answers<F, N>;
  static_assert(
      [] {
        for (const int f : from)
          if (f < zero)
            return false;
        return true;
      }(),
      "load_permuted: the lambda names an element in front of p");
  // Register `Part` of the result, of `Lanes`.
  template <int Part, int Lanes>
  static constexpr FromMemory part = [] {
    FromMemory m{sizeof(T), Lanes, Readable, {}};
    for (const int f : from)
      m.readable = std::max(m.readable, f + 1);
    for (int i = 0; i < Lanes; ++i)
      m.from[size_t(i)] = from[size_t(Part * Lanes + i)];
    return m;
  }();
};

// Register by register; `Chosen`: of each the best way.
template <class A, bool Chosen, Loading L, class T, int N, int First, int Lanes>
CROSSLANE_INLINE Vec<T, Lanes> load_parts(const T* p) {
  constexpr int widest = std::max(register_bytes / int(sizeof(T)), 1);
  constexpr bool halved = [] {
    if constexpr (Lanes > widest) {
      return true;
    } else {
      constexpr const FromMemory& m = A::template part<First / Lanes, Lanes>;
      return (Chosen ? best_loading(m) : L) == Loading::halves && has_halves(m);
    }
  }();
  if constexpr (halved) {
    constexpr bool best = Chosen || Lanes <= widest;
    const auto both = join(load_parts<A, best, L, T, N, First, Lanes / 2>(p),
                           load_parts<A, best, L, T, N, First + Lanes / 2, Lanes / 2>(p));
    if constexpr (compiled_cpu == Cpu::zen3 && sizeof(both) == 32)
      return as_written(both); // or it would be stored by halves, one in a cycle
    else
      return both;
  } else {
    constexpr const FromMemory& m = A::template part<First / Lanes, Lanes>;
    return load_register<m, Chosen ? best_loading(m) : L, T, Lanes>(p);
  }
}

} // namespace detail

// The same by a way of one's own choice: for measuring. Where it does not fit, it is the window.
template <Loading L, class T, int N, int Readable = 0, class F>
CROSSLANE_INLINE Vec<T, N> load_permuted_by(const T* p, F) {
  return detail::load_parts<detail::AskedOfMemory<T, N, Readable, F>, false, L, T, N, 0, N>(p);
}
template <class T, int N, int Readable = 0, class F> CROSSLANE_INLINE Vec<T, N> load_permuted(const T* p, F) {
  return detail::load_parts<detail::AskedOfMemory<T, N, Readable, F>, true, Loading::window, T, N, 0, N>(p);
}

CROSSLANE_LEVEL_END
} // namespace crosslane::lanes
