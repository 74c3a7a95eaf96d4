// Transposes, and arrays of structures against structures of arrays.
#include "lanes/transpose.h"
#include "bench/lanes/algorithms.h"
#include "bench/lanes/sections.h"

namespace crosslane::lanes {
CROSSLANE_LEVEL_BEGIN
namespace bench {
namespace {

template <size_t K, class T> void fields(const Cases& c) {
  // Of few rounds of a loop, it would count whether the CPU foresees the last one. No two fields are at equal places of
  // pages.
  constexpr size_t n = (K == 2 ? 6144 : K == 3 ? 4096 : 2048) / sizeof(T), far = n + 192 / sizeof(T);
  const T* in = random_data<T, K * far>();
  T* out = room<T, K * far>();
  const auto each = [](T* p) {
    return [&]<size_t... I>(std::index_sequence<I...>) {
      return std::array<T*, K>{p + I * far...};
    }(std::make_index_sequence<K>{});
  };
  const auto to = each(out);
  const auto from = [&]<size_t... I>(std::index_sequence<I...>) {
    return std::array<const T*, K>{in + I * far...};
  }(std::make_index_sequence<K>{});
  const std::string name = std::to_string(K) + " fields, " + element<T>();
  const hn::ScalableTag<T> d;
  const size_t lanes = hn::Lanes(d);
  std::vector<crosslane::bench::Variant> apart = {again("lanes", [=] { aos_to_soa<K, T>(in, to, n); }),
                                                  again("loop", [=] {
                                                    for (size_t i = 0; i < n; ++i)
                                                      for (size_t k = 0; k < K; ++k)
                                                        out[k * far + i] = in[i * K + k];
                                                  })};
  std::vector<crosslane::bench::Variant> together = {again("lanes", [=] { soa_to_aos<K, T>(from, out, n); }),
                                                     again("loop", [=] {
                                                       for (size_t i = 0; i < n; ++i)
                                                         for (size_t k = 0; k < K; ++k)
                                                           out[i * K + k] = in[k * far + i];
                                                     })};
  if constexpr (with_highway && K <= 4) {
    using V = hn::Vec<hn::ScalableTag<T>>;
    apart.push_back(again("highway", [=] {
      for (size_t i = 0; i < n; i += lanes) {
        V a, b, x, y;
        if constexpr (K == 2)
          hn::LoadInterleaved2(d, in + i * K, a, b);
        if constexpr (K == 3)
          hn::LoadInterleaved3(d, in + i * K, a, b, x);
        if constexpr (K == 4)
          hn::LoadInterleaved4(d, in + i * K, a, b, x, y);
        hn::StoreU(a, d, out + i), hn::StoreU(b, d, out + far + i);
        if constexpr (K >= 3)
          hn::StoreU(x, d, out + 2 * far + i);
        if constexpr (K >= 4)
          hn::StoreU(y, d, out + 3 * far + i);
      }
    }));
    together.push_back(again("highway", [=] {
      for (size_t i = 0; i < n; i += lanes) {
        const V a = hn::LoadU(d, in + i), b = hn::LoadU(d, in + far + i);
        if constexpr (K == 2)
          hn::StoreInterleaved2(a, b, d, out + i * K);
        if constexpr (K == 3)
          hn::StoreInterleaved3(a, b, hn::LoadU(d, in + 2 * far + i), d, out + i * K);
        if constexpr (K == 4)
          hn::StoreInterleaved4(a, b, hn::LoadU(d, in + 2 * far + i), hn::LoadU(d, in + 3 * far + i), d, out + i * K);
      }
    }));
  }
  c.measure({"structures apart", name, "throughput", "", "lanes", apart});
  c.measure({"structures together", name, "throughput", "", "lanes", together});
}

// A matrix of R rows of C in registers, from memory to memory, small rows as one vector. The compiler gets it as one
// shuffle of all elements.
template <class T, int R, int C> void in_registers(const Cases& c) {
  const T* in = random_data<T, R * C>();
  T* out = room<T, R * C>();
  constexpr bool dense = std::min(R, C) * sizeof(T) <= widest / 4; // as transpose_dense's header says
  const auto by = [=](const char* name, auto order) {
    return again(name, [=] {
      std::array<Vec<T, C>, R> rows;
      unrolled<R>([&](auto i) { rows[i] = load<T, C>(in + i * C); });
      const auto columns = transpose<decltype(order)::value>(rows);
      unrolled<C>([&](auto i) { lanes::store(out + i * R, columns[i]); });
    });
  };
  std::vector<crosslane::bench::Variant> all = {
      by(dense ? "row by row" : "lanes", std::integral_constant<Order, Order::small_to_big>{}),
      by("lanes, big to small", std::integral_constant<Order, Order::big_to_small>{}), again("loop", [=] {
        for (int r = 0; r < R; ++r)
          for (int k = 0; k < C; ++k)
            out[k * R + r] = in[r * C + k];
      })};
  if constexpr (dense)
    all.push_back(again("lanes", [=] { lanes::store(out, transpose_dense<R, C>(load<T, R * C>(in))); }));
  if constexpr (R * C <= 256)
    all.push_back(again("one shuffle of the compiler", [=] {
      const auto v = load<T, R * C>(in).v;
      const auto moved = [&]<int... I>(std::integer_sequence<int, I...>) {
        return __builtin_shufflevector(v, v, (I % R * C + I / R)...);
      }(std::make_integer_sequence<int, R * C>{});
      lanes::store(out, Vec<T, R * C>::of(moved));
    }));
  c.measure({"transpose in registers", std::to_string(R) + " x " + std::to_string(C) + " " + element<T>(), "throughput",
             "", "lanes", all});
}

template <class T, int R, int C> void in_memory(const Cases& c) {
  const T* in = random_data<T, R * C>();
  T* out = room<T, R * C>();
  c.measure({"transpose in memory",
             std::to_string(R) + " x " + std::to_string(C) + " " + element<T>(),
             "throughput",
             "",
             "lanes",
             {again("lanes", [=] { transpose<T>(in, C, out, R, R, C); }), again("loop", [=] {
                for (int r = 0; r < R; ++r)
                  for (int k = 0; k < C; ++k)
                    out[k * R + r] = in[r * C + k];
              })}});
}

template <class T> void all_fields(const Cases& c) {
  fields<2, T>(c), fields<3, T>(c), fields<4, T>(c), fields<8, T>(c);
}

} // namespace
} // namespace bench
CROSSLANE_LEVEL_END
} // namespace crosslane::lanes

namespace crosslane::bench {
void measure_transpose(const Cases& c) {
  using namespace lanes::bench;
  all_fields<uint8_t>(c), all_fields<uint16_t>(c), all_fields<uint32_t>(c), all_fields<uint64_t>(c);
  in_registers<uint64_t, 8, 8>(c), in_registers<uint32_t, 8, 8>(c), in_registers<uint32_t, 16, 16>(c);
  in_registers<uint16_t, 8, 8>(c), in_registers<uint8_t, 16, 16>(c), in_registers<uint32_t, 4, 16>(c);
  in_registers<uint32_t, 16, 4>(c);
  in_memory<uint8_t, 128, 128>(c), in_memory<uint16_t, 96, 80>(c), in_memory<uint32_t, 64, 64>(c),
      in_memory<uint32_t, 61, 67>(c);
  in_memory<uint64_t, 40, 40>(c);
}
} // namespace crosslane::bench
