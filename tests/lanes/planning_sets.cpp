// Sets of patterns that cost much to plan together, planned when this is compiled. check_package.py bounds the steps of
// each constant expression: a compiler stops at a million.
#include "lanes/permute_all.h"

namespace crosslane::lanes {
namespace {

constexpr int wide = widest_register(compiled_isa);

template <int Element, int K, int Kind> struct Asked {
  static constexpr PatternSet set = make_pattern_set(Element, K, wide / Element, K, wide / Element, [](int r, int i) {
    constexpr int n = wide / Element;
    return Kind == 0   ? i % K * n + i / K + r * n / K
           : Kind == 1 ? K * i + r
           : Kind == 2 ? i % K * n + i / K * K % n + r
                       : (i * 37 + r * 11 + i * i * 3) % (K * n);
  });
};
template <int Element, int K>
constexpr bool planned = detail::plan_of_all<Asked<Element, K, 0>>.registers == 1 &&
                         detail::plan_of_all<Asked<Element, K, 1>>.registers == 1 &&
                         detail::plan_of_all<Asked<Element, K, 2>>.registers == 1 &&
                         detail::plan_of_all<Asked<Element, K, 3>>.registers == 1;
static_assert(planned<1, 2> && planned<2, 2> && planned<4, 2> && planned<8, 2>);
static_assert(planned<1, 4> && planned<2, 4> && planned<4, 4> && planned<8, 4>);
static_assert(planned<1, 8> && planned<2, 8> && planned<4, 8>);

} // namespace
} // namespace crosslane::lanes
