// The planner against random programs of two instructions, and against itself: sources exchanged, elements that nobody
// cares for. Each plan is run on scalars and compared with the pattern.
#include "lanes/plan/planner.h"
#include "tests/lanes/cost_rows.h"
#include <gtest/gtest.h>
#include <random>

namespace crosslane::lanes::planner {
namespace {

// An instruction drawn from those of the widest registers, reading values 0 to `values` - 1.
struct Programs {
  Isa isa;
  int wide;
  std::mt19937_64 bits;
  std::vector<Step> pool;
  Programs(Isa i, unsigned seed) : isa(i), wide(widest_register(i)), bits(seed) {
    every_cost_row([&](Op op, int, int bytes, const std::vector<Step>& row) {
      using enum Op;
      for (const Op other : {zero, move, pack, either, compress, expand, extract, truncate, extend})
        if (op == other)
          return;
      for (const Step& s : row)
        if (bytes == wide && available(isa, s))
          pool.push_back(s);
    });
  }
  int below(int n) { return int(bits() % uint64_t(n)); }
  Step draw(int values) {
    using enum Op;
    Step s = pool[size_t(below(int(pool.size())))];
    switch (s.op) {
    case shift_left:
    case shift_right:
    case rotate_left:
    case shift_double: s.imm = uint8_t(8 * (1 + below(s.element - 1))); break;
    case align: s.imm = uint8_t(1 + below(s.bytes / s.element - 1)); break;
    case align_bytes:
    case shift_bytes_left:
    case shift_bytes_right: s.imm = uint8_t(1 + below(15)); break;
    case insert: {
      const int part = wide == 64 ? 16 << below(2) : 16;
      s.imm = uint8_t(part | below(wide / part));
      break;
    }
    default:
      if (has_immediate(s.op))
        s.imm = uint8_t(bits());
    }
    for (uint8_t& x : s.index)
      x = s.op == keep            ? uint8_t(-below(2))
          : s.op == shuffle_bytes ? uint8_t(below(5) ? below(16) : 0x80)
          : s.op == blend_bytes   ? uint8_t(below(2) << 7)
                                  : uint8_t(bits());
    s.mask = bits();
    s.a = int8_t(below(values));
    s.b = two_sources(s.op) ? int8_t(below(values)) : no_value;
    return s;
  }
  // Of two registers, the second instruction reads what the first gives.
  Plan program() {
    Plan p;
    p.inputs = 2;
    p.add(draw(2));
    Step second = draw(3);
    if (second.a != 2 && second.b != 2)
      second.a = 2;
    p.add(second);
    return p;
  }
  Pattern pattern(const Plan& p) const {
    const Search names(isa, Cpu::zen4, Goal{}, 2, wide);
    Pattern out{1, wide, 2, wide, {}};
    for (int i = 0; i < wide; ++i) {
      const Name n = names.trace(p, p.result, i);
      out.from[size_t(i)] = int16_t(n >= 0 ? n / 64 * wide + n % 64 : int(zero));
    }
    return out;
  }
};

bool right(const Plan& plan, const Pattern& p) {
  Values values{};
  for (int v = 0; v < 2; ++v)
    for (int i = 0; i < p.source_elements; ++i)
      values[size_t(v)][size_t(i)] = uint8_t(1 + v * 64 + i);
  const Bytes inputs[2] = {values[0], values[1]};
  const Bytes& got = execute(plan, values);
  for (int i = 0; i < p.elements; ++i) {
    const int from = p.from[size_t(i)];
    const uint8_t want = from == zero ? 0
                         : from < 0   ? got[size_t(i)]
                                      : inputs[from / p.source_elements][size_t(from % p.source_elements)];
    if (got[size_t(i)] != want)
      return false;
  }
  return true;
}
float score(Cpu cpu, const Plan& p) { return cost(cpu, p).score(); }

template <class F> void machines(F f) {
  for (const Isa isa : {Isa::avx2, Isa::avx512, Isa::avx512_vbmi2})
    for (const Cpu cpu : {Cpu::icelake, Cpu::zen4})
      f(isa, cpu, std::string(isa_names[size_t(isa)]) + ", " + std::string(cpu_names[size_t(cpu)]));
}

// A quick search is beaten by 11 to 27 of 100 such programs.
TEST(Thorough, IsBeatenByFewProgramsOfTwoInstructions) {
  machines([](Isa isa, Cpu cpu, const std::string& name) {
    Programs programs(isa, 7);
    int count = 0, beaten = 0, quick_beaten = 0;
    for (int k = 0; k < 200; ++k) {
      const Plan own = programs.program();
      const Pattern p = programs.pattern(own);
      ASSERT_EQ(p.fault(), nullptr);
      ASSERT_TRUE(right(own, p));
      const Plan quick = plan_register(p, 0, isa, cpu), found = plan_register(p, 0, isa, cpu, Effort::thorough);
      ASSERT_TRUE(found.found && right(found, p)) << describe(found, cpu);
      ASSERT_TRUE(quick.found && right(quick, p)) << describe(quick, cpu);
      for (int i = 0; i < found.count; ++i)
        ASSERT_TRUE(available(isa, found.steps[size_t(i)])) << describe(found, cpu);
      EXPECT_LE(score(cpu, found), score(cpu, quick) + 1e-3f) << describe(found, cpu) << describe(quick, cpu);
      ++count, beaten += score(cpu, found) > score(cpu, own) + 1e-3f;
      quick_beaten += score(cpu, quick) > score(cpu, own) + 1e-3f;
    }
    std::printf("%s: of %d programs %d cost less than the plan, %d less than the quick plan\n", name.c_str(), count,
                beaten, quick_beaten);
    EXPECT_LE(beaten * 100, count * 4) << name;
  });
}

// What nobody cares for is filled with bytes of the sources alone, which may be shorter than the result.
TEST(Thorough, EndsWhereTheResultIsLongerThanItsSource) {
  machines([](Isa isa, Cpu cpu, const std::string&) {
    for (const int n : {4, 8, 16})
      for (const int times : {2, 4}) {
        const int all = n * times;
        const Pattern p = make_pattern(16 / n, all, 1, n, [&](int i) { return i % (all - 1) ? i % 2 * 2 : dont_care; });
        EXPECT_TRUE(plan_register(p, 0, isa, cpu, Effort::thorough).found);
      }
  });
}

TEST(Thorough, CostsTheSameWithSourcesExchanged) {
  machines([](Isa isa, Cpu cpu, const std::string& name) {
    Programs programs(isa, 8);
    for (int k = 0; k < 60; ++k) {
      const Pattern p = programs.pattern(programs.program());
      Pattern q = p;
      for (int16_t& from : q.from)
        if (from >= 0)
          from = int16_t(from < p.source_elements ? from + p.source_elements : from - p.source_elements);
      const Plan one = plan_register(p, 0, isa, cpu, Effort::thorough),
                 other = plan_register(q, 0, isa, cpu, Effort::thorough);
      ASSERT_NEAR(score(cpu, one), score(cpu, other), 1e-3) << name << "\n"
                                                            << describe(one, cpu) << describe(other, cpu);
    }
  });
}

TEST(Thorough, SeldomCostsMoreWhereFewerElementsMatter) {
  machines([](Isa isa, Cpu cpu, const std::string& name) {
    Programs programs(isa, 9);
    int dearer = 0;
    const int count = 120;
    for (int k = 0; k < count; ++k) {
      const Pattern p = programs.pattern(programs.program());
      Pattern q = p;
      for (int i = 0; i < q.elements; ++i)
        if (programs.below(4) == 0)
          q.from[size_t(i)] = dont_care;
      const Plan all = plan_register(p, 0, isa, cpu, Effort::thorough),
                 some = plan_register(q, 0, isa, cpu, Effort::thorough);
      ASSERT_TRUE(right(some, q));
      dearer += score(cpu, some) > score(cpu, all) + 1e-3f;
    }
    std::printf("%s: of %d patterns %d cost more with elements that do not matter\n", name.c_str(), count, dearer);
    EXPECT_LE(dearer * 100, count * 2) << name;
  });
}

// A quick search finds these, too.
TEST(Thorough, BlendsOfAnyCost) {
  const int from[8] = {8, 0, 0, 0, 0, 0, 14, 0};
  const Pattern p = make_pattern(4, 8, 2, 8, [&](int i) { return from[i]; });
  EXPECT_LE(score(Cpu::zen4, plan_register(p, 0, Isa::avx2, Cpu::zen4)), 3.25f); // vpbroadcastd, vpblendd
  const Pattern in_lanes =
      make_pattern(1, 64, 2, 64, [](int i) { return i / 16 * 16 + i * 7 % 16 + (i * 5 % 3 ? 64 : 0); });
  const Plan two = plan_register(in_lanes, 0, Isa::avx512, Cpu::icelake); // vpshufb, vpshufb under a mask
  EXPECT_EQ(two.count, 2);
  EXPECT_TRUE(right(two, in_lanes));
}

} // namespace
} // namespace crosslane::lanes::planner
