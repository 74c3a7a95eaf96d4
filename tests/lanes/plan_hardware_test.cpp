// Plans against the patterns that they are for, on this CPU, at every instruction set that it has, forced one by one.
// The text of each plan is assembled and run on random bytes; what is expected is read off the pattern alone.
#include "lanes/plan/planner.h"
#include "tests/lanes/plan_runner.h"
#include <gtest/gtest.h>

namespace crosslane::lanes::planner {
namespace {

std::string text_of(const Pattern& p) {
  std::string text = std::to_string(p.elements) + " x " + std::to_string(p.element_bytes) + " bytes from " +
                     std::to_string(p.sources) + " x " + std::to_string(p.source_elements) + ":";
  for (int i = 0; i < p.elements; ++i)
    text += p.from[size_t(i)] == dont_care ? " *"
            : p.from[size_t(i)] == zero    ? " 0"
                                           : " " + std::to_string(p.from[size_t(i)]);
  return text;
}

// Plans patterns for every level and CPU model, and runs those that this CPU can.
class Patterns {
public:
  void add(const Pattern& p) {
    ASSERT_EQ(p.fault(), nullptr) << text_of(p);
    patterns_.push_back(p);
  }
  // result i is fn(i), an element of the sources
  template <class F> void add(int element_bytes, int elements, int sources, int source_elements, F fn) {
    add(make_pattern(element_bytes, elements, sources, source_elements, fn));
  }

  void run(int rounds = 2) const {
    Random random(7);
    for (const Isa isa : all_isas)
      for (const Cpu cpu : {Cpu::icelake, Cpu::zen4}) {
        if (cpu == Cpu::icelake ? isa == Isa::avx512_gfni : isa == Isa::avx512_vbmi)
          continue; // the costs of both, at most levels
        run(isa, cpu, rounds, random);
      }
  }

private:
  struct Part {
    const Pattern* pattern;
    PatternPlan shape;
    int number;
  };

  void run(Isa isa, Cpu cpu, int rounds, Random& random) const {
    PlanRunner runner(isa);
    std::vector<Part> parts;
    std::string text;
    int failures = 0;
    for (const Pattern& p : patterns_) {
      const PatternPlan planned = plan(p, isa, cpu);
      for (int r = 0; r < planned.registers; ++r) {
        const Plan& part = planned.part[size_t(r)];
        const std::string fault = part.found ? runner.add(part) : "not found";
        // With every register an input of AVX2 there is no spilling, nor always a plan of 40 steps.
        if ((fault == "out of registers" || fault == "not found") && part.inputs == 16 && isa == Isa::avx2)
          continue;
        if (!fault.empty()) {
          if (++failures <= 5)
            ADD_FAILURE() << isa_names[int(isa)] << ", register " << r << " of " << text_of(p) << "\n"
                          << fault << "\n"
                          << describe(part, cpu);
          continue;
        }
        PatternPlan shape = planned;
        parts.push_back({&p, shape, r});
        text += assembly(part, isa, "x" + std::to_string(parts.size()) + "_").text();
      }
    }
    EXPECT_EQ(tests::outside_of_features(features(isa), text).substr(0, 1000), "") << isa_names[int(isa)];
    ASSERT_EQ(runner.build().substr(0, 2000), "");
    if (!host_has(isa))
      return;
    for (size_t i = 0; i < parts.size(); ++i)
      for (int round = 0; round < rounds; ++round)
        if (!agrees(runner, int(i), parts[i], isa, random)) {
          if (++failures <= 5)
            ADD_FAILURE() << isa_names[int(isa)] << ", register " << parts[i].number << " of "
                          << text_of(*parts[i].pattern) << "\n"
                          << describe(parts[i].shape.part[size_t(parts[i].number)], cpu);
          break;
        }
    EXPECT_EQ(failures, 0) << isa_names[int(isa)] << ", " << cpu_names[int(cpu)];
  }

  static bool agrees(const PlanRunner& runner, int function, const Part& part, Isa isa, Random& random) {
    const Pattern& p = *part.pattern;
    const int width = widest_register(isa), e = p.element_bytes;
    std::array<Bytes, 16> inputs{};
    for (Bytes& v : inputs)
      for (uint8_t& b : v)
        b = uint8_t(random.bits());
    // Byte b of element `from` of the sources, laid out in registers.
    const auto source = [&](int from, int b) {
      const int at = from % p.source_elements * e + b;
      return inputs[size_t(from / p.source_elements * part.shape.source_registers + at / width)][size_t(at % width)];
    };
    const Bytes got = runner.run(function, inputs.data());
    for (int i = 0; i < width && part.number * width + i < p.bytes(); ++i) {
      const int at = part.number * width + i, from = p.from[size_t(at / e)];
      if (from == dont_care)
        continue;
      if (got[size_t(i)] != (from == zero ? 0 : source(from, at % e)))
        return false;
    }
    return true;
  }

  std::vector<Pattern> patterns_;
};

TEST(PlanOnHardware, EveryPatternOfFourDwordsInEachLane) {
  Patterns all;
  for (const int lanes : {1, 2, 4})
    for (int imm = 0; imm < 256; ++imm)
      all.add(4, 4 * lanes, 1, 4 * lanes, [&](int i) { return i / 4 * 4 + (imm >> 2 * (i % 4) & 3); });
  all.run();
}

TEST(PlanOnHardware, EveryPatternOfFourQwords) {
  Patterns all;
  for (int imm = 0; imm < 256; ++imm)
    all.add(8, 4, 1, 4, [&](int i) { return imm >> 2 * i & 3; });
  all.run();
}

TEST(PlanOnHardware, EveryPatternOfFourQwordsOfTwoSources) {
  Patterns all;
  for (int imm = 0; imm < 4096; ++imm)
    all.add(8, 4, 2, 4, [&](int i) { return imm >> 3 * i & 7; });
  all.run(1);
}

TEST(PlanOnHardware, EveryPatternOfFourLanes) {
  Patterns all;
  for (int imm = 0; imm < 256; ++imm)
    all.add(4, 16, 1, 16, [&](int i) { return (imm >> 2 * (i / 4) & 3) * 4 + i % 4; });
  all.run();
}

// Every element size and width: f(all, element bytes, elements).
template <class F> void every_shape(F f) {
  for (const int bytes : {16, 32, 64}) {
    Patterns all;
    for (const int e : {1, 2, 4, 8})
      f(all, e, bytes / e);
    all.run();
  }
}

TEST(PlanOnHardware, EveryRotationShiftAndExchange) {
  every_shape([](Patterns& all, int e, int n) {
    for (int by = 0; by < n; ++by) {
      all.add(e, n, 1, n, [&](int i) { return (i + by) % n; });
      all.add(e, n, 1, n, [&](int i) { return i ^ by; });
      all.add(e, n, 1, n, [&](int i) { return i + by < n ? i + by : zero; });
      all.add(e, n, 1, n, [&](int i) { return i >= by ? i - by : zero; });
      all.add(e, n, 1, n, [&](int i) { return i + by < n ? i + by : dont_care; });
      all.add(e, n, 1, n, [&](int) { return by; });
      all.add(e, n, 2, n, [&](int i) { return i + by; });
      all.add(e, n, 2, n, [&](int i) { return i < by ? i : n + i; });
    }
  });
}

TEST(PlanOnHardware, EveryRotationWithinGroups) {
  every_shape([](Patterns& all, int e, int n) {
    for (int group = 2; group < n; group *= 2)
      for (int by = 0; by < group; ++by) {
        all.add(e, n, 1, n, [&](int i) { return i / group * group + (i + by) % group; });
        all.add(e, n, 1, n, [&](int i) { return i / group * group + by; });
        all.add(e, n, 1, n, [&](int i) { return i % group; });
        all.add(e, n, 1, n, [&](int i) { return i % group + by < group ? i + by : zero; });
        all.add(e, n, 1, n, [&](int i) { return i % group >= by ? i - by : zero; });
        all.add(e, n, 2, n, [&](int i) { return i % group + by < group ? i + by : n + i + by - group; });
        all.add(e, n, 2, n, [&](int i) { return by && i / by % 2 ? n + i : i; });
      }
  });
}

TEST(PlanOnHardware, StridesInterleavesAndTransposes) {
  every_shape([](Patterns& all, int e, int n) {
    for (int k = 2; k <= n; k *= 2) {
      for (int first = 0; first < k; ++first) {
        all.add(e, n, 2, n, [&](int i) { return (i * k + first) % (2 * n); });
        all.add(e, n / k, 1, n, [&](int i) { return i * k + first; });
        all.add(e, n, 1, n, [&](int i) { return i % k ? int(zero) : i / k + (first * n / k) % n; });
        all.add(e, n, 2, n, [&](int i) { return i % 2 * n + i / 2 + first * (n / 2) / k; });
      }
      all.add(e, n, 1, n, [&](int i) { return i % k * (n / k) + i / k; });
      all.add(e, n, 1, n, [&](int i) { return (i & ~(k - 1)) + (k - 1 - i % k); });
    }
    for (const int stride : {3, 5, 7})
      all.add(e, n, 2, n, [&](int i) { return i * stride % (2 * n); });
  });
}

Pattern random_pattern(Random& random) {
  const int e = 1 << random.below(4);
  const auto elements = [&] { return (16 << random.below(5)) / e; };
  Pattern p{e, elements(), 1 + random.below(2), elements(), {}};
  const int zeros = random.below(3) == 0 ? 1 + random.below(4) : 0,
            free = random.below(3) == 0 ? 1 + random.below(4) : 0;
  const int kind = random.below(3), all = p.sources * p.source_elements, near = 1 << random.below(4);
  for (int i = 0; i < p.elements; ++i) {
    int from = random.below(all);
    if (kind == 1)
      from = (i / near * near + random.below(near)) % all; // close by
    if (kind == 2)
      from = (i + p.source_elements * random.below(p.sources)) % all; // in place
    if (zeros && random.below(zeros + 1) == 0)
      from = zero;
    if (free && random.below(free + 1) == 0)
      from = dont_care;
    p.from[size_t(i)] = int16_t(from);
  }
  return p;
}

TEST(PlanOnHardware, RandomPatterns) {
  Random random(11);
  Patterns all;
  for (int i = 0; i < 1500; ++i)
    all.add(random_pattern(random));
  all.run();
}

} // namespace
} // namespace crosslane::lanes::planner
