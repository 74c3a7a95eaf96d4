// What a replay keeps of its course: it must agree with the sums that are kept anyway, and stay within its limits.
#include "isa/parse.h"
#include "timing/replay/replay.h"
#include <gtest/gtest.h>
#include <map>
#include <numeric>

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

class RecordingTest : public testing::Test {
protected:
  // Loads of lines that all others load as well, waits for them, arithmetic, and a barrier.
  RecordingTest() {
    for (const char* line : {"global_load_dword v1, v[2:3], off", "s_waitcnt vmcnt(0)", "v_add_f32 v0, v1, v2",
                             "v_sqrt_f32 v0, v1", "s_barrier", "global_load_dword v1, v[2:3], off", "s_endpgm"}) {
      const isa::Parsed parsed = isa::parse(isa::Target::gfx900, line);
      EXPECT_TRUE(parsed) << line << ": " << parsed.error.message;
      instructions_.push_back(parsed.instruction);
    }
    uint64_t pc = 0x10000;
    for (const isa::Instruction& i : instructions_) {
      sites_.push_back({pc, &i});
      pc += i.size;
    }
    block_ = {0, sites_};
    for (uint32_t wave = 0; wave < 4; ++wave) { // one after the other at the barrier
      Words w;
      w.block(0, false);
      w.access({.instruction = 0, .clocks = 4 + 20 * wave}, 1000 + 100 * wave, 4);
      w.access({.instruction = 5, .clocks = 16}, 5000, 16);
      words_.push_back(w.take());
    }
    gpu::Used used;
    machine_ = machine_of(gpu::machine(*gpu::find_card("vega10")), used);
  }

  Recording record(uint64_t groups, const Wanted& wanted = {}) {
    Replay replay(machine_, {}, [&](uint32_t) { return &block_; });
    replay.record(wanted);
    Groups source(groups, words_);
    EXPECT_EQ(replay.run(source), "");
    figures_ = replay.figures();
    return replay.recording();
  }
  Figures plain(uint64_t groups) {
    Replay replay(machine_, {}, [&](uint32_t) { return &block_; });
    Groups source(groups, words_);
    EXPECT_EQ(replay.run(source), "");
    EXPECT_TRUE(replay.recording().waves.empty());
    return replay.figures();
  }
  static double sum(const std::vector<double>& bins) { return std::accumulate(bins.begin(), bins.end(), 0.0); }

  std::vector<isa::Instruction> instructions_;
  std::vector<events::Site> sites_;
  events::Block block_{};
  std::vector<std::vector<uint64_t>> words_;
  Machine machine_;
  Figures figures_;
};

TEST_F(RecordingTest, ChangesNothing) {
  const Figures without = plain(300);
  record(300);
  EXPECT_EQ(figures_.cycles, without.cycles);
  EXPECT_EQ(figures_.spent(), without.spent());
}

TEST_F(RecordingTest, AmountsOverTimeAddUpToTheFigures) {
  const Recording r = record(300);
  EXPECT_EQ(sum(r.of(Series::waves)), double(figures_.wave_cycles));
  EXPECT_EQ(sum(r.of(Series::instructions)), double(figures_.instructions));
  EXPECT_EQ(sum(r.of(Series::valu)), double(figures_.units.busy[size_t(Port::valu)]));
  EXPECT_EQ(sum(r.of(Series::addresses)), double(figures_.units.address_busy));
  EXPECT_EQ(sum(r.of(Series::l1_hits)), double(figures_.units.l1_hits));
  EXPECT_EQ(sum(r.of(Series::l1_misses)), double(figures_.units.l1_misses));
  EXPECT_EQ(sum(r.of(Series::l2_hits)), double(figures_.memory.hits));
  EXPECT_EQ(sum(r.of(Series::l2_misses)), double(figures_.memory.misses));
  EXPECT_EQ(sum(r.of(Series::bytes_read)), double(figures_.memory.read));
  const SpentCycles spent = figures_.spent();
  for (size_t i = 0; i < spent_count; ++i)
    EXPECT_EQ(sum(r.of(Spent(i))), double(spent[i])) << name_of(Spent(i));
  EXPECT_GT(spent[size_t(Spent::barrier)], 0u);
  EXPECT_GT(spent[size_t(Spent::waitcnt)], 0u);
}

// Of every instruction: how often, and that latencies and idle times are the lives of all waves.
TEST_F(RecordingTest, LatencyAndIdleTimeAreTheLivesOfWaves) {
  const Recording r = record(300);
  ASSERT_EQ(r.rows.size(), instructions_.size());
  uint64_t cycles = 0;
  for (const RowTimes& row : r.rows) {
    EXPECT_EQ(row.hits, 1200u);
    EXPECT_GE(row.latency, row.stall);
    cycles += row.latency + row.idle;
  }
  EXPECT_EQ(cycles, figures_.wave_cycles);
  const auto stalled = [&](size_t row, Spent why) { return figures_.rows[row].cycles[size_t(why)]; };
  EXPECT_EQ(r.rows[1].stall, stalled(1, Spent::waitcnt));
  EXPECT_EQ(r.rows[4].stall, stalled(4, Spent::barrier));
  EXPECT_EQ(r.rows[3].latency, 1200u * 16); // a transcendental one has its unit for 16 cycles
}

TEST_F(RecordingTest, WavesHaveAPlaceEachAtATime) {
  const Recording r = record(3000);
  EXPECT_EQ(r.waves_in_all, 12000u);
  ASSERT_EQ(r.waves.size(), 12000u);
  std::map<std::tuple<int, int, int, int>, uint64_t> free;
  std::map<std::pair<uint64_t, uint32_t>, int> seen;
  uint64_t lives = 0;
  for (const WaveRecord& w : r.waves) {
    EXPECT_LT(w.engine, 4);
    EXPECT_LT(w.unit, 16);
    EXPECT_LT(w.slot, 10);
    uint64_t& from = free[{w.engine, w.unit, w.simd, w.slot}];
    EXPECT_GE(w.begin, from);
    from = w.end;
    lives += w.end - w.begin;
    ++seen[{w.workgroup, w.wave}];
  }
  EXPECT_EQ(lives, figures_.wave_cycles);
  EXPECT_EQ(seen.size(), 12000u);
}

TEST_F(RecordingTest, StepsOfAWaveFillItsLife) {
  const Recording r = record(300);
  ASSERT_FALSE(r.detailed.empty());
  for (const Recording::Detailed& d : r.detailed) {
    EXPECT_EQ(d.wave.engine + d.wave.unit, 0);
    ASSERT_EQ(d.steps.size(), instructions_.size());
    uint64_t time = d.wave.begin;
    for (const Step& s : d.steps)
      time += uint64_t(s.idle) + s.stall + s.issue;
    EXPECT_EQ(time, d.wave.end);
  }
}

TEST_F(RecordingTest, StaysWithinItsLimits) {
  const Recording r = record(3000, {.bins = 16, .bin_cycles = 1, .waves = 1000, .steps = 100});
  EXPECT_EQ(r.bins.count(), 16u);
  EXPECT_GE(r.bins.width() * 16, figures_.cycles);
  EXPECT_EQ(sum(r.of(Series::waves)), double(figures_.wave_cycles));
  EXPECT_LE(r.waves.size(), 1000u);
  EXPECT_GT(r.waves.size(), 100u);
  EXPECT_GT(r.every, 1u);
  for (const WaveRecord& w : r.waves)
    EXPECT_EQ(w.unit % r.every, 0u);
  EXPECT_EQ(r.waves_in_all, 12000u);
  // Waves that were there when the limit was reached end their recording.
  EXPECT_LE(r.detailed.size(), 100 / instructions_.size() + 40);
}

} // namespace
} // namespace crosslane::timing::replay
