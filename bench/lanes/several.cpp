// Several results of one set of registers: planned together, one by one, and by the compiler.
#include "bench/lanes/algorithms.h"
#include "bench/lanes/sections.h"
#include "lanes/permute_all.h"
#include "lanes/registers.h"

namespace crosslane::lanes {
CROSSLANE_LEVEL_BEGIN
namespace bench {
namespace {

// Of few rounds of a loop, it would count whether the CPU foresees the last one.
constexpr size_t bytes = 16384;

// All sources as one vector, of which clang takes each result by one shuffle.
template <int Results, class T, int N, size_t Sources, class F>
CROSSLANE_INLINE auto by_clang(const std::array<Vec<T, N>, Sources>& sources, F) {
  const auto all = join(sources);
  return [&]<size_t... R>(std::index_sequence<R...>) __attribute__((always_inline)) {
    const auto one = [&]<int... I>(auto r, std::integer_sequence<int, I...>) __attribute__((always_inline)) {
      return Vec<T, N>::of(__builtin_shufflevector(all.v, all.v, F{}(int(r), I)...));
    };
    return std::array<Vec<T, N>, Results>{
        one(std::integral_constant<int, int(R)>{}, std::make_integer_sequence<int, N>{})...};
  }(std::make_index_sequence<Results>{});
}

// From registers in memory, Sources at a time, to registers in memory.
template <class T, int Results, int Sources, class F, class... More>
void compare(const Cases& c, const std::string& name, F f, More... more) {
  constexpr int N = register_bytes / int(sizeof(T)), count = bytes / sizeof(T) / (Sources * N);
  const T* in = random_data<T, bytes / sizeof(T)>();
  T* out = room<T, size_t(count) * Results * N>();
  const auto each = [=](auto permuted) {
    return [=] {
      for (int k = 0; k < count; ++k) {
        std::array<Vec<T, N>, Sources> sources;
        unrolled<Sources>([&](auto s) { sources[s] = load<T, N>(in + (k * Sources + s) * N); });
        const auto results = permuted(sources);
        unrolled<Results>([&](auto r) { lanes::store(out + (k * Results + r) * N, results[r]); });
      }
    };
  };
  std::vector<crosslane::bench::Variant> all = {
      again("lanes", each([=](const auto& s) __attribute__((always_inline)) { return permute_all<Results>(s, f); })),
      again("pinned", each([=](const auto& s) __attribute__((always_inline)) {
              return permute_all_by<Lowering::pinned, Results>(s, f);
            })),
      again("one by one", each([=](const auto& s) __attribute__((always_inline)) {
              return permute_all_by<Lowering::compiler, Results>(s, f);
            }))};
  if constexpr (Sources == 2 || Sources == 4 || Sources == 8)
    all.push_back(
        again("clang", each([=](const auto& s) __attribute__((always_inline)) { return by_clang<Results>(s, f); })));
  (all.push_back(again("highway", each(more))), ...);
  c.measure({"several results", name + ", " + element<T>(), "throughput", "", "lanes", all});
}

template <class T> void all(const Cases& c) {
  constexpr int N = register_bytes / int(sizeof(T));
  compare<T, 2, 2>(c, "zip", [](auto r, auto i) { return i % 2 * N + i / 2 + r * N / 2; });
  constexpr auto unzip = [](auto r, auto i) { return 2 * i + r; };
  if constexpr (with_highway)
    compare<T, 2, 2>(c, "unzip", unzip, [](const auto& s) __attribute__((always_inline)) {
      const hn::ScalableTag<T> d;
      using V = hn::Vec<hn::ScalableTag<T>>;
      const V a = __builtin_bit_cast(V, s[0].v), b = __builtin_bit_cast(V, s[1].v);
      const auto back = [](V v) { return Vec<T, N>::of(__builtin_bit_cast(raw_t<T, N>, v)); };
      return std::array<Vec<T, N>, 2>{back(hn::ConcatEven(d, b, a)), back(hn::ConcatOdd(d, b, a))};
    });
  compare<T, 2, 2>(c, "2 x 2 transposed", [](auto r, auto i) { return i % 2 * N + i / 2 * 2 + r; });
  compare<T, 3, 2>(c, "three neighbours", [](auto r, auto i) { return i + r + 1; });
  compare<T, 4, 4>(c, "4 x 4 transposed", [](auto r, auto i) { return i % 4 * N + i / 4 * 4 + r; });
  compare<T, 4, 4>(c, "four apart", [](auto r, auto i) { return 4 * i + r; });
  compare<T, 4, 4>(c, "four together", [](auto r, auto i) { return i % 4 * N + i / 4 + r * N / 4; });
  if constexpr (sizeof(T) >= 4 && N >= 8)
    compare<T, 8, 8>(c, "8 x 8 transposed", [](auto r, auto i) { return i % 8 * N + i / 8 * 8 + r; });
}

} // namespace
} // namespace bench
CROSSLANE_LEVEL_END
} // namespace crosslane::lanes

namespace crosslane::bench {
void measure_several(const Cases& c) {
  if constexpr (lanes::has_plans) {
    lanes::bench::all<uint8_t>(c);
    lanes::bench::all<uint16_t>(c);
    lanes::bench::all<uint32_t>(c);
    lanes::bench::all<uint64_t>(c);
  }
}
} // namespace crosslane::bench
