// Owns what a replay keeps of its course if it is asked to: waves with their places and times, amounts over time, and
// each instruction's latency, stall and idle time as AMD's thread trace has them; of a few waves, every instruction.
// Its size is bounded: bins grow wider, waves of ever fewer compute units are kept, and so many instructions.
#pragma once
#include "timing/replay/bins.h"
#include "timing/replay/figures.h"
#include "timing/replay/rows.h"
#include <memory>

namespace crosslane::timing::replay {

// What is kept over time: sums over the card.
enum class Series : uint8_t {
  waves, // cycles of lifetimes
  instructions,
  valu, // cycles that a port of a SIMD unit is busy
  matrix,
  salu,
  addresses, // cycles of a compute unit's vector memory
  lds,       // likewise
  l1_hits,   // lines of loads
  l1_misses,
  l2_hits, // requests of 64 bytes
  l2_misses,
  bytes_read, // of memory
  bytes_written,
  spent, // and as many more as there are reasons: cycles of waves
};
inline constexpr uint32_t series_count = uint32_t(Series::spent) + spent_count;
constexpr Series series_of(Spent s) { return Series(uint32_t(Series::spent) + uint32_t(s)); }

// As AMD's thread trace has it: an instruction's latency is the time that it is held back by what it wants (stall), and
// the time of its issue. What passes between one's end and the next one's beginning is idle: code that is not there,
// another wave that has the unit, an instruction that takes longer than its issue.
struct RowTimes {
  uint64_t hits = 0, latency = 0, stall = 0, idle = 0;
  void add(const RowTimes&);
};

struct Step { // one instruction of one wave; it begins when the one before has ended, `idle` cycles later
  uint32_t row = 0;
  uint32_t idle = 0, stall = 0, issue = 0;
};

struct WaveRecord {
  uint64_t begin = 0, end = 0;   // cycles
  uint64_t workgroup = 0;        // in the order of launch
  uint32_t wave = 0;             // in it
  uint16_t engine = 0, unit = 0; // shader engine, compute unit in it
  uint8_t simd = 0, slot = 0;    // place in the SIMD unit
};

struct Wanted { // limits of a recording
  uint32_t bins = 1024;
  uint64_t bin_cycles = 16;      // at first
  size_t waves = 1 << 16;        // that are kept, of every compute unit or, if there are more,
  uint32_t every = 1;            // of one of so many in each engine
  size_t steps = 1 << 18;        // of all waves in one compute unit
  uint32_t engine = 0, unit = 0; // which: the first waves there, whole
};

struct Recording {
  Bins bins{0, 2, 1};
  std::vector<WaveRecord> waves; // by begin
  uint32_t every = 1;            // of this many compute units of an engine, one is kept
  uint64_t waves_in_all = 0;
  std::vector<RowTimes> rows; // by number of the row
  struct Detailed {
    WaveRecord wave;
    std::vector<Step> steps;
  };
  std::vector<Detailed> detailed; // by begin
  const std::vector<double>& of(Series s) const { return bins.of(uint32_t(s)); }
  const std::vector<double>& of(Spent s) const { return of(series_of(s)); }
};

// Of one cluster: what happens there, as it happens. `unit`, `slot`: the cluster's. Of a wave, times do not go back.
class Recorder {
public:
  struct Place {
    uint16_t engine, unit;
  };
  // `places`: of its units.
  Recorder(const Wanted&, std::vector<Place> places);

  void begin(uint32_t unit, uint32_t slot, uint32_t simd, uint64_t workgroup, uint32_t wave, uint64_t time);
  // A wave waits: for what its next instruction wants, or, of a barrier and s_sleep, for the end of its last one.
  void spent(uint32_t unit, uint32_t slot, Spent, uint64_t from, uint64_t until, bool last = false);
  // `plain`: the end of an issue that takes no longer than others.
  void issued(uint32_t unit, uint32_t slot, uint32_t row, const Row&, uint64_t time, uint64_t plain);
  void end(uint32_t unit, uint32_t slot, uint64_t time);
  void busy(Series what, uint64_t from, uint64_t until) { bins_.span(uint32_t(what), from, until); }
  void count(Series what, uint64_t time, double amount) { bins_.add(uint32_t(what), time, amount); }

  size_t kept() const { return waves_.size(); }
  void keep_every(uint32_t units); // of an engine
  void add_to(Recording&) const;

private:
  struct Now { // a wave that is there
    WaveRecord wave;
    uint64_t last_end = 0; // of its last instruction
    uint32_t stall = 0;    // since then
    Step step;             // its last instruction, to which more may be added
    bool any = false;
    bool detailed = false;
    std::vector<Step> steps;
  };
  void close(Now&);
  Wanted wanted_;
  std::vector<Place> places_;
  Bins bins_;
  std::vector<std::vector<Now>> now_;          // by unit, slot
  std::vector<std::array<uint64_t, 4>> taken_; // by unit, SIMD unit: places
  std::vector<WaveRecord> waves_;
  uint32_t every_ = 1;
  size_t steps_ = 0;
  uint64_t all_ = 0;
  std::vector<RowTimes> rows_;
  std::vector<Recording::Detailed> detailed_;
};

} // namespace crosslane::timing::replay
