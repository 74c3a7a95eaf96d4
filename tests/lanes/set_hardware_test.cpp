// Plans of several results, on this CPU, at every instruction set that it has: their text is assembled and run.
#include "lanes/plan/sets.h"
#include "tests/lanes/plan_runner.h"
#include <gtest/gtest.h>

namespace crosslane::lanes::planner {
namespace {

// Half of them are near each other in the sources, so that there is something to share.
PatternSet random_set(Random& random, int bytes) {
  const int e = 1 << random.below(4), n = bytes / e, sources = 1 + random.below(4), near = 1 << random.below(4);
  PatternSet set{e, 1 + random.below(4), n, sources, n, {}};
  const int shape = random.below(4);
  for (int r = 0; r < set.results; ++r)
    for (int i = 0; i < n; ++i) {
      const int all = n * sources, from = shape == 0   ? (i + r + near) % all
                                          : shape == 1 ? (set.results * i + r) % all
                                          : shape == 2 ? (i % sources * n + i / sources + r * n / sources) % all
                                                       : random.below(all);
      set.from[size_t(r * n + i)] = int16_t(random.below(20) ? from : random.below(2) ? zero : dont_care);
    }
  return set;
}

TEST(SetsOnHardware, RandomOnes) {
  Random random(11);
  int ran = 0;
  for (const Isa isa : all_isas) {
    if (!host_has(isa))
      continue;
    const int width = widest_register(isa);
    PlanRunner runner(isa);
    std::vector<std::pair<PatternSet, SetPlan>> all;
    for (int k = 0; k < 120; ++k) {
      const PatternSet set = random_set(random, width);
      const SetPlan plan = plan_all(set, isa, k % 2 ? Cpu::zen5 : Cpu::icelake);
      if (!plan.found)
        continue;
      const std::string fault = runner.add(plan);
      ASSERT_TRUE(fault.empty() || fault == "out of registers") << fault;
      if (fault.empty())
        all.emplace_back(set, plan);
    }
    ASSERT_EQ(runner.build(), "");
    for (size_t k = 0; k < all.size(); ++k) {
      const auto& [set, plan] = all[k];
      Bytes inputs[4], results[4];
      for (int s = 0; s < set.sources; ++s)
        inputs[s] = random.bytes(width);
      runner.run(int(k), inputs, results);
      ++ran;
      for (int r = 0; r < set.results; ++r)
        for (int i = 0; i < width; ++i) {
          const int from = set.at(r, i / set.element_bytes);
          if (from == dont_care)
            continue;
          const int at = from % set.source_elements * set.element_bytes + i % set.element_bytes;
          ASSERT_EQ(results[r][size_t(i)], from == zero ? 0 : inputs[from / set.source_elements][size_t(at)])
              << isa_names[int(isa)] << ", byte " << i << " of result " << r << " of set " << k;
        }
    }
  }
  EXPECT_TRUE(ran > 100 || !host_has(Isa::avx2));
}

} // namespace
} // namespace crosslane::lanes::planner
