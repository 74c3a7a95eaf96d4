// Permutes of what lies in memory: by loads that begin where lanes need them, against permutes of loaded registers and
// the compiler's own loop over the same indexes.
#include "bench/lanes/algorithms.h"
#include "bench/lanes/sections.h"
#include "lanes/load_permuted.h"

namespace crosslane::lanes {
CROSSLANE_LEVEL_BEGIN
namespace bench {
namespace {

template <class T> struct Shape {
  static constexpr int N = std::max(register_bytes / int(sizeof(T)), 2);
};

// A register for each of 4 KiB but the first, so that nothing in front of it is another page's, from a multiple of its
// size on or `Off` behind it; `Source` elements have all that is named.
template <class T, int Source, int Off, class F> void from_memory(const Cases& c, const std::string& name, F) {
  constexpr int N = Shape<T>::N, places = 4096 / sizeof(T) / N - 2 - Source / N;
  const T* in = random_data<T, 4096 / sizeof(T)>();
  T* out = room<T, 4096 / sizeof(T)>();
  const auto by = [=](const char* way, auto one) {
    return again(way, [=] {
      for (int i = 0; i < places; ++i)
        lanes::store(out + i * N, one(in + (1 + i) * N + Off));
    });
  };
  c.measure({"from memory",
             name + (Off ? ", anywhere" : "") + " of " + element<T>(),
             "throughput",
             "",
             "lanes",
             {by("lanes", [](const T* p) { return load_permuted<T, N, Source>(p, F{}); }),
              by("permute of a load", [](const T* p) { return permute<Vec<T, N>>(load<T, Source>(p), F{}); }),
              by("loop", [](const T* p) __attribute__((always_inline)) {
                T v[N];
                [&]<size_t... I>(std::index_sequence<I...>) __attribute__((always_inline)) {
                  ((v[I] = F{}(int(I)) < 0 ? T(0) : p[std::max(F{}(int(I)), 0)]), ...);
                }(std::make_index_sequence<size_t(N)>{});
                return load<T, N>(v);
              })}});
}
template <class T, int Off> void all(const Cases& c) {
  constexpr int N = Shape<T>::N, lane = 16 / sizeof(T);
  from_memory<T, N, Off>(c, "one element", [](int) { return 1; });
  from_memory<T, N, Off>(c, "128 bits repeated", [](int i) { return 1 + i % lane; });
  from_memory<T, 2 * N, Off>(c, "from the third on", [](int i) { return i + 3; });
  from_memory<T, 2 * N, Off>(c, "moved up, a zero", [](int i) { return i ? i - 1 : zero; });
  from_memory<T, 2 * N, Off>(c, "halves, three apart", [](int i) { return i < N / 2 ? i + 1 : i + 4; });
  from_memory<T, 2 * N, Off>(c, "alternating, a register apart", [](int i) { return i % 2 ? i + N : i; });
  from_memory<T, N, Off>(c, "reversed", [](int i) { return N - 1 - i; });
  from_memory<T, 2 * N, Off>(c, "rotated by three", [](int i) { return (i + 3) % N; });
}

} // namespace
} // namespace bench
CROSSLANE_LEVEL_END
} // namespace crosslane::lanes

namespace crosslane::bench {
void measure_memory(const Cases& c) {
  lanes::bench::all<uint8_t, 0>(c), lanes::bench::all<uint8_t, 1>(c);
  lanes::bench::all<uint16_t, 0>(c), lanes::bench::all<uint16_t, 1>(c);
  lanes::bench::all<uint32_t, 0>(c), lanes::bench::all<uint32_t, 1>(c);
  lanes::bench::all<uint64_t, 0>(c), lanes::bench::all<uint64_t, 1>(c);
}
} // namespace crosslane::bench
