// Notes there and back, damaged ones, and what records mean.
#include "rewrite/tally.h"
#include <cstring>
#include <gtest/gtest.h>
#include <random>

namespace crosslane::rewrite {
namespace {

// A wave comes in, goes through node 0 with one site, and out. What counter 3 says of lanes comes in, too.
Plan plan() {
  KernelPlan k;
  k.kernel = "k", k.control = "crosslane.control.k";
  k.counters = 4, k.record_bytes = 16, k.powers = {2};
  k.branches = k.blocks = true, k.calls_to_old = 2;
  k.graph = {2, {{1, 0, CountedEdge::follows, true}, {0, 0, 2}, {0, 1}}};
  k.sites = {{0x1000, true, 0, 0, PlannedSite::always, 1, PlannedSite::always}};
  k.counted = {{0x1000, 5, 0}};
  k.lanes = LanesPlan{{2, {{1, 0, 3}, {0, 1}}}, {{0x1000, 5, 0}}};
  return {{k}};
}

// Counter 0 counts accesses; behind 64 bytes there is a trace, of accesses without VGPRs and with one.
Plan traced() {
  KernelPlan k;
  k.kernel = "k", k.control = "crosslane.control.k";
  k.counters = 1, k.record_bytes = 1024;
  k.memory = MemoryPlan{0, 64, {{0x1000, 0}, {0x1008, 1}}, {0x1010}};
  return {{k}};
}

uint32_t power_of_5(uint32_t n) {
  uint32_t p = 1;
  for (uint32_t i = 0; i < n; ++i)
    p *= 5;
  return p;
}

constexpr Grid one_wave{{64, 1, 1}, {64, 1, 1}};

void add(Tally& tally, std::span<const uint32_t> record) {
  tally.add(one_wave, {reinterpret_cast<const uint8_t*>(record.data()), record.size_bytes()});
}

TEST(RecordPlan, SurvivesItsNote) {
  auto back = from_note(to_note(plan()), "file");
  ASSERT_TRUE(bool(back)) << llvm::toString(back.takeError());
  const KernelPlan* k = back->find("k");
  ASSERT_TRUE(k);
  EXPECT_EQ(to_note(*back), to_note(plan()));
  EXPECT_EQ(k->calls_to_old, 2u);
  EXPECT_EQ(back->find("other"), nullptr);
}

TEST(RecordPlan, TracesEndWhereRecordsDo) {
  auto back = from_note(to_note(traced()), "file");
  ASSERT_TRUE(bool(back)) << llvm::toString(back.takeError());
  EXPECT_EQ(to_note(*back), to_note(traced()));
  Tally tally(back->kernels[0], true);
  std::vector<uint8_t> records(1024, no_record);
  const auto put = [&](size_t byte, uint32_t value) { std::memcpy(records.data() + byte, &value, 4); };
  put(0, 9);
  put(64, 1), put(64 + 320, 0), put(64 + 384, 1); // the fourth would go beyond 1024
  put(64 + 704, 1);
  tally.add(one_wave, records);
  ASSERT_EQ(tally.traced().size(), 1u);
  EXPECT_EQ(tally.traced()[0].accesses, 9u);
  EXPECT_EQ(tally.traced()[0].words.size(), (320u + 64 + 320) / 4);
  erase(back->kernels[0], one_wave, records);
  EXPECT_EQ(records, std::vector<uint8_t>(1024, no_record));
  Plan damaged = traced();
  damaged.kernels[0].memory->first = 2048;
  EXPECT_NE(llvm::toString(from_note(to_note(damaged), "file").takeError()), "");
}

// 8 executions: the loop's edge 7 times and once from outside; lanes held in 5, failed in 6.
TEST(RecordPlan, CountsFollowFromRecords) {
  const Plan p = plan();
  Tally tally(p.kernels[0], true);
  add(tally, std::vector<uint32_t>{5, 6, power_of_5(7), 200});
  ASSERT_EQ(tally.sites().size(), 1u);
  EXPECT_EQ(tally.sites()[0].executions, 8u);
  EXPECT_EQ(tally.sites()[0].all, 2u);
  EXPECT_EQ(tally.sites()[0].none, 3u);
  EXPECT_EQ(tally.sites()[0].divergences(), 3u);
  EXPECT_EQ(tally.blocks(), std::vector<uint64_t>{8});
  EXPECT_EQ(tally.lanes(), std::vector<uint64_t>{200});
}

TEST(RecordPlan, PowersOf5AreCounts) {
  const Plan p = plan();
  std::mt19937 random(2);
  uint32_t power = 1;
  uint64_t before = 0;
  Tally tally(p.kernels[0], true);
  for (uint32_t n = 0; n < 100000; ++n, power *= 5) {
    add(tally, std::vector<uint32_t>{0, 0, power, 0});
    ASSERT_EQ(tally.blocks()[0] - before, n + 1) << n;
    before = tally.blocks()[0];
  }
}

// Counts, powers of 5 and what each wave does once, of launches of five waves, the last of which came to no end.
TEST(RecordPlan, SumsAreThoseOfTheWaves) {
  const Plan p = plan();
  const Grid five{{64 * 5, 1, 1}, {64, 1, 1}};
  Tally together(p.kernels[0], false), apart(p.kernels[0], true);
  std::mt19937 random(4);
  for (int launch = 0; launch < 20; ++launch) {
    std::vector<uint32_t> records;
    for (int wave = 0; wave < 4; ++wave) {
      const auto n = uint32_t(random() % 1000);
      const std::vector<uint32_t> record = {uint32_t(random() % (n + 1)), uint32_t(random() % (n + 1)), power_of_5(n),
                                            uint32_t(random())};
      add(apart, record);
      records.insert(records.end(), record.begin(), record.end());
    }
    records.resize(records.size() + 4, ~0u);
    together.add(five, {reinterpret_cast<const uint8_t*>(records.data()), records.size() * 4});
  }
  EXPECT_EQ(together.expected(), 100u);
  EXPECT_EQ(together.recorded(), 80u);
  EXPECT_EQ(together.sites(), apart.sites());
  EXPECT_EQ(together.blocks(), apart.blocks());
  EXPECT_EQ(together.lanes(), apart.lanes());
  views::BranchCounts of_waves;
  for (const Tally::OfWave& wave : apart.waves()) // solved wave by wave
    of_waves += wave.counts;
  EXPECT_EQ(together.sites()[0], of_waves);
  EXPECT_TRUE(together.waves().empty());
}

TEST(RecordPlan, RecordsAreWholeDwords) {
  Plan p = plan();
  p.kernels[0].record_bytes = 18;
  auto odd = from_note(to_note(p), "file");
  ASSERT_FALSE(bool(odd));
  EXPECT_NE(llvm::toString(odd.takeError()).find("damaged"), std::string::npos);
}

TEST(RecordPlan, DamageIsRefused) {
  const std::vector<uint8_t> note = to_note(plan());
  for (size_t n = 0; n < note.size(); ++n) {
    auto cut = from_note(std::span(note).first(n), "file");
    EXPECT_FALSE(bool(cut)) << n;
    llvm::consumeError(cut.takeError());
  }
  std::mt19937 random(3);
  for (int i = 0; i < 20000; ++i) {
    std::vector<uint8_t> bytes = note;
    for (int k = 0; k < 3; ++k)
      bytes[random() % bytes.size()] = uint8_t(random());
    auto damaged = from_note(bytes, "file");
    if (!damaged) {
      EXPECT_NE(llvm::toString(damaged.takeError()).find("file: "), std::string::npos);
      continue;
    }
    for (const KernelPlan& k : damaged->kernels) { // whatever it says now, nothing is read beyond its record
      const std::vector<uint8_t> record(std::max<size_t>(k.record_bytes, 4));
      Tally tally(k, true);
      tally.add(one_wave, record);
      tally.sites(), tally.user();
    }
  }
}

TEST(RecordPlan, RecordsOfMoreThan4GiBAreRefused) {
  const auto bytes = [](uint32_t record, const Grid& grid) {
    KernelPlan plan;
    plan.record_bytes = record;
    return bytes_of_records(plan, grid);
  };
  EXPECT_EQ(bytes(64, {{16000, 32, 3}, {16, 16, 1}}), 64u * 4 * 6000);
  EXPECT_EQ(bytes(64, {{15985, 17, 3}, {16, 16, 1}}), 64u * 4 * 6000); // workgroups at the end count in full
  EXPECT_EQ(bytes(256, {{1u << 30, 1, 1}, {1024, 1, 1}}), std::nullopt);
  EXPECT_EQ(bytes(4, {{~0u, ~0u, ~0u}, {1, 1, 1}}), std::nullopt);
}

// 70 x 2 x 2 work-items in workgroups of 48 x 2 x 1: those at the end are 22 x 2, one wave instead of two.
TEST(RecordPlan, WavesOfPartialWorkgroupsAreFound) {
  KernelPlan plan;
  plan.counters = 1, plan.record_bytes = 4;
  const Grid grid{{70, 2, 2}, {48, 2, 1}};
  std::vector<uint8_t> records(*bytes_of_records(plan, grid), no_record);
  ASSERT_EQ(records.size(), 4u * 2 * 2 * 2);
  Tally nothing(plan, true);
  nothing.add(grid, records);
  EXPECT_EQ(nothing.expected(), 6u);
  EXPECT_EQ(nothing.recorded(), 0u);
  for (const size_t number : {0, 1, 2, 4, 5, 6}) // record of each wave
    std::fill_n(records.begin() + number * 4, 4, uint8_t(0));
  Tally all(plan, true);
  all.add(grid, records);
  EXPECT_EQ(all.recorded(), 6u);
}

} // namespace
} // namespace crosslane::rewrite
