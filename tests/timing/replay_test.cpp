// The cycle model with traces made by hand. What is expected are the card's parameters, put together as an experiment
// on the card would: rates of units, latencies of caches, and sums that have to close.
#include "tests/timing/straight_code.h"
#include "timing/replay/json.h"
#include "timing/replay/replay.h"
#include <gtest/gtest.h>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <tuple>

namespace crosslane::timing::replay {
namespace {

class Groups final : public Source { // the same again and again
public:
  Groups(uint64_t count, std::vector<std::vector<uint64_t>> waves) : count_(count), waves_(std::move(waves)) {}
  Next next(GroupTrace& trace) override {
    if (number_ == count_)
      return Next::none;
    trace = {.number = number_++, .waves = waves_};
    return Next::group;
  }

private:
  uint64_t count_, number_ = 0;
  std::vector<std::vector<uint64_t>> waves_;
};

Machine card(const char* name) {
  gpu::Used used;
  return machine_of(gpu::machine(*gpu::find_card(name)), used);
}

uint64_t sum(const SpentCycles& spent) { return std::accumulate(spent.begin(), spent.end(), uint64_t(0)); }

Figures run(const Machine& machine, const events::Block& block, Groups groups, const Needs& needs = {}) {
  Replay replay(machine, needs, [&](uint32_t) { return &block; });
  EXPECT_EQ(replay.run(groups), "");
  const Figures figures = replay.figures();
  EXPECT_EQ(sum(figures.spent()), figures.wave_cycles); // every cycle of every wave has a reason
  return figures;
}

std::vector<uint64_t> words(std::initializer_list<std::pair<Access, uint64_t>> accesses = {}) {
  Words w;
  w.block(0, false);
  for (const auto& [access, line] : accesses)
    w.access(access, line, 1);
  return w.take();
}

TEST(Trace, WhatIsWrittenIsRead) {
  Words w;
  w.block(7, true);
  const Access store{
      .instruction = 3, .clocks = 16, .space = Space::vector, .kind = Kind::store, .whole = true, .dwords = 4};
  w.access(store, 100, 5);
  const std::vector<uint32_t> apart{uint32_t(-3), 9, 4000};
  w.access(
      {.instruction = 4, .kind = Kind::atomic, .operations = 64, .scattered = true, .scratch = true, .conflicted = 64},
      1ull << 40, apart);
  w.access({.instruction = 5, .shape = Shape::texel16}, 2, 1);
  w.block(8, false);
  const auto all = w.take();
  Cursor c(all);
  EXPECT_TRUE(c.idle());
  EXPECT_EQ(c.block(), 7u);
  EXPECT_FALSE(c.at_access_of(2));
  ASSERT_TRUE(c.at_access_of(3));
  Lines l;
  Access a = c.access(l);
  EXPECT_TRUE(a.kind == Kind::store && a.whole && a.clocks == 16 && a.dwords == 4 && a.space == Space::vector &&
              !a.scratch);
  EXPECT_EQ(l.count, 5u);
  EXPECT_EQ(l.line(4), 104u);
  ASSERT_TRUE(c.at_access_of(4));
  a = c.access(l);
  EXPECT_TRUE(a.kind == Kind::atomic && a.operations == 64 && a.scattered && a.scratch && a.conflicted == 64);
  EXPECT_EQ(l.count, 4u);
  EXPECT_EQ(l.line(0), 1ull << 40);
  EXPECT_EQ(l.line(1), (1ull << 40) - 3);
  EXPECT_EQ(l.line(3), (1ull << 40) + 4000);
  a = c.access(l);
  EXPECT_TRUE(a.kind == Kind::load && a.shape == Shape::texel16 && a.dwords == 1);
  EXPECT_FALSE(c.idle());
  EXPECT_EQ(c.block(), 8u);
  EXPECT_TRUE(c.done());
}

// Measured on a R9 Nano: a workgroup takes max(4, waves) cycles of the whole card.
TEST(Replay, WorkgroupsAreLaunchedAtTheCardsRate) {
  const Code empty(isa::Target::gfx803, {"s_endpgm"});
  for (const uint32_t waves : {1u, 3u, 4u, 7u}) {
    const auto cycles = [&](uint64_t groups) {
      return run(card("fiji"), empty.block(), {groups, std::vector(waves, words())}).cycles;
    };
    EXPECT_EQ(cycles(1000) - cycles(500), 500 * std::max(4u, waves)) << waves;
  }
}

// A SIMD unit takes 4 cycles for an instruction of 64 lanes, and a lone wave 5; one compute unit has four.
TEST(Replay, VectorInstructionsTakeTheirUnit) {
  std::vector<std::string> lines(1000, "v_add_f32 v0, v1, v2");
  lines.emplace_back("s_endpgm");
  const Code code(isa::Target::gfx803, lines);
  Machine one = card("fiji");
  one.units = one.engines = 1;
  one.memory_latency = one.l2_latency; // code comes quickly
  const Figures many = run(one, code.block(), {10, std::vector(4, words())});
  EXPECT_NEAR(double(many.instructions) / double(many.cycles), 1, 0.05);
  const Figures lone = run(one, code.block(), {1, {words()}});
  EXPECT_EQ(lone.spent()[size_t(Spent::issue)] + lone.spent()[size_t(Spent::dependency)], 5 * 1000u);
}

// The card's 120, 236 and 613 cycles. The second load has the same line again, the third one passes L1 by; the fourth
// has the other half of L2's line of 128 bytes, which memory was not asked for.
TEST(Replay, LoadsTakeTheLatencyOfWhatHoldsThem) {
  const Code code(isa::Target::gfx90a,
                  {"global_load_dword v0, v1, s[0:1]", "s_waitcnt vmcnt(0)", "global_load_dword v0, v1, s[0:1]",
                   "s_waitcnt vmcnt(0)", "global_load_dword v0, v1, s[0:1] glc", "s_waitcnt vmcnt(0)",
                   "global_load_dword v0, v1, s[0:1]", "s_waitcnt vmcnt(0)", "s_endpgm"});
  const auto load = [](uint32_t instruction, uint64_t line) {
    return std::pair(Access{.instruction = instruction, .clocks = 4, .conflicted = 4}, line);
  };
  const Figures f =
      run(card("mi210"), code.block(), {1, {words({load(0, 4096), load(2, 4096), load(4, 4096), load(6, 4097)})}});
  const auto waited = [&](size_t row) { return f.rows[row].cycles[size_t(Spent::waitcnt)] + 4; }; // 4: of the load
  EXPECT_NEAR(double(waited(1)), 613, 8);
  EXPECT_NEAR(double(waited(3)), 120, 8);
  EXPECT_NEAR(double(waited(5)), 236, 8);
  EXPECT_NEAR(double(waited(7)), 613, 8);
  EXPECT_EQ(f.units.l1_hits, 1u);
  EXPECT_EQ(f.units.l1_misses, 3u);
}

// A store is acknowledged store_extra later than a load comes from L2, and its data take bytes / store_bytes to leave:
// of 64 lanes with 16 bytes each 1,024 bytes, 32 cycles on a Vega 10 and, by CLRX, 16 on a Fiji.
TEST(Replay, StoresLeaveAtTheirRateAndComeBackLater) {
  const auto stored = [](const char* name, isa::Target target) {
    const Code code(target, {"global_store_dwordx4 v[0:1], v[2:5], off", "s_waitcnt vmcnt(0)", "s_endpgm"});
    Words w;
    w.block(0, false);
    w.access({.clocks = 16, .kind = Kind::store, .whole = true, .dwords = 4}, 4096, 16);
    const std::vector<uint64_t> trace = w.take();
    Machine plain = card(name);
    plain.store_extra = 0;
    const Figures with = run(card(name), code.block(), {1, {trace}}), without = run(plain, code.block(), {1, {trace}});
    return std::tuple(with.units.address_busy,
                      with.rows[1].cycles[size_t(Spent::waitcnt)] - without.rows[1].cycles[size_t(Spent::waitcnt)]);
  };
  EXPECT_EQ(stored("vega10", isa::Target::gfx900), std::tuple(32u, card("vega10").store_extra));
  EXPECT_GT(card("vega10").store_extra, 0u);
  EXPECT_EQ(card("fiji").store_bytes, 64u);
}

// Scratch belongs to the place of a wave: two waves that are there at the same time have their own, and one that takes
// the place of another has the other's.
TEST(Replay, ScratchIsThePlaces) {
  const Code code(isa::Target::gfx900, {"buffer_store_dword v0, off, s[0:3], 0", "s_waitcnt vmcnt(0)", "s_endpgm"});
  const auto misses = [&](uint64_t groups, bool scratch, uint32_t units) {
    Words w;
    w.block(0, false);
    w.access({.clocks = 16, .kind = Kind::store, .whole = true, .scratch = scratch}, 4, 4);
    Machine machine = card("vega10");
    machine.units = machine.engines = units;
    const Needs needs{.lds = 65536, .scratch = 16}; // one at a time in a compute unit
    return run(machine, code.block(), {groups, {w.take()}}, needs).memory.misses;
  };
  EXPECT_EQ(misses(2, true, 2), misses(1, true, 2) + 4);
  EXPECT_EQ(misses(2, true, 1), misses(1, true, 1));
  EXPECT_EQ(misses(2, false, 2), misses(1, false, 2));
}

// All of memory's bandwidth, and no more: 2,048 waves that load 4 KiB each, nowhere twice.
TEST(Replay, LoadsReachTheBandwidthOfMemory) {
  std::vector<std::string> lines(16, "global_load_dwordx4 v[0:3], v1, s[0:1]");
  lines.insert(lines.end(), {"s_waitcnt vmcnt(0)", "s_endpgm"});
  const Code code(isa::Target::gfx900, lines);
  class Streams final : public Source {
  public:
    Next next(GroupTrace& trace) override {
      if (number_ == 4096)
        return Next::none;
      trace = {.number = number_++, .waves = {}};
      Words w;
      w.block(0, false);
      for (uint32_t i = 0; i < 16; ++i, line_ += 16)
        w.access({.instruction = i, .clocks = 16, .shape = Shape::x4}, line_, 16);
      trace.waves.push_back(w.take());
      return Next::group;
    }

  private:
    uint64_t number_ = 0, line_ = 1 << 20; // far from code
  } source;
  const Machine vega = card("vega10");
  Replay replay(vega, {}, [&](uint32_t) { return &code.block(); });
  EXPECT_EQ(replay.run(source), "");
  const Figures f = replay.figures();
  EXPECT_GE(f.memory.read, 4096u * 16 * 1024 + 64 * 3); // lines of code, of which some are asked for twice
  EXPECT_LE(f.memory.read, 4096u * 16 * 1024 + 64 * 6);
  const double reached = double(f.memory.read) / double(f.cycles) / vega.memory_bytes;
  EXPECT_GT(reached, 0.93);
  EXPECT_LT(reached, 1.0);
}

// A wave that sleeps holds the others at the barrier.
TEST(Replay, BarriersWaitForTheLast) {
  const Code code(isa::Target::gfx900, {"s_barrier", "s_endpgm"});
  const Code sleeper(isa::Target::gfx900, {"s_sleep 100"}, 1, 0x20000);
  Words late;
  late.block(1, false);
  late.block(0, false);
  Replay replay(card("vega10"), {}, [&](uint32_t id) { return id ? &sleeper.block() : &code.block(); });
  Groups groups(1, {words(), late.take(), words()});
  EXPECT_EQ(replay.run(groups), "");
  const Figures f = replay.figures();
  EXPECT_EQ(sum(f.spent()), f.wave_cycles);
  EXPECT_GT(f.spent()[size_t(Spent::barrier)], 2 * 5000u);
  EXPECT_EQ(f.spent()[size_t(Spent::sleep)], 6400u);
}

// 128 VGPRs let two waves of each SIMD unit in; LDS of 32 KiB two workgroups.
TEST(Replay, ResourcesLimitWhatIsResident) {
  const Code code(isa::Target::gfx900, {"s_sleep 100", "s_endpgm"});
  Machine one = card("vega10");
  one.units = one.engines = 1;
  const auto cycles = [&](const Needs& needs) { return run(one, code.block(), {16, {words()}}, needs).cycles; };
  const uint64_t all = cycles({}), two = cycles({.vgprs = 128}), lds = cycles({.lds = 32768});
  EXPECT_NEAR(double(two) / double(all), 2, 0.2);
  EXPECT_NEAR(double(lds) / double(all), 8, 0.8);
}

TEST(Replay, WhatDoesNotFitIsSaid) {
  const Code code(isa::Target::gfx900, {"s_endpgm"});
  Replay replay(card("vega10"), {.vgprs = 300}, [&](uint32_t) { return &code.block(); });
  Groups groups(1, {words()});
  EXPECT_NE(replay.run(groups).find("300 VGPRs"), std::string::npos);
}

TEST(Replay, IsTheSameEachTime) {
  const Code code(isa::Target::gfx900, {"global_load_dword v0, v1, s[0:1]", "v_add_f32 v2, v3, v4",
                                        "s_waitcnt vmcnt(0)", "s_barrier", "s_endpgm"});
  const auto once = [&] {
    return run(card("vega10"), code.block(), {500, {words({{Access{.clocks = 16, .scattered = true}, 77}}), words()}});
  };
  const Figures a = once(), b = once();
  EXPECT_EQ(a.cycles, b.cycles);
  EXPECT_EQ(a.spent(), b.spent());
  EXPECT_EQ(a.memory.hits, b.memory.hits);
}

// Many waves of as many clusters as the card has, whose loads hit L2, miss it, or meet in it.
TEST(Replay, IsTheSameOnAnyNumberOfThreads) {
  const Code code(isa::Target::gfx900, {"global_load_dword v0, v1, s[0:1]", "v_add_f32 v2, v3, v4",
                                        "s_waitcnt vmcnt(0)", "global_store_dword v1, v0, s[0:1]", "s_endpgm"});
  class Source final : public timing::replay::Source {
  public:
    Next next(GroupTrace& trace) override {
      if (number_ == 6000)
        return Next::none;
      trace = {.number = number_, .waves = {}, .fate = {}};
      for (uint64_t wave = 0; wave < 2; ++wave) {
        Words w;
        w.block(0, false);
        w.access({.clocks = 64, .scattered = true}, (number_ * 1'000'003 + wave * 977) % 200'000, 64);
        w.access({.instruction = 3, .clocks = 16, .kind = Kind::store}, number_ * 32 + wave * 16, 16);
        trace.waves.push_back(w.take());
      }
      ++number_;
      return Next::group;
    }

  private:
    uint64_t number_ = 0;
  };
  std::vector<Figures> all;
  for (const uint32_t threads : {1u, 2u, 5u}) {
    Replay replay(card("vega10"), {}, [&](uint32_t) { return &code.block(); });
    replay.share(threads);
    Source source;
    EXPECT_EQ(replay.run(source), "");
    all.push_back(replay.figures());
  }
  EXPECT_GT(all[0].memory.hits, 100'000u);
  EXPECT_GT(all[0].memory.misses, 100'000u);
  for (size_t i = 1; i < all.size(); ++i) {
    std::vector<uint64_t> counts, first;
    each_count(all[i], [&](uint64_t count) { counts.push_back(count); });
    each_count(all[0], [&](uint64_t count) { first.push_back(count); });
    EXPECT_EQ(counts, first);
    EXPECT_EQ(all[i].spent(), all[0].spent());
  }
}

// ---- Sampling

enum class Loads : uint8_t {
  once,     // 4 KiB, nowhere twice
  heavy,    // 4,096 workgroups load four times as much, then 4,096 do not
  sleepers, // as once; of 15,000 in the middle every 256th sleeps for 400,000 cycles, longer than what is sampled
  again,    // 1 KiB, and what the workgroup 1,200 before has loaded: L2 has it, if nothing else came to it
};

class Sampled final : public Source {
public:
  Sampled(uint64_t groups, Loads loads) : groups_(groups), loads_(loads) {}
  Next next(GroupTrace& trace) override {
    while (part_ < parts_.size() && number_ >= parts_[part_].first)
      ++part_;
    if (part_ < parts_.size() && parts_[part_].second == Fate::skipped)
      number_ = parts_[part_++].first;
    if (number_ >= groups_)
      return Next::none;
    trace = {.number = number_, .waves = {words_of(number_)}, .fate = {}};
    if (part_ < parts_.size())
      trace.fate = parts_[part_].second;
    ++number_;
    return Next::group;
  }
  void plan(uint64_t end, Fate fate) override { parts_.emplace_back(end, fate); }
  uint64_t sleeps_of(uint64_t number) const {
    return loads_ == Loads::sleepers && number >= 30'000 && number < 45'000 && number % 256 == 0 ? 50 : 0;
  }
  uint64_t blocks_of(uint64_t number) const {
    return loads_ == Loads::again ? 2 : loads_ == Loads::heavy && number / 4096 % 2 ? 4 : 1;
  }

private:
  std::vector<uint64_t> words_of(uint64_t number) const {
    Words w;
    for (uint64_t b = 0; b < blocks_of(number); ++b) {
      w.block(0, false);
      for (uint32_t i = 0; i < 4; ++i)
        if (loads_ == Loads::again)
          w.access({.instruction = i, .clocks = 4}, (1 << 20) + ((number + 1200 - b * 1200) * 4 + i) * 4, 4);
        else
          w.access({.instruction = i, .clocks = 16, .shape = Shape::x4}, (1 << 20) + (number * 16 + b * 4 + i) * 16,
                   16);
    }
    for (uint64_t i = 0; i < sleeps_of(number); ++i)
      w.block(2, false);
    w.block(1, false);
    return w.take();
  }
  uint64_t groups_, number_ = 0;
  Loads loads_;
  std::vector<std::pair<uint64_t, Fate>> parts_;
  size_t part_ = 0;
};

struct SampledRun {
  Figures figures;
  std::optional<Estimate> estimate;
};

SampledRun run_sampled(uint64_t groups, Loads loads, std::optional<Sampling> sampling) {
  std::vector<std::string> lines(4, "global_load_dwordx4 v[0:3], v1, s[0:1]");
  lines.emplace_back("s_waitcnt vmcnt(0)");
  const Code body(isa::Target::gfx900, lines), end(isa::Target::gfx900, {"s_endpgm"}, 1, 0x20000),
      sleep(isa::Target::gfx900, {"s_sleep 127"}, 2, 0x30000);
  Sampled source(groups, loads);
  uint64_t instructions = 0;
  for (uint64_t i = 0; i < groups; ++i)
    instructions += 5 * source.blocks_of(i) + source.sleeps_of(i) + 1;
  const Needs needs{.lds = loads == Loads::again ? 4096u : 0u}; // sixteen of them in a compute unit
  Replay replay(card("vega10"), needs, [&](uint32_t id) {
    return id == 0 ? &body.block() : id == 1 ? &end.block() : &sleep.block();
  });
  if (sampling) {
    sampling->groups = groups;
    replay.sample(*sampling, 1);
  }
  EXPECT_EQ(replay.run(source), "");
  replay.extrapolate(instructions, groups);
  SampledRun out{.figures = replay.figures(), .estimate = {}};
  if (replay.estimate())
    out.estimate = *replay.estimate();
  EXPECT_EQ(out.figures.instructions, instructions);
  EXPECT_EQ(out.figures.waves, groups);
  EXPECT_EQ(out.figures.groups, groups);
  return out;
}

TEST(Sampler, LargeGridsAreWhatAllOfThemAreWithinTheError) {
  for (const Loads loads : {Loads::once, Loads::heavy}) {
    const SampledRun exact = run_sampled(100'000, loads, {});
    const SampledRun sampled = run_sampled(100'000, loads, Sampling{.error = 0.02});
    ASSERT_TRUE(sampled.estimate);
    EXPECT_LT(sampled.estimate->replayed, 80'000u);
    const auto within = [&](uint64_t got, uint64_t wanted, uint64_t error) {
      EXPECT_NEAR(double(got), double(wanted), double(error) + 0.01 * double(wanted)) << int(loads);
    };
    const Estimate& e = *sampled.estimate;
    EXPECT_GT(e.error.cycles, 0u);
    within(sampled.figures.cycles, exact.figures.cycles, e.error.cycles);
    within(sampled.figures.memory.read, exact.figures.memory.read, e.error.memory.read);
    within(sampled.figures.units.address_busy, exact.figures.units.address_busy, e.error.units.address_busy);
    within(sampled.figures.rows[0].issued, exact.figures.rows[0].issued, e.error.rows[0].issued);
    const SampledRun again = run_sampled(100'000, loads, Sampling{.error = 0.02});
    EXPECT_EQ(again.figures.cycles, sampled.figures.cycles);
    EXPECT_EQ(again.estimate->error.cycles, e.error.cycles);
  }
}

// Workgroups of the middle that still run when the last one has ended did not do so if all of them were replayed.
TEST(Sampler, LongWorkgroupsOfLongBeforeAreNotTheGridsEnd) {
  const SampledRun exact = run_sampled(100'000, Loads::sleepers, {});
  const SampledRun sampled = run_sampled(100'000, Loads::sleepers, Sampling{.error = 0.02});
  ASSERT_TRUE(sampled.estimate);
  EXPECT_LT(sampled.estimate->replayed, 50'000u);
  EXPECT_NEAR(double(sampled.figures.cycles), double(exact.figures.cycles), 0.02 * double(exact.figures.cycles));
}

// What the card still runs of one stretch must not take the place of what L2 has of the next one.
TEST(Sampler, WhatL2KeepsIsNotLost) {
  const SampledRun exact = run_sampled(40'000, Loads::again, {});
  const SampledRun sampled = run_sampled(40'000, Loads::again, Sampling{.error = 0.02});
  ASSERT_TRUE(sampled.estimate);
  EXPECT_LT(sampled.estimate->replayed, 30'000u);
  EXPECT_LT(exact.figures.memory.misses,
            exact.figures.memory.hits * 2); // most of the second half of the lines is there
  EXPECT_NEAR(double(sampled.figures.memory.read), double(exact.figures.memory.read),
              0.05 * double(exact.figures.memory.read)); // 11 % without
}

// A range of the grid of run_sampled(), as somebody else replays it.
WindowPart watched(const WindowRange& range, Loads loads) {
  std::vector<std::string> lines(4, "global_load_dwordx4 v[0:3], v1, s[0:1]");
  lines.emplace_back("s_waitcnt vmcnt(0)");
  const Code body(isa::Target::gfx900, lines), end(isa::Target::gfx900, {"s_endpgm"}, 1, 0x20000);
  Sampled source(range.first + range.count, loads);
  uint64_t instructions = 0;
  for (uint64_t i = range.first; i < range.first + range.count; ++i)
    instructions += 5 * source.blocks_of(i) + 1;
  const Needs needs{.lds = loads == Loads::again ? 4096u : 0u};
  Replay replay(card("vega10"), needs, [&](uint32_t id) { return id ? &end.block() : &body.block(); });
  replay.watch(range, 1);
  EXPECT_EQ(replay.run(source), "");
  return replay.part(instructions, range.count);
}

TEST(Window, RangesApartFromEachOtherAreWhatAllOfThemAre) {
  for (const Loads loads : {Loads::once, Loads::again}) {
    const uint64_t groups = 120'000, ranges = 4, each = groups / ranges; // the card holds 2,048, or 1,024
    const SampledRun exact = run_sampled(groups, loads, {});
    std::vector<WindowPart> parts;
    for (uint64_t r = 0; r < ranges; ++r) {
      parts.push_back(watched({r * each, each, r == 0, r + 1 == ranges}, loads));
      const auto again = parse_window_part(json(parts.back()));
      ASSERT_TRUE(again);
      EXPECT_EQ(json(*again), json(parts.back()));
    }
    const Joined joined = join(parts);
    const Figures& f = joined.estimate.figures;
    EXPECT_EQ(f.instructions, exact.figures.instructions);
    EXPECT_EQ(f.waves, groups);
    EXPECT_EQ(f.groups, groups);
    EXPECT_EQ(joined.estimate.stretches, ranges);
    EXPECT_LT(joined.estimate.replayed, groups * 3 / 4);
    const auto within = [&](uint64_t got, uint64_t wanted, double part) {
      EXPECT_NEAR(double(got), double(wanted), part * double(wanted)) << int(loads);
    };
    within(f.cycles, exact.figures.cycles, 0.03);
    within(f.memory.read, exact.figures.memory.read, 0.05);
    within(f.units.address_busy, exact.figures.units.address_busy, 0.03);
    ASSERT_EQ(f.rows.size(), joined.lines.size());
    ASSERT_EQ(joined.lines.size(), 6u); // by address
    within(f.rows[0].issued, exact.figures.rows[0].issued, 0.03);
  }
}

TEST(Window, RangesThatAreTooShortAreRefused) {
  const Code end(isa::Target::gfx900, {"s_endpgm"});
  Replay replay(card("vega10"), {}, [&](uint32_t) { return &end.block(); });
  replay.watch({1000, 1000, false, false}, 1);
  EXPECT_TRUE(replay.trouble().starts_with("a range of 1000 workgroups is too short")) << replay.trouble();
  for (const char* text : {"null", "{}", R"({"of":[1,2],"lines":[],"known":[],"measured":[]})",
                           R"({"of":[1,2,3,4,5,-1],"lines":[],"known":[],"measured":[]})"})
    EXPECT_FALSE(parse_window_part(nlohmann::ordered_json::parse(text))) << text;
}

TEST(Sampler, SmallGridsAreReplayedAsAWhole) {
  for (const uint64_t groups : {1u, 100u, 24'000u}) { // the card holds 2,048
    const SampledRun sampled = run_sampled(groups, Loads::once, Sampling{.error = 0.02});
    EXPECT_FALSE(sampled.estimate) << groups;
    EXPECT_EQ(sampled.figures.cycles, run_sampled(groups, Loads::once, {}).figures.cycles);
  }
  const SampledRun short_of = run_sampled(40'000, Loads::once, Sampling{.least_instructions = 1'000'000});
  EXPECT_FALSE(short_of.estimate);
  EXPECT_EQ(short_of.figures.cycles, run_sampled(40'000, Loads::once, {}).figures.cycles);
}

} // namespace
} // namespace crosslane::timing::replay
