// Owns adding up what the waves of an instrumented kernel recorded (rewrite/plan.h), dispatch by dispatch.
#pragma once
#include "rewrite/record_reader.h"
#include <array>
#include <map>
#include <utility>

namespace crosslane::rewrite {

// A dispatch, as its packet says it: work-items of the grid and of a workgroup that is not cut off by the grid's end.
struct Grid {
  uint32_t items[3] = {1, 1, 1}, workgroup[3] = {1, 1, 1};
  uint32_t groups(int dimension) const {
    return uint32_t((uint64_t(items[dimension]) + workgroup[dimension] - 1) / workgroup[dimension]);
  }
};
// Bytes of all records; none: more than can be addressed.
std::optional<uint64_t> bytes_of_records(const KernelPlan&, const Grid&);
Control control_for(const KernelPlan&, uint64_t records, const Grid&);
// What the memory of records is filled with before a dispatch, so that it shows which waves came to no end.
inline constexpr uint8_t no_record = 0xff;
// That again, where waves of a dispatch may have written.
void erase(const KernelPlan&, const Grid&, std::span<uint8_t> records);

class Tally {
public:
  // `per_wave`: keep what each wave counted, too. The plan must outlive it.
  Tally(const KernelPlan&, bool per_wave);
  void add(const Grid&, std::span<const uint8_t> records);

  struct OfWave {
    uint32_t workgroup[3], wave;
    uint32_t site; // of KernelPlan::sites
    views::BranchCounts counts;
  };
  const KernelPlan& plan() const { return plan_; }
  // Of all waves together, made when it is asked for.
  std::vector<views::BranchCounts> sites() const { return executions().sites; } // of KernelPlan::sites
  std::vector<uint64_t> blocks() const { return executions().blocks; }          // executions, of KernelPlan::counted
  // Work-items, summed over executions, of LanesPlan::runs; empty without.
  const std::vector<uint64_t>& lanes() const { return lanes_; }
  // Of all waves, by TimePlan::loops; empty without.
  const std::vector<WaveTime::Loop>& loops() const { return loops_; }
  // Sums of UserPlan::places' counters, one place after the other; empty without.
  std::vector<uint64_t> user() const;
  struct TimedWave {
    uint32_t workgroup[3], wave;
    WaveTime time;
  };
  const std::vector<TimedWave>& timed() const { return timed_; } // in the order of workgroups, dispatch by dispatch
  // What waves traced, in the order of workgroups, dispatch by dispatch; empty without.
  struct TracedWave {
    uint32_t workgroup[3], wave;
    uint64_t accesses;           // in all
    std::vector<uint32_t> words; // of whole entries (MemoryPlan)
  };
  const std::vector<TracedWave>& traced() const { return traced_; }
  // The same, and it forgets them.
  std::vector<TracedWave> take_traced() { return std::exchange(traced_, {}); }
  // Sites that ran, over all dispatches: by workgroup (z, y, x), wave, site.
  std::vector<OfWave> waves() const;
  uint64_t recorded() const { return recorded_; } // waves
  uint64_t expected() const { return expected_; }

private:
  RecordReader::Executions executions() const { return reader_.executions(sums_, recorded_); }
  void add_wave(const uint32_t (&group)[3], uint32_t wave, std::span<const uint8_t> record);

  const KernelPlan& plan_;
  const bool per_wave_;
  RecordReader reader_;
  std::vector<uint64_t> sums_;     // of counters, of all waves
  std::vector<uint32_t> record_;   // a wave's counters, as they are
  std::vector<uint64_t> counters_; // and as what they count
  std::vector<uint64_t> lanes_;
  std::map<std::array<uint32_t, 5>, views::BranchCounts> waves_; // z, y, x, wave, site
  std::vector<WaveTime::Loop> loops_;
  std::vector<TimedWave> timed_;
  std::vector<TracedWave> traced_;
  uint64_t recorded_ = 0, expected_ = 0;
};

} // namespace crosslane::rewrite
