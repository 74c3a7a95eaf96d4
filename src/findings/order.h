// Owns sorting by a cost: the most costly first, what costs the same in the order that it had.
#pragma once
#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

namespace crosslane::findings {

// Indexes 0 to count-1 by falling `cost(index)`.
template <class F> std::vector<size_t> costly_first(size_t count, F cost) {
  std::vector<size_t> order(count);
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    const auto x = cost(a), y = cost(b);
    return x != y ? x > y : a < b;
  });
  return order;
}

} // namespace crosslane::findings
