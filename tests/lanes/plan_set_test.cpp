// Plans of several results at once: what they compute, on scalars, and what they cost beside the results' own plans.
#include "lanes/plan/sets.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>
#include <random>

namespace crosslane::lanes::planner {
namespace {

constexpr Isa isas[] = {Isa::avx2, Isa::avx512, Isa::avx512_vbmi2};
constexpr Cpu cpus[] = {Cpu::icelake, Cpu::zen3, Cpu::zen4, Cpu::zen5, Cpu::sapphirerapids};

// The plan, run on bytes, against the set.
void expect_right(const PatternSet& set, Isa isa, const SetPlan& p) {
  static std::mt19937_64 random(3);
  const int width = widest_register(isa), per_source = (set.source_bytes() + width - 1) / width;
  Values values{};
  for (int i = 0; i < p.steps.inputs; ++i)
    for (int b = 0; b < std::min(width, set.source_bytes()); ++b)
      values[size_t(i)][size_t(b)] = uint8_t(random());
  execute(p.steps, values);
  for (int i = 0; i < p.steps.count; ++i)
    ASSERT_TRUE(available(isa, p.steps.steps[i])) << isa_names[int(isa)] << ", step " << i;
  for (int r = 0; r < set.results; ++r)
    for (int byte = 0; byte < set.bytes(); ++byte) {
      const int from = set.at(r, byte / set.element_bytes);
      if (from == dont_care)
        continue;
      uint8_t wanted = 0;
      if (from != zero) {
        const int at = from % set.source_elements * set.element_bytes + byte % set.element_bytes;
        wanted = values[size_t(from / set.source_elements * per_source + at / width)][size_t(at % width)];
      }
      const int8_t value = p.value[size_t(r * p.registers + byte / width)];
      ASSERT_EQ(values[size_t(value)][size_t(byte % width)], wanted)
          << isa_names[int(isa)] << ", byte " << byte << " of result " << r;
    }
}

// What the results cost one beside the other.
float apart(const PatternSet& set, Isa isa, Cpu cpu, Effort effort = Effort::quick) {
  const detail::Goals goals(set, isa);
  SideBySide sum(cpu);
  for (int r = 0; r < goals.count; ++r)
    sum.add(effort == Effort::quick
                ? detail::solve(isa, cpu, goals.goal[r], goals.inputs, goals.input_bytes, effort)
                : detail::solve_thoroughly(isa, cpu, goals.goal[r], goals.inputs, goals.input_bytes),
            detail::wide(goals.goal[r]));
  return sum.cost().score();
}

// f(set) for sets that people ask for, of registers of `bytes` and elements of e bytes.
template <class F> void every_known(int bytes, int e, F f) {
  const int n = bytes / e;
  f(make_pattern_set(e, 2, n, 2, n, [&](int r, int i) { return i % 2 * n + i / 2 + r * n / 2; })); // zip
  f(make_pattern_set(e, 2, n, 2, n, [&](int r, int i) { return 2 * i + r; }));                     // unzip
  f(make_pattern_set(e, 2, n, 2, n, [&](int r, int i) { return i % 2 * n + i / 2 * 2 + r; }));     // 2 x 2
  f(make_pattern_set(e, 3, n, 2, n, [&](int r, int i) { return (i + r + 1) % (2 * n); }));         // neighbours
  f(make_pattern_set(e, 3, n, 3, n, [&](int r, int i) { return 3 * i + r; }));                     // three fields
  f(make_pattern_set(e, 2, n, 1, n, [&](int r, int i) { return i % 2 ? int(zero) : i / 2 + r * n / 2; }));
  if (n < 4)
    return;
  f(make_pattern_set(e, 4, n, 4, n, [&](int r, int i) { return 4 * i + r; }));
  f(make_pattern_set(e, 4, n, 4, n, [&](int r, int i) { return i % 4 * n + i / 4 + r * n / 4; }));
  f(make_pattern_set(e, 4, n, 4, n, [&](int r, int i) { return i % 4 * n + i / 4 * 4 + r; }));
}

TEST(PlanSet, KnownOnesAreRightAndCostNoMoreTogether) {
  for (const Isa isa : isas)
    for (const Cpu cpu : cpus)
      for (const int bytes : {16, 32, 64})
        for (const int e : {1, 2, 4, 8})
          every_known(bytes, e, [&](const PatternSet& set) {
            const SetPlan p = plan_all(set, isa, cpu);
            if (!p.found) // of more than 40 steps
              return;
            expect_right(set, isa, p);
            EXPECT_LE(cost(cpu, p).score(), apart(set, isa, cpu) + 1e-3f)
                << isa_names[int(isa)] << ", " << cpu_names[int(cpu)] << ": " << set.results << " of " << set.elements
                << " x " << e << " bytes";
          });
}

TEST(PlanSet, ThoroughOnesAreRightAndCostNoMoreTogether) {
  for (const Isa isa : {Isa::avx2, Isa::avx512})
    for (const int e : {2, 4})
      every_known(32, e, [&](const PatternSet& set) {
        const SetPlan p = plan_all(set, isa, Cpu::zen4, Effort::thorough);
        ASSERT_TRUE(p.found);
        expect_right(set, isa, p);
        EXPECT_LE(cost(Cpu::zen4, p).score(), apart(set, isa, Cpu::zen4, Effort::thorough) + 1e-3f);
        const SetPlan quick = plan_all(set, isa, Cpu::zen4);
        EXPECT_LE(cost(Cpu::zen4, p).score(), cost(Cpu::zen4, quick).score() + 1e-3f);
      });
}

TEST(PlanSet, RandomOnesAreRightAndCostNoMoreTogether) {
  std::mt19937_64 random(9);
  const auto below = [&](int n) { return int(random() % uint64_t(n)); };
  for (int k = 0; k < 600; ++k) {
    const Isa isa = isas[below(3)];
    const Cpu cpu = cpus[below(5)];
    const int e = 1 << below(4), bytes = 16 << below(3), n = bytes / e, sources = 1 + below(4), near = 1 << below(4);
    PatternSet set{e, 1 + below(4), n, sources, n, {}};
    for (int r = 0; r < set.results; ++r)
      for (int i = 0; i < n; ++i) {
        const int from = below(2) ? (i / near * near + below(near)) % n + n * below(sources) : below(n * sources);
        set.from[size_t(r * n + i)] = int16_t(below(9) == 0 ? (below(2) ? zero : dont_care) : from);
      }
    ASSERT_EQ(set.fault(), nullptr);
    const SetPlan p = plan_all(set, isa, cpu);
    if (!p.found)
      continue;
    expect_right(set, isa, p);
    ASSERT_LE(cost(cpu, p).score(), apart(set, isa, cpu) + 1e-3f) << "set " << k;
  }
}

// What two stages of random exchanges make of four registers rarely costs more than they do.
TEST(PlanSet, NetworksAreFound) {
  std::mt19937_64 random(4);
  const auto below = [&](int n) { return int(random() % uint64_t(n)); };
  int dearer = 0, sets = 0;
  for (int k = 0; k < 200; ++k) {
    const Isa isa = isas[below(3)];
    const int bytes = isa == Isa::avx2 ? 16 << below(2) : 32 << below(2), e = 2 << below(3), n = bytes / e;
    int16_t of[4][64]{};
    for (int v = 0; v < 4; ++v)
      for (int i = 0; i < n; ++i)
        of[v][i] = int16_t(v * n + i);
    Plan network;
    network.inputs = 4;
    int8_t value[4] = {0, 1, 2, 3};
    for (const int distance : {1, 2}) {
      int number = 0;
      detail::Exchange x;
      detail::Places places;
      do {
        number = below(detail::exchange_count);
        if (detail::exchange(number, isa, bytes, e, 0, 1, x))
          places = {}, places.fill(x, bytes, e);
        else
          places.whole = false;
      } while (!places.whole);
      int16_t to[4][64]{};
      for (int v = 0; v < 4; ++v)
        for (int i = 0; i < n; ++i) {
          const int side = (v & distance) != 0;
          to[(v & ~distance) + distance * places.value[side][i]][places.at[side][i]] = of[v][i];
        }
      std::copy(&to[0][0], &to[0][0] + 4 * 64, &of[0][0]);
      for (const int v : {0, distance == 1 ? 2 : 1}) {
        ASSERT_TRUE(detail::exchange(number, isa, bytes, e, value[v], value[v + distance], x));
        value[v] = network.add(x.low), value[v + distance] = network.add(x.high);
      }
    }
    const PatternSet set = make_pattern_set(e, 4, n, 4, n, [&](int r, int i) { return of[r][i]; });
    const SetPlan p = plan_all(set, isa, Cpu::zen5);
    ASSERT_TRUE(p.found);
    expect_right(set, isa, p);
    ++sets, dearer += cost(Cpu::zen5, p).score() > cost(Cpu::zen5, network).score() + 1e-3f;
  }
  EXPECT_LT(dearer, sets / 10);
}

// What one instruction makes of each of two registers, exchanged: a plan rarely costs more.
TEST(PlanSet, ExchangesAtLastAreFound) {
  std::mt19937_64 random(5);
  const auto below = [&](int n) { return int(random() % uint64_t(n)); };
  int dearer = 0, sets = 0;
  while (sets < 300) {
    const Isa isa = isas[below(3)];
    const Cpu cpu = cpus[below(5)];
    const int bytes = isa == Isa::avx2 ? 16 << below(2) : 32 << below(2), e = 1 << below(4), n = bytes / e;
    detail::Exchange x;
    if (!detail::exchange(below(detail::exchange_count), isa, bytes, e, 2, 3, x))
      continue;
    Plan program;
    program.inputs = 2;
    for (const int8_t source : {0, 1}) {
      Step first{.op = below(2) ? Op::shuffle_bytes : Op::permute,
                 .bytes = uint8_t(bytes),
                 .element = uint8_t(e),
                 .a = source};
      if (first.op == Op::permute && !available(isa, first))
        first.op = Op::shuffle_bytes;
      std::iota(first.index, first.index + n, uint8_t(0));
      std::shuffle(first.index, first.index + n, random);
      if (first.op == Op::shuffle_bytes) {
        first.element = 1;
        for (int i = bytes - 1; i >= 0; --i) // the order of elements, within each 128 bits
          first.index[i] = uint8_t(first.index[i / 16 * 16 / e + i % 16 / e] * e % 16 + i % e);
      }
      program.add(first);
    }
    program.add(x.low), program.add(x.high);
    Goal goals[2] = {nothing_wanted, nothing_wanted};
    const Search names(isa, cpu, goals[0], 2, bytes);
    const PatternSet set = make_pattern_set(1, 2, bytes, 2, bytes, [&](int r, int i) {
      const Name name = names.trace(program, 4 + r, i);
      return name < 0 ? int(name) : name / 64 * bytes + name % 64;
    });
    SetPlan own;
    own.wide = bytes == 64 ? 2 : 0, own.steps = program;
    const SetPlan p = plan_all(set, isa, cpu);
    ASSERT_TRUE(p.found);
    expect_right(set, isa, p);
    ++sets, dearer += cost(cpu, p).score() > cost(cpu, own).score() + 1e-3f;
  }
  EXPECT_LT(dearer, sets / 10) << dearer;
}

// Aligns of one register by what another instruction put beside it: no plan costs more.
TEST(PlanSet, FirstStepsAreShared) {
  for (const Isa isa : isas)
    for (const Cpu cpu : cpus)
      for (const int e : {1, 2, 4, 8})
        for (const int results : {2, 3, 4})
          for (const int start : {0, 1}) {
            const int width = widest_register(isa), n = width / e;
            if (start + results > 16 / e)
              continue;
            const PatternSet set = make_pattern_set(e, results, n, 2, n, [&](int r, int i) { return i + start + r; });
            SetPlan program;
            program.wide = width == 64 ? results : 0, program.steps.inputs = 2;
            program.steps.add(width == 64 ? Step{.op = Op::align, .bytes = 64, .element = 8, .a = 1, .b = 0, .imm = 2}
                                          : Step{.op = Op::permute_halves, .bytes = 32, .a = 0, .b = 1, .imm = 0x21});
            for (int r = start ? 0 : 1; r < results; ++r)
              program.steps.add({.op = Op::align_bytes,
                                 .bytes = uint8_t(width),
                                 .element = 1,
                                 .a = 2,
                                 .b = 0,
                                 .imm = uint8_t((start + r) * e)});
            const SetPlan p = plan_all(set, isa, cpu);
            expect_right(set, isa, p);
            EXPECT_LE(cost(cpu, p).score(), cost(cpu, program).score() + 1e-3f)
                << isa_names[int(isa)] << ", " << cpu_names[int(cpu)] << ": " << results << " of " << e << " bytes";
          }
}

// Steps together, and of the results' own plans together.
template <class F> void expect_steps(Isa isa, int e, int results, int n, int sources, int together, int apart, F f) {
  const PatternSet set = make_pattern_set(e, results, n, sources, n, f);
  const SetPlan p = plan_all(set, isa, Cpu::zen5);
  ASSERT_TRUE(p.found);
  EXPECT_EQ(p.steps.count, together);
  const detail::Goals goals(set, isa);
  int sum = 0;
  for (int r = 0; r < goals.count; ++r)
    sum += detail::solve(isa, Cpu::zen5, goals.goal[r], goals.inputs, goals.input_bytes, Effort::quick).count;
  EXPECT_EQ(sum, apart);
}
TEST(PlanSet, WhatIsMovedOnce) {
  expect_steps(Isa::avx2, 4, 2, 8, 2, 4, 6, [](int r, int i) { return i % 2 * 8 + i / 2 + r * 4; });      // zip
  expect_steps(Isa::avx2, 4, 4, 8, 4, 8, 16, [](int r, int i) { return i % 4 * 8 + i / 4 * 4 + r; });     // 4 x 4
  expect_steps(Isa::avx2, 4, 8, 8, 8, 24, 80, [](int r, int i) { return i * 8 + r; });                    // 8 x 8
  expect_steps(Isa::avx512, 4, 4, 16, 4, 8, 11, [](int r, int i) { return i % 4 * 16 + i / 4 * 4 + r; }); // 4 x 4
  expect_steps(Isa::avx512, 8, 8, 8, 8, 24, 52, [](int r, int i) { return i * 8 + r; });                  // 8 x 8
  expect_steps(Isa::avx512, 4, 4, 16, 4, 8, 12, [](int r, int i) { return 4 * i + r; });                  // four fields
  // Both halves of bytes apart: packed, and by permutes of one register each.
  expect_steps(Isa::avx2, 1, 2, 32, 2, 6, 8, [](int r, int i) { return 2 * i + r; });
  expect_steps(Isa::avx512_vbmi2, 1, 2, 64, 2, 4, 2, [](int r, int i) { return 2 * i + r; });
  expect_steps(Isa::avx512_vbmi2, 1, 2, 64, 2, 4, 2, [](int r, int i) { return i % 2 * 64 + i / 2 + r * 32; }); // zip
  expect_steps(Isa::avx512_vbmi2, 1, 3, 64, 2, 4, 3, [](int r, int i) { return i + r + 1; }); // neighbours
  expect_steps(Isa::avx512_vbmi2, 2, 3, 32, 2, 4, 3, [](int r, int i) { return i + r + 1; });
}

TEST(PlanSet, WhatCannotBe) {
  PatternSet set{4, 2, 8, 2, 8, {}};
  set.from[3] = 16;
  EXPECT_STREQ(set.fault(), "an element is not of the sources");
  set = {4, 40, 8, 2, 8, {}};
  EXPECT_NE(set.fault(), nullptr);
  set = {4, 16, 16, 8, 8, {}}; // 32 registers of results with AVX2
  EXPECT_EQ(set.fault(), nullptr);
  EXPECT_FALSE(plan_all(set, Isa::avx2, Cpu::zen5).found);
  EXPECT_TRUE(plan_all(set, Isa::avx512, Cpu::zen5).found);
}

} // namespace
} // namespace crosslane::lanes::planner
