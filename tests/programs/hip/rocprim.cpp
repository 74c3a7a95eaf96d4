// rocPRIM, compiled from its headers: device-wide reduction, scan and sort, which use DPP, LDS and look-back between
// blocks.
#include <algorithm>
#include <numeric>

#include "tests/programs/hip/hip_check.h"
#include <rocprim/rocprim.hpp>

int main() {
  const size_t count = 20011;
  std::vector<unsigned> values(count);
  unsigned seed = 12345;
  for (unsigned& value : values)
    value = seed = seed * 1664525u + 1013904223u;
  Device<unsigned> in(values), out(count);
  // Each algorithm is asked for its temporary storage first, then run
  const auto run = [&](auto algorithm) {
    size_t size = 0;
    HIP(algorithm(nullptr, size));
    Device<char> temporary(std::max<size_t>(size, 1));
    HIP(hipMemset(out, 0, out.bytes()));
    HIP(algorithm(temporary.data, size));
    return out.read();
  };
  const std::vector<unsigned> reduced = run([&](void* temporary, size_t& size) {
    return rocprim::reduce(temporary, size, in.data, out.data, 0u, count, rocprim::plus<unsigned>());
  });
  const unsigned sum = std::accumulate(values.begin(), values.end(), 0u);
  REQUIRE(reduced[0] == sum, "sum %u, not %u", reduced[0], sum);

  std::vector<unsigned> expected(count);
  std::partial_sum(values.begin(), values.end(), expected.begin());
  REQUIRE(run([&](void* temporary, size_t& size) {
            return rocprim::inclusive_scan(temporary, size, in.data, out.data, count, rocprim::plus<unsigned>());
          }) == expected,
          "scan");

  expected = values;
  std::sort(expected.begin(), expected.end());
  REQUIRE(run([&](void* temporary, size_t& size) {
            return rocprim::radix_sort_keys(temporary, size, in.data, out.data, unsigned(count));
          }) == expected,
          "sort");
  printf("%zu values: sum %u, scanned, sorted\n", count, sum);
  return pass();
}
