// What works by values known at run time: permutes by indexes, gathers and scatters, funnel shifts, masks; and sums of
// neighbours.
#include "bench/lanes/algorithms.h"
#include "bench/lanes/sections.h"
#include "lanes/dynamic.h"
#include "lanes/funnel_shift.h"
#include "lanes/gather.h"
#include "lanes/insert.h"
#include "lanes/partial_reduce.h"

namespace crosslane::lanes {
CROSSLANE_LEVEL_BEGIN
namespace bench {
namespace {

constexpr size_t bytes = 4096;

// `ours` for each register of what is read, `one` for each element.
template <class T, class F, class G>
void compare(const Cases& c, const char* section, const std::string& name, F ours, G one) {
  constexpr size_t count = bytes / sizeof(T);
  c.measure({section,
             name,
             "throughput",
             "",
             "lanes",
             {again("lanes",
                    [=] {
                      for (size_t i = 0; i < count; i += register_bytes / int(sizeof(T)))
                        ours(i);
                    }),
              again("loop", [=] {
                for (size_t i = 0; i < count; ++i)
                  one(i);
              })}});
}

template <class T> void permutes(const Cases& c) {
  using U = unsigned_of<sizeof(T)>;
  constexpr int N = register_bytes / int(sizeof(T)), lane = 16 / sizeof(T);
  const T* in = random_data<T, bytes / sizeof(T)>();
  const U* index = random_data<U, bytes / sizeof(T)>();
  T* out = room<T, bytes / sizeof(T)>();
  compare<T>(
      c, "permute by indexes", "a register of " + element<T>(),
      [=](size_t i) { lanes::store(out + i, permute(load<T, N>(in + i), load<U, N>(index + i))); },
      [=](size_t i) { out[i] = in[i / N * N + index[i] % N]; });
  compare<T>(
      c, "permute by indexes", "within 128 bits, " + element<T>(),
      [=](size_t i) { lanes::store(out + i, permute_in_lanes(load<T, N>(in + i), load<U, N>(index + i))); },
      [=](size_t i) { out[i] = in[i / lane * lane + index[i] % lane]; });
}

template <class T, int Size> void gathers(const Cases& c) {
  using U = unsigned_of<sizeof(T)>;
  constexpr int N = register_bytes / int(sizeof(T));
  const T* table = random_data<T, Size>();
  static const std::array<U, bytes / sizeof(T)> places = [] {
    std::array<U, bytes / sizeof(T)> p;
    for (size_t i = 0; i < p.size(); ++i)
      p[i] = U(random_data<uint64_t, bytes>()[i] % Size);
    return p;
  }();
  const U* index = places.data();
  T* out = room<T, bytes / sizeof(T)>();
  const std::string of = " of " + std::to_string(Size) + " " + element<T>();
  compare<T>(
      c, "gather", "any" + of, [=](size_t i) { lanes::store(out + i, gather(table, load<U, N>(index + i))); },
      [=](size_t i) { out[i] = table[index[i]]; });
  if constexpr (Size * sizeof(T) <= 512)
    compare<T>(
        c, "gather", "from a table" + of,
        [=](size_t i) { lanes::store(out + i, gather_from<Size>(table, load<U, N>(index + i))); },
        [=](size_t i) { out[i] = table[index[i]]; });
  compare<T>(
      c, "scatter", "any" + of, [=](size_t i) { scatter(out, load<U, N>(index + i), load<T, N>(table)); },
      [=](size_t i) { out[index[i]] = table[i % N]; });
}

template <class T> void shifts(const Cases& c) {
  constexpr int N = register_bytes / int(sizeof(T)), bits = sizeof(T) * 8;
  const T *high = random_data<T, bytes / sizeof(T)>(), *low = high + 0, *count = random_data<T, bytes / sizeof(T)>();
  T* out = room<T, bytes / sizeof(T)>();
  compare<T>(
      c, "funnel shift", element<T>(),
      [=](size_t i) {
        lanes::store(out + i, funnel_shift_left(load<T, N>(high + i), load<T, N>(low + i), load<T, N>(count + i)));
      },
      [=](size_t i) {
        const unsigned by = unsigned(count[i] % bits);
        out[i] = T(by ? T(high[i] << by) | T(low[i] >> (bits - by)) : high[i]);
      });
}

void sums(const Cases& c) {
  const uint8_t *a = random_data<uint8_t, bytes>(), *b = a + 0;
  const int8_t* weights = random_data<int8_t, bytes>();
  auto* out = room<int32_t, bytes / 4>();
  c.measure({"partial reductions",
             "dot products of four bytes",
             "throughput",
             "",
             "lanes",
             {again("lanes",
                    [=] {
                      constexpr int N = register_bytes;
                      for (size_t i = 0; i < bytes; i += N)
                        lanes::store(out + i / 4, dot_add(load<int32_t, N / 4>(out + i / 4), load<uint8_t, N>(a + i),
                                                          load<int8_t, N>(weights + i)));
                    }),
              again("loop", [=] {
                for (size_t i = 0; i < bytes / 4; ++i)
                  for (size_t k = 0; k < 4; ++k)
                    out[i] += a[4 * i + k] * weights[4 * i + k];
              })}});
  auto* differences = room<uint64_t, bytes / 8>();
  c.measure({"partial reductions",
             "absolute differences of eight bytes",
             "throughput",
             "",
             "lanes",
             {again("lanes",
                    [=] {
                      constexpr int N = register_bytes;
                      for (size_t i = 0; i < bytes; i += N)
                        lanes::store(
                            differences + i / 8,
                            sum_absolute_differences(load<uint8_t, N>(a + i), load<uint8_t, N>(b + bytes - N - i)));
                    }),
              again("loop", [=] {
                for (size_t i = 0; i < bytes / 8; ++i) {
                  uint64_t sum = 0;
                  for (size_t k = 0; k < 8; ++k)
                    sum += uint64_t(std::abs(a[8 * i + k] - b[bytes - 8 - 8 * i + k]));
                  differences[i] = sum;
                }
              })}});
}

// Lanes above a limit are halved; of a number of lanes that is no register.
template <class T, int N> void masks(const Cases& c) {
  constexpr size_t count = bytes / sizeof(T);
  const T* in = random_data<T, count>();
  T* out = room<T, count>();
  const T limit = T(std::numeric_limits<T>::max() / 3);
  c.measure({"masks",
             "select by a comparison, " + std::to_string(N) + " x " + element<T>(),
             "throughput",
             "",
             "lanes",
             {again("lanes",
                    [=] {
                      for (size_t i = 0; i < count; i += N) {
                        const auto v = load<T, N>(in + i);
                        lanes::store(out + i, select(v > limit, v >> 1, v));
                      }
                    }),
              again("loop", [=] {
                for (size_t i = 0; i < count; ++i)
                  out[i] = in[i] > limit ? T(in[i] >> 1) : in[i];
              })}});
}

// A lane read and another written, at places known at run time.
template <class T> void single(const Cases& c) {
  constexpr int N = register_bytes / int(sizeof(T));
  const T* in = random_data<T, bytes / sizeof(T)>();
  const uint8_t* places = random_data<uint8_t, bytes>();
  T* out = room<T, bytes / sizeof(T)>();
  c.measure({"single lanes",
             "extract and insert, " + element<T>(),
             "throughput",
             "",
             "lanes",
             {again("lanes",
                    [=] {
                      for (size_t i = 0; i < bytes / sizeof(T); i += N) {
                        const auto v = load<T, N>(in + i);
                        lanes::store(out + i, insert(v, places[i + 1] % N, extract(v, places[i] % N)));
                      }
                    }),
              again("loop", [=] {
                for (size_t i = 0; i < bytes / sizeof(T); i += N) {
                  std::copy_n(in + i, N, out + i);
                  out[i + places[i + 1] % N] = in[i + places[i] % N];
                }
              })}});
}

} // namespace
} // namespace bench
CROSSLANE_LEVEL_END
} // namespace crosslane::lanes

namespace crosslane::bench {
void measure_indexed(const Cases& c) {
  using namespace lanes::bench;
  permutes<uint8_t>(c), permutes<uint16_t>(c), permutes<uint32_t>(c), permutes<uint64_t>(c);
  gathers<uint32_t, 32>(c), gathers<uint64_t, 32>(c), gathers<uint32_t, 1024>(c), gathers<uint64_t, 512>(c);
  shifts<uint8_t>(c), shifts<uint16_t>(c), shifts<uint32_t>(c), shifts<uint64_t>(c);
  sums(c);
  masks<uint8_t, 64>(c), masks<uint32_t, 16>(c), masks<uint8_t, 128>(c);
  single<uint8_t>(c), single<uint32_t>(c);
}
} // namespace crosslane::bench
