// Reductions of groups.
#include "lanes/reduce.h"
#include "bench/lanes/algorithms.h"
#include "bench/lanes/sections.h"
#include <experimental/simd>

namespace crosslane::lanes {
CROSSLANE_LEVEL_BEGIN
namespace bench {
namespace {

namespace stdx = std::experimental;

template <class T, int Size> void groups_of(const Cases& c) {
  constexpr size_t groups = 8192 / sizeof(T) / Size;
  const T* in = random_data<T, groups * Size>();
  T* out = room<T, groups>();
  std::vector<crosslane::bench::Variant> all = {
      again("lanes", [=] { reduce_groups(in, out, groups, Size, Sum{}); }),
      again("lanes, group by group", [=] { reduce_groups_each(in, out, groups, Size, Sum{}); }),
      again("lanes, transposed", [=] { reduce_groups_transposed(in, out, groups, Size, Sum{}); }),
      again("lanes, integrated", [=] { reduce_groups_integrated(in, out, groups, Size, Sum{}); }), again("loop", [=] {
        for (size_t g = 0; g < groups; ++g) {
          T sum = 0;
          for (int i = 0; i < Size; ++i)
            sum = T(sum + in[g * Size + i]);
          out[g] = sum;
        }
      })};
  constexpr int N = register_bytes / int(sizeof(T));
  if constexpr (with_highway && Size % N == 0) {
    if constexpr (sizeof(T) >= 4) {
      const hn::ScalableTag<T> d;
      all.push_back(again("highway", [=] {
        for (size_t g = 0; g < groups; ++g) {
          auto sum = hn::LoadU(d, in + g * Size);
          for (int i = N; i < Size; i += N)
            sum = hn::Add(sum, hn::LoadU(d, in + g * Size + i));
          out[g] = hn::GetLane(hn::SumOfLanes(d, sum));
        }
      }));
    }
  }
  // A simd of the size of a group; clang 19 with libstdc++ 12 gets one of 11 elements wrong (0 for their sum).
  if constexpr (Size <= 32 && std::has_single_bit(unsigned(Size)))
    all.push_back(again("std::experimental::simd", [=] {
      for (size_t g = 0; g < groups; ++g)
        out[g] = stdx::reduce(stdx::fixed_size_simd<T, Size>(in + g * Size, stdx::element_aligned));
    }));
  c.measure({"reduce", "sum of " + std::to_string(Size) + " " + element<T>(), "throughput", "", "lanes", all});
}

} // namespace
} // namespace bench
CROSSLANE_LEVEL_END
} // namespace crosslane::lanes

namespace crosslane::bench {
void measure_reduce(const Cases& c) {
  using namespace lanes::bench;
  groups_of<uint32_t, 4>(c), groups_of<uint32_t, 8>(c), groups_of<uint32_t, 16>(c), groups_of<uint32_t, 64>(c),
      groups_of<uint32_t, 11>(c);
  groups_of<double, 8>(c), groups_of<float, 16>(c), groups_of<uint8_t, 16>(c), groups_of<uint16_t, 8>(c);
}
} // namespace crosslane::bench
