// Every way that the planner names does what the pattern says: assembled, run, compared, on five targets. All DPP
// controls and all swizzle patterns; functions of the lane that programs use; random patterns of several kinds; 64-bit
// elements.
#include "cross_lane/address.h"
#include "tests/cross_lane/run.h"
#include "tests/engine/assembler.h"
#include <gtest/gtest.h>
#include <random>
#include <set>

namespace crosslane {
namespace {

using namespace cross_lane;
using isa::Target;

// After its tests, all lines that they assembled are compared with what llvm-mc-19 makes of them.
class Run : public ::testing::Test {
protected:
  static void TearDownTestSuite() {
    for (const auto& [target, lines] : test::lines_seen()) {
      std::vector<std::string> texts;
      for (const auto& [line, bytes] : lines)
        texts.push_back(line);
      const auto theirs = test::assemble_all(texts, target);
      ASSERT_EQ(theirs.size(), texts.size());
      for (size_t i = 0; i < texts.size(); ++i)
        EXPECT_EQ(theirs[i], lines.at(texts[i])) << isa::info(target).name << ": " << texts[i];
    }
  }
};

// What the best way costs at most, since a generation.
struct Limit {
  isa::Generation since;
  int cycles, bytes;
};
void expect_within(const Limit& limit, const Way& best, Target target) {
  if (isa::info(target).generation >= limit.since)
    ASSERT_LE(std::pair(best.cost.cycles, best.cost.bytes), std::pair(limit.cycles, limit.bytes)) << test::text(best);
}
// s_nop 1 and the instruction; on gfx90a for its own control.
constexpr Limit one_dpp{isa::Generation::gfx8, 12, 12}, one_dpp_gfx90a{isa::Generation::gfx90a, 12, 12};
// The instruction and its wait: 4 to issue, 4 and the latency to wait.
constexpr Limit one_swizzle{isa::Generation::gfx6, 4 + 4 + 64, 12},
    one_swizzle_gfx9{isa::Generation::gfx9, 4 + 4 + 64, 12};

// Plans and runs a pattern on every target. The levels take turns, so that all see every kind.
void check(const Pattern& p, int dwords = 1, const Limit& limit = {isa::Generation::gfx6, 1 << 20, 1 << 20}) {
  static unsigned turn = 0;
  const auto levels = test::levels();
  Situation situation;
  situation.dwords = dwords;
  situation.source_just_written = turn % 2 == 0;
  for (const Target target : test::run_targets) {
    const auto ways = plan(p, target, situation);
    ASSERT_FALSE(ways.empty());
    expect_within(limit, ways.front(), target);
    for (size_t k = 0; k < ways.size(); ++k) {
      const Way& way = ways[k];
      ASSERT_EQ(test::run(way, p, target, dwords, *levels[turn++ % levels.size()]), "")
          << isa::info(target).name << "\n"
          << test::text(way) << test::text(p);
      ASSERT_EQ(test::hazard(way, target, dwords, situation.source_just_written), "") << test::text(way);
      if (k)
        ASSERT_LE(ways[k - 1].cost.cycles, way.cost.cycles);
      ASSERT_GT(way.cost.bytes, 0);
      ASSERT_LE(way.cost.repeated, way.cost.cycles);
    }
  }
}

template <class F> Pattern pattern(F source) {
  Pattern p;
  for (int i = 0; i < 64; ++i)
    p[size_t(i)] = int8_t(source(i));
  return p;
}

std::vector<uint32_t> dpp_controls() {
  std::vector<uint32_t> all;
  for (uint32_t c = 0; c < 256; ++c)
    all.push_back(c);
  for (uint32_t kind : {0x100u, 0x110u, 0x120u})
    for (uint32_t n = 1; n < 16; ++n)
      all.push_back(kind | n);
  for (uint32_t c : {0x130u, 0x134u, 0x138u, 0x13cu, 0x140u, 0x141u, 0x142u, 0x143u})
    all.push_back(c);
  return all;
}

TEST_F(Run, EveryDppControlIsFoundAndRuns) {
  for (const uint32_t ctrl : dpp_controls()) {
    SCOPED_TRACE(dpp_text(ctrl));
    const Pattern zeroed = dpp_sources(ctrl);
    const Pattern kept = pattern([&](int i) { return zeroed[size_t(i)] < 0 ? int(any_lane) : int(zeroed[size_t(i)]); });
    check(zeroed, 1, one_dpp);
    if (kept != zeroed)
      check(kept, 1, one_dpp);
    if (HasFatalFailure())
      return;
  }
  for (uint32_t n = 0; n < 16 && !HasFatalFailure(); ++n)
    check(dpp_sources(0x150 | n), 1, one_dpp_gfx90a);
}

// All patterns of the offsets are planned; one in `every` is run on all targets too.
void swizzles(isa::Generation generation, uint32_t first, uint32_t last, unsigned every, const Limit& limit,
              std::initializer_list<Target> targets) {
  std::set<Pattern> seen;
  for (uint32_t offset = first; offset <= last; ++offset) {
    SCOPED_TRACE(hex(offset));
    const Pattern p = swizzle_sources(offset, generation);
    if (!seen.insert(p).second)
      continue;
    if (seen.size() % every == 0)
      check(p, 1, limit);
    else
      for (const Target target : targets)
        expect_within(limit, plan(p, target).front(), target);
    if (::testing::Test::HasFatalFailure())
      return;
  }
  if (last == 0x7fff) // and 0, or 0 is and 0, or 1, xor 1: the masks repeat themselves
    EXPECT_EQ(seen.size(), 1024u);
}

TEST_F(Run, EverySwizzleMask) {
  swizzles(isa::Generation::gfx8, 0, 0x7fff, 8, one_swizzle, {Target::gfx600, Target::gfx803});
}
TEST_F(Run, EverySwizzleQuad) { swizzles(isa::Generation::gfx6, 0x8000, 0x80ff, 4, one_swizzle, {Target::gfx600}); }
TEST_F(Run, EveryRotationAndFft) {
  swizzles(isa::Generation::gfx9, 0xc000, 0xffff, 4, one_swizzle_gfx9, {Target::gfx900});
}

TEST_F(Run, FunctionsThatProgramsUse) {
  std::vector<Pattern> all;
  for (int c = 0; c < 64; ++c) {
    all.push_back(pattern([&](int i) { return i ^ c; }));
    all.push_back(pattern([&](int i) { return (i + c) & 63; }));
    all.push_back(pattern([&](int) { return c; }));
    all.push_back(pattern([&](int i) { return i + c < 64 ? i + c : int(zero_lane); }));
    all.push_back(pattern([&](int i) { return i - c >= 0 ? i - c : int(any_lane); }));
    all.push_back(pattern([&](int i) { return i < c ? 0 : i; }));
    all.push_back(pattern([&](int i) { return i == c ? int(zero_lane) : i; }));
    all.push_back(pattern([&](int i) { return i * c & 63; }));
  }
  for (int g : {2, 4, 8, 16, 32}) {
    for (int c = 1; c < g; ++c)
      all.push_back(pattern([&](int i) { return (i & -g) | ((i + c) & (g - 1)); }));
    all.push_back(pattern([&](int i) { return (i % g) * (64 / g) + i / g; })); // transpose
    all.push_back(pattern([&](int i) { return i / g; }));
    all.push_back(pattern([&](int i) { return i | (g - 1); }));
  }
  for (int bits = 2; bits <= 6; ++bits)
    all.push_back(pattern([&](int i) {
      int r = i & -(1 << bits);
      for (int b = 0; b < bits; ++b)
        r |= (i >> b & 1) << (bits - 1 - b);
      return r;
    }));
  all.push_back(pattern([](int i) { return i < 16 ? 15 - i : i; }));
  all.push_back(pattern([](int i) { return i / 3; }));
  all.push_back(pattern([](int) { return int(zero_lane); }));
  all.push_back(pattern([](int) { return int(any_lane); }));
  for (const Pattern& p : all) {
    check(p);
    if (HasFatalFailure())
      return;
  }
}

Pattern random_pattern(std::mt19937& random, int kind) {
  Pattern p;
  const auto below = [&](int n) { return int(random() % unsigned(n)); };
  switch (kind % 7) {
  case 0: // anything
    for (auto& from : p)
      from = int8_t(below(64));
    break;
  case 1: { // a permutation
    for (int i = 0; i < 64; ++i)
      p[size_t(i)] = int8_t(i);
    std::shuffle(p.begin(), p.end(), random);
    break;
  }
  case 2: { // few lanes move
    p = pattern([](int i) { return i; });
    for (int k = below(12); k >= 0; --k)
      p[size_t(below(64))] = int8_t(below(64));
    break;
  }
  case 3: { // a control for each row
    for (int r = 0; r < 4; ++r) {
      const uint32_t kinds[] = {0x100, 0x110, 0x120};
      const Sources from = dpp_sources(below(2) ? uint32_t(below(256)) : kinds[below(3)] | uint32_t(1 + below(15)));
      std::copy_n(from.begin() + 16 * r, 16, p.begin() + 16 * r);
    }
    break;
  }
  case 4: { // few sources
    int8_t sources[4];
    for (auto& s : sources)
      s = int8_t(below(64));
    for (auto& from : p)
      from = sources[below(4)];
    break;
  }
  case 5: { // a control, and a few other lanes
    p = dpp_sources(0x110u | uint32_t(1 + below(15)));
    for (int k = below(4); k >= 0; --k)
      p[size_t(below(64))] = int8_t(below(64));
    break;
  }
  default: { // one control after the other
    const Sources a = dpp_sources(uint32_t(below(256))), b = dpp_sources(0x120 | uint32_t(1 + below(15)));
    for (size_t i = 0; i < 64; ++i)
      p[i] = a[size_t(b[i])];
  }
  }
  const int holes = below(3);
  for (auto& from : p)
    if (holes && below(16) < holes)
      from = below(2) ? zero_lane : any_lane;
  return p;
}

TEST_F(Run, RandomPatterns) {
  std::mt19937 random(5);
  for (int k = 0; k < 600; ++k) {
    check(random_pattern(random, k));
    if (HasFatalFailure())
      return;
  }
}

// Each method was the answer to something: a way that is never offered is never tested.
TEST_F(Run, EveryMethodIsOffered) {
  std::mt19937 random(7);
  std::set<Method> offered;
  for (int k = 0; k < 300; ++k)
    for (const Way& way : plan(random_pattern(random, k), Target::gfx900))
      offered.insert(way.method);
  offered.insert(plan(pattern([](int i) { return i; }), Target::gfx900).front().method);
  offered.insert(plan(pattern([](int i) { return i ^ 1; }), Target::gfx900).front().method);
  offered.insert(plan(pattern([](int) { return 5; }), Target::gfx900).front().method);
  for (size_t m = 0; m < size_t(Method::count); ++m)
    EXPECT_TRUE(offered.contains(Method(m))) << name(Method(m));
}

TEST_F(Run, SixtyFourBits) {
  std::mt19937 random(6);
  for (int k = 0; k < 240; ++k) {
    check(random_pattern(random, k), 2);
    if (HasFatalFailure())
      return;
  }
}

} // namespace
} // namespace crosslane
