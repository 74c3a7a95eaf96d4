// Compress and expand: half of the elements, chosen by random bits.
#include "lanes/compress.h"
#include "bench/lanes/algorithms.h"
#include "bench/lanes/sections.h"
#include "lanes/multishift.h"

namespace crosslane::lanes {
CROSSLANE_LEVEL_BEGIN
namespace bench {
namespace {

template <class T> void compressing(const Cases& c) {
  constexpr int N = register_bytes / int(sizeof(T)), groups = 32;
  const T* in = random_data<T, N * groups>();
  const uint64_t* masks = random_data<uint64_t, groups>();
  T* out = room<T, N * groups + 64>();
  const auto chosen = [masks](int i) { return masks[i / N] >> i % N & 1; };
  // As many bits as there are lanes.
  const auto mask = [masks](int g) {
    using Bits = unsigned_of<(N < 8 ? 8 : N) / 8>;
    Bits bits;
    std::memcpy(&bits, masks + g, sizeof bits);
    return N < 8 ? uint64_t(bits) & low_bits(N) : uint64_t(bits);
  };
  // Highway 1.0.3 compresses no bytes.
  const hn::ScalableTag<T> d;
  // The chosen elements and not a byte more.
  const auto highway_mask = [d, masks](int g) {
    return hn::LoadMaskBits(d, reinterpret_cast<const uint8_t*>(masks + g));
  };
  std::vector<crosslane::bench::Variant> store = {again("lanes",
                                                        [=] {
                                                          T* p = out;
                                                          for (int g = 0; g < groups; ++g)
                                                            p += compress_store<T, N>(p, load<T, N>(in + g * N),
                                                                                      mask(g));
                                                        }),
                                                  again("loop", [=] {
                                                    T* p = out;
                                                    for (int i = 0; i < N * groups; ++i)
                                                      if (chosen(i))
                                                        *p++ = in[i];
                                                  })};
  // With room behind them: Highway's CompressStore writes whole registers.
  std::vector<crosslane::bench::Variant> over = {again("lanes",
                                                       [=] {
                                                         T* p = out;
                                                         for (int g = 0; g < groups; ++g)
                                                           p += compress_store_over<T, N>(p, load<T, N>(in + g * N),
                                                                                          mask(g));
                                                       }),
                                                 {"lanes, exactly", store[0].run},
                                                 again("loop without branch", [=] {
                                                   T* p = out;
                                                   for (int i = 0; i < N * groups; ++i) {
                                                     *p = in[i];
                                                     p += chosen(i);
                                                   }
                                                 })};
  if constexpr (with_highway && sizeof(T) > 1) {
    store.push_back(again("highway", [=] {
      T* p = out;
      for (int g = 0; g < groups; ++g)
        p += hn::CompressBlendedStore(hn::LoadU(d, in + g * N), highway_mask(g), d, p);
    }));
    over.push_back(again("highway", [=] {
      T* p = out;
      for (int g = 0; g < groups; ++g)
        p += hn::CompressStore(hn::LoadU(d, in + g * N), highway_mask(g), d, p);
    }));
  }
  c.measure({"compress", "to memory, " + element<T>(), "throughput", "", "lanes", store});
  c.measure({"compress", "to memory with room, " + element<T>(), "throughput", "", "lanes", over});

  std::vector<crosslane::bench::Variant> inside = {again("lanes",
                                                         [=] {
                                                           for (int g = 0; g < groups; ++g)
                                                             use(compress(load<T, N>(in + g * N), mask(g)).values);
                                                         }),
                                                   again("lanes, element by element", [=] {
                                                     for (int g = 0; g < groups; ++g)
                                                       use(compress_by<Way::loop>(load<T, N>(in + g * N), mask(g)));
                                                   })};
  if constexpr (with_highway && sizeof(T) > 1)
    inside.push_back(again("highway", [=] {
      for (int g = 0; g < groups; ++g)
        use(hn::Compress(hn::LoadU(d, in + g * N), highway_mask(g)).raw);
    }));
  c.measure({"compress", "in a register, " + element<T>(), "throughput", "", "lanes", inside});

  c.measure({"expand",
             "from memory, " + element<T>(),
             "throughput",
             "",
             "lanes",
             {again("lanes",
                    [=] {
                      const T* p = in;
                      for (int g = 0; g < groups; ++g) {
                        const auto [v, n] = expand_load<N>(p, mask(g));
                        lanes::store(out + g * N, v);
                        p += n;
                      }
                    }),
              again("loop", [=] {
                const T* p = in;
                for (int i = 0; i < N * groups; ++i)
                  out[i] = chosen(i) ? *p++ : T(0);
              })}});
}

// 6-bit fields into bytes.
void multishifting(const Cases& c) {
  constexpr int Q = register_bytes / 8, groups = 32;
  const uint64_t* in = random_data<uint64_t, Q * groups>();
  const uint8_t* starts = random_data<uint8_t, 8 * Q>();
  uint8_t* out = room<uint8_t, 8 * Q * groups>();
  const auto by = [=](const char* name, auto way) {
    return again(name, [=] {
      for (int g = 0; g < groups; ++g)
        lanes::store(out + g * 8 * Q, way(load<uint64_t, Q>(in + g * Q)));
    });
  };
  const auto run_time = load<uint8_t, 8 * Q>(starts);
  std::vector<crosslane::bench::Variant> all = {by("lanes", [=](auto v) { return multishift(v, run_time); }),
                                                again("loop", [=] {
                                                  for (int i = 0; i < 8 * Q * groups; ++i)
                                                    out[i] = uint8_t(std::rotr(in[i / 8], starts[i % (8 * Q)] & 63));
                                                })};
#ifdef __AVX2__
  all.push_back(by("lanes, by byte shuffles", [=](auto v) { return multishift_by_shuffle(v, run_time); }));
#endif
  c.measure({"multishift", "any starts", "throughput", "", "lanes", all});
  c.measure({"multishift",
             "6-bit fields, known",
             "throughput",
             "",
             "lanes",
             {by("lanes", [](auto v) { return multishift(v, [](auto i) { return i % 8 * 6; }); }), again("loop", [=] {
                for (int i = 0; i < 8 * Q * groups; ++i)
                  out[i] = uint8_t(std::rotr(in[i / 8], i % 8 * 6));
              })}});
}

} // namespace
} // namespace bench
CROSSLANE_LEVEL_END
} // namespace crosslane::lanes

namespace crosslane::bench {
void measure_compress(const Cases& c) {
  using namespace lanes::bench;
  compressing<uint8_t>(c), compressing<uint16_t>(c), compressing<uint32_t>(c), compressing<uint64_t>(c);
  multishifting(c);
}
} // namespace crosslane::bench
