// Owns what the counters of an instrumented kernel mean: which of them count edges of its graph, which count lanes'
// decisions, and how executions, agreements and divergences follow. Written into the code object by who instruments it,
// and read by who has run it (docs/instrumentation.md, "Records").
#pragma once
#include "rewrite/edge_counts.h"
#include <llvm/Support/Error.h>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace crosslane::rewrite {

// A place where lanes may part, or a wave decides (isa/divergence.h).
struct PlannedSite {
  uint64_t address = 0; // in the code object as it was
  bool per_lane = false;
  uint32_t node = 0; // of the graph: how often it ran
  // Executions in which some lane's condition held, failed, and with any lane at all. Counters; or an edge for the
  // first. always: as often as it ran; never: not once.
  static constexpr int32_t always = -1, never = -2;
  int32_t some_hold = always, some_hold_edge = always, some_fail = always, any = always;
};

struct PlannedBlock {
  uint64_t begin = 0; // in the code object as it was
  uint32_t instructions = 0;
  uint32_t node = 0;
};

// Instructions under one EXEC.
struct LaneRun {
  uint64_t begin = 0; // in the code object as it was
  uint32_t instructions = 0;
  uint32_t node = 0;
};
struct LanesPlan {
  EdgeCounts graph;          // of lanes
  std::vector<LaneRun> runs; // by address
};

// A natural loop. Counters of 64 bits are two dwords, the lower one first.
struct TimedLoop {
  uint64_t address = 0; // of its header, in the code object as it was
  uint32_t depth = 1;
  uint32_t cycles = 0;  // the first counter of the time in it, that in inner loops and in what it calls included
  uint32_t entries = 0; // counter
};

struct TimePlan {
  uint32_t begin = 0, end = 0; // the first counters of s_memtime where the wave began and ended
  uint32_t hw_id = 0;          // counter: HW_REG_HW_ID
  std::vector<TimedLoop> loops;
};

// A user's probe at one place: `UserPlan::counters` of them from `first` on.
struct PlannedPlace {
  std::string kind;                 // as --at names it
  uint64_t address = 0, target = 0; // in the code object as it was; of an edge both ends, else 0
  uint32_t first = 0;
};

struct UserPlan {
  std::string name; // of the file
  uint32_t counters = 0;
  std::vector<PlannedPlace> places;
  uint32_t left_out = 0; // places without what the probe asks for
};

// An access whose addresses are traced, and from how many VGPRs they follow.
struct TracedAccess {
  uint64_t address = 0; // in the code object as it was
  uint8_t vectors = 0;
};
// An entry of the trace: 16 dwords - the number of the access in `places`, EXEC (two), SGPRs as
// rewrite/lane_addresses.h has them - and 64 of each VGPR, those of EXEC's lanes. The first number that is none ends
// it.
struct MemoryPlan {
  uint32_t accesses = 0; // counter: all of them
  uint32_t first = 0;    // byte of the record where the trace begins
  std::vector<TracedAccess> places;
  std::vector<uint64_t> untraced; // accesses of which nothing is known, by address
};
constexpr uint32_t traced_bytes(uint8_t vectors) { return 64 + 256u * vectors; }

struct KernelPlan {
  std::string kernel;                    // symbol of the function
  std::string control;                   // symbol of its Control
  uint32_t counters = 0;                 // dwords of a record
  uint32_t record_bytes = 0;             // from one record to the next, a power of two
  std::vector<uint32_t> powers;          // counters that are 5 to the power of what they count, modulo 2^32
  bool branches = false, blocks = false; // what was asked for
  uint64_t calls_to_old = 0;             // through pointers: what they lead to runs without probes
  bool only_saveexec = false;            // of branches those behind s_*_saveexec_b64, and these
  EdgeCounts graph;
  std::vector<PlannedSite> sites;    // by address
  std::vector<PlannedBlock> counted; // by address
  std::optional<LanesPlan> lanes;    // what was not asked for is not there
  std::optional<TimePlan> time;
  std::optional<UserPlan> user;
  std::optional<MemoryPlan> memory;
};

// What the host tells the kernel's waves, at the symbol KernelPlan::control; all zero: nothing is recorded. Behind it
// lie 32 bytes of zeros. Numbers are bytes, modulo 2^32; groups[1] is 0 only if grid and workgroups have one dimension,
// groups[2] only if they have no more than two. The record of a wave is at groups[0] * (number of its workgroup in x) +
// groups[1] * (in y) + groups[2] * (in z) + KernelPlan::record_bytes * (its wave's number, by the ids of its first
// work-item: (x + items[0] * y + items[1] * z) / 64).
struct Control {
  uint64_t records = 0; // address of the first one, in memory that the GPU reaches
  uint32_t bytes = 0;   // of all of them
  uint32_t groups[3] = {0, 0, 0};
  uint32_t items[2] = {0, 0}; // of a workgroup, in x; in x times y
};
static_assert(sizeof(Control) == 32);
struct Plan {
  static constexpr int version = 3;
  std::vector<KernelPlan> kernels;
  const KernelPlan* find(std::string_view kernel) const;
};

std::vector<uint8_t> to_note(const Plan&);
llvm::Expected<Plan> from_note(std::span<const uint8_t>, std::string_view name);

} // namespace crosslane::rewrite
