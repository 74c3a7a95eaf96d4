// Owns what the record of a wave says (rewrite/plan.h): executions, decisions, work-items and times from its counters.
#pragma once
#include "rewrite/plan.h"
#include "views/branches.h"

namespace crosslane::rewrite {

// How long one wave ran: readings of s_memtime.
struct WaveTime {
  uint64_t begin = 0, end = 0;
  uint32_t hw_id = 0; // HW_REG_HW_ID: bits 3:0 wave, 5:4 SIMD unit, 11:8 CU, 12 SH, 14:13 SE
  struct Loop {
    uint64_t cycles = 0, entries = 0;
  };
  std::vector<Loop> loops; // of TimePlan::loops
};

class RecordReader {
public:
  explicit RecordReader(const KernelPlan&); // which must outlive it

  // The counters of a record, powers of 5 as what they count.
  void read(std::span<const uint32_t> record, std::span<uint64_t> counters) const;

  // Of sites and blocks: `counters` are one wave's, or the sums of those of `waves`.
  struct Executions {
    std::vector<views::BranchCounts> sites; // of KernelPlan::sites; lanes are not counted
    std::vector<uint64_t> blocks;           // of KernelPlan::counted
  };
  Executions executions(std::span<const uint64_t> counters, uint64_t waves) const;

  // One wave's. There is a LanesPlan, a TimePlan.
  // Adds work-items to those of LanesPlan::runs, a wave's being modulo 2^32.
  void add_lanes(std::span<const uint64_t> counters, std::span<uint64_t> runs);
  WaveTime time(std::span<const uint64_t> counters) const;

private:
  const KernelPlan& plan_;
  EdgeSolver graph_;
  std::optional<EdgeSolver> lanes_;
  std::vector<uint64_t> edges_, nodes_; // of add_lanes()
};

} // namespace crosslane::rewrite
