// Prefix scans, shifts of whole vectors, and lookups by indexes known at run time.
#include "lanes/scan.h"
#include "bench/lanes/algorithms.h"
#include "bench/lanes/sections.h"
#include "lanes/bit_matrix.h"
#include "lanes/dynamic.h"
#include "lanes/stride.h"
#include "lanes/table.h"
#include "lanes/wide_shift.h"
#include <numeric>

namespace crosslane::lanes {
CROSSLANE_LEVEL_BEGIN
namespace bench {
namespace {

template <class T> void scanning(const Cases& c) {
  constexpr size_t n = 8192 / sizeof(T);
  const T* in = random_data<T, n>();
  T* out = room<T, n>();
  c.measure({"scan",
             "sums of " + element<T>(),
             "throughput",
             "",
             "lanes",
             {again("lanes", [=] { use(Vec<T, 16 / sizeof(T)>(inclusive_scan(in, out, n, Sum{}))); }),
              again("loop",
                    [=] {
                      T sum = 0;
                      for (size_t i = 0; i < n; ++i)
                        out[i] = sum = T(sum + in[i]);
                    }),
              again("std::inclusive_scan", [=] { std::inclusive_scan(in, in + n, out); })}});
}

// The rival is the compiler's own integer of that size.
template <int Q> void shifting(const Cases& c) {
  using Integer = unsigned _BitInt(64 * Q);
  constexpr int groups = 16;
  const uint64_t* in = random_data<uint64_t, Q * groups>();
  const uint8_t* counts = random_data<uint8_t, groups>();
  uint64_t* out = room<uint64_t, Q * groups>();
  const auto lanes_way = [=](const char* name, auto f) {
    return again(name, [=] {
      for (int g = 0; g < groups; ++g)
        lanes::store(out + g * Q, f(load<uint64_t, Q>(in + g * Q), unsigned(counts[g]) % (64 * Q)));
    });
  };
  const auto compiler_way = [=](const char* name, auto f) {
    return again(name, [=] {
      for (int g = 0; g < groups; ++g) {
        Integer x;
        std::memcpy(&x, in + g * Q, sizeof x);
        x = f(x, unsigned(counts[g]) % (64 * Q));
        std::memcpy(out + g * Q, &x, sizeof x);
      }
    });
  };
  const std::string bits = std::to_string(64 * Q) + " bits";
  c.measure({"wide shift",
             bits + " left",
             "throughput",
             "",
             "lanes",
             {lanes_way("lanes", [](auto v, unsigned n) { return wide_shift_left(v, n); }),
              compiler_way("_BitInt", [](Integer x, unsigned n) { return x << n; })}});
  c.measure({"wide shift",
             bits + " left by 13",
             "throughput",
             "",
             "lanes",
             {lanes_way("lanes", [](auto v, unsigned) { return wide_shift_left<13>(v); }),
              compiler_way("_BitInt", [](Integer x, unsigned) { return x << 13; })}});
  c.measure({"wide shift",
             bits + " right by 77",
             "throughput",
             "",
             "lanes",
             {lanes_way("lanes", [](auto v, unsigned) { return wide_shift_right<77>(v); }),
              compiler_way("_BitInt", [](Integer x, unsigned) { return x >> 77; })}});
  c.measure({"wide shift",
             bits + " rotate",
             "throughput",
             "",
             "lanes",
             {lanes_way("lanes", [](auto v, unsigned n) { return wide_rotate_left(v, n); }),
              compiler_way("_BitInt", [](Integer x, unsigned n) { return x << n | x >> (-n % (64 * Q)); })}});
}

void looking_up(const Cases& c) {
  const uint32_t *table = random_data<uint32_t, 64>(), *any = random_data<uint32_t, 1024>();
  static Buffer<uint32_t, 1024> indexes;
  uint32_t *index = indexes.at, *out = room<uint32_t, 1024>();
  for (int i = 0; i < 1024; ++i)
    index[i] = any[i] % 64;
  const uint8_t *table8 = random_data<uint8_t, 64>(), *index8 = random_data<uint8_t, 4096>();
  uint8_t* out8 = room<uint8_t, 4096>();
  c.measure({"lookup",
             "64 u8",
             "throughput",
             "",
             "lanes",
             {again("lanes",
                    [=] {
                      const auto t = load<uint8_t, 64>(table8);
                      for (int i = 0; i < 4096; i += 64)
                        lanes::store(out8 + i, lookup_dirty(t, load<uint8_t, 64>(index8 + i)));
                    }),
              again("loop", [=] {
                for (int i = 0; i < 4096; ++i)
                  out8[i] = table8[index8[i] % 64];
              })}});
  c.measure({"lookup",
             "64 u32, table.h",
             "throughput",
             "",
             "lanes",
             {again("lanes",
                    [=] {
                      const auto t = load<uint32_t, 64>(table); // captured, it would be read again each time
                      for (int i = 0; i < 1024; i += 16)
                        lanes::store(out + i, lookup_dirty(t, load<uint32_t, 16>(index + i)));
                    }),
              again("loop", [=] {
                for (int i = 0; i < 1024; ++i)
                  out[i] = table[index[i]];
              })}});
  c.measure({"lookup",
             "64 u32",
             "throughput",
             "",
             "lanes",
             {again("lanes",
                    [=] {
                      Vec<uint32_t, 16> t[4];
                      unrolled<4>([&](auto k) { t[k] = load<uint32_t, 16>(table + 16 * k); });
                      for (int i = 0; i < 1024; i += 16)
                        lanes::store(out + i, lookup(t, load<uint32_t, 16>(index + i)));
                    }),
              again("loop", [=] {
                for (int i = 0; i < 1024; ++i)
                  out[i] = table[index[i]];
              })}});
  constexpr int N = register_bytes / 4;
  if constexpr (N == 16) {
    const hn::ScalableTag<uint32_t> d;
    c.measure({"lookup",
               "16 u32",
               "throughput",
               "",
               "lanes",
               {again("lanes",
                      [=] {
                        const auto t = load<uint32_t, 16>(table);
                        for (int i = 0; i < 1024; i += 16)
                          lanes::store(out + i, permute(t, load<uint32_t, 16>(index + i)));
                      }),
                again("loop",
                      [=] {
                        for (int i = 0; i < 1024; ++i)
                          out[i] = table[index[i] & 15];
                      }),
                again("highway", [=] {
                  const auto t = hn::LoadU(d, table);
                  for (int i = 0; i < 1024; i += N)
                    hn::StoreU(hn::TableLookupLanes(
                                   t, hn::IndicesFromVec(d, hn::And(hn::LoadU(d, index + i), hn::Set(d, 15u)))),
                               d, out + i);
                })}});
  }
}

template <class T, int Stride> void striding(const Cases& c) {
  constexpr int N = register_bytes / int(sizeof(T)), n = 1024 / int(sizeof(T));
  const T* in = random_data<T, n * Stride>();
  T* out = room<T, n * Stride>();
  const std::string name = element<T>() + " at " + std::to_string(Stride);
  const auto by = [=](const char* way, auto f) {
    return again(way, [=] {
      for (int i = 0; i < n; i += N)
        lanes::store(out + i, f(in + i * Stride));
    });
  };
  std::vector<crosslane::bench::Variant> loads = {
      by("lanes", [](const T* p) { return load_strided<T, N, Stride>(p); }),
      by("lanes, permutes", [](const T* p) { return load_strided_permute<T, N, Stride>(p); }),
      by("lanes, gather", [](const T* p) { return load_strided_gather<T, N>(p, Stride); }), again("loop", [=] {
        for (int i = 0; i < n; ++i)
          out[i] = in[i * Stride];
      })};
  if constexpr (with_highway && sizeof(T) >= 4) {
    using I = std::make_signed_t<T>;
    const hn::ScalableTag<T> d;
    const hn::ScalableTag<I> di;
    loads.push_back(again("highway", [=] {
      const auto at = hn::Mul(hn::Iota(di, 0), hn::Set(di, I(Stride)));
      for (int i = 0; i < n; i += N)
        hn::StoreU(hn::GatherIndex(d, in + i * Stride, at), d, out + i);
    }));
  }
  c.measure({"strided load", name, "throughput", "", "lanes", loads});
  c.measure({"strided store",
             name,
             "throughput",
             "",
             "lanes",
             {again("lanes",
                    [=] {
                      for (int i = 0; i < n; i += N)
                        store_strided<Stride>(out + i * Stride, load<T, N>(in + i));
                    }),
              again("loop", [=] {
                for (int i = 0; i < n; ++i)
                  out[i * Stride] = in[i];
              })}});
}

void bits(const Cases& c) {
  constexpr int n = 2048;
  const uint8_t* in = random_data<uint8_t, n>();
  uint8_t* out = room<uint8_t, n>();
  c.measure({"bits",
             "reversed in bytes",
             "throughput",
             "",
             "lanes",
             {again("lanes",
                    [=] {
                      for (int i = 0; i < n; i += register_bytes)
                        lanes::store(out + i, reverse_bits_in_bytes(load<uint8_t, register_bytes>(in + i)));
                    }),
              again("loop", [=] {
                for (int i = 0; i < n; ++i)
                  out[i] = __builtin_bitreverse8(in[i]);
              })}});
  c.measure({"bits",
             "8 x 8 transposed",
             "throughput",
             "",
             "lanes",
             {again("lanes",
                    [=] {
                      for (int i = 0; i < n; i += register_bytes)
                        lanes::store(out + i, transpose_bits(load<uint64_t, register_bytes / 8>(in + i)));
                    }),
              again("loop", [=] { // Hacker's Delight, 7-3
                for (int i = 0; i < n; i += 8) {
                  uint64_t x, t;
                  std::memcpy(&x, in + i, 8);
                  t = (x ^ x >> 7) & 0x00aa00aa00aa00aa, x ^= t ^ t << 7;
                  t = (x ^ x >> 14) & 0x0000cccc0000cccc, x ^= t ^ t << 14;
                  t = (x ^ x >> 28) & 0x00000000f0f0f0f0, x ^= t ^ t << 28;
                  std::memcpy(out + i, &x, 8);
                }
              })}});
}

} // namespace
} // namespace bench
CROSSLANE_LEVEL_END
} // namespace crosslane::lanes

namespace crosslane::bench {
void measure_scan(const Cases& c) {
  using namespace lanes::bench;
  scanning<uint8_t>(c), scanning<uint16_t>(c), scanning<uint32_t>(c), scanning<uint64_t>(c);
  shifting<2>(c), shifting<4>(c), shifting<8>(c), shifting<16>(c);
  looking_up(c);
  striding<uint32_t, 2>(c), striding<uint32_t, 3>(c), striding<uint32_t, 5>(c), striding<uint32_t, 8>(c);
  striding<uint64_t, 2>(c), striding<uint64_t, 4>(c), striding<uint8_t, 3>(c), striding<uint16_t, 4>(c);
  bits(c);
}
} // namespace crosslane::bench
