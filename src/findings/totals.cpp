// One pass over the instructions.
#include "findings/totals.h"
#include "timing/issue_cycles.h"

namespace crosslane::findings {

double lane_cycles(const isa::Instruction& instruction) { return timing::issue_cycles(instruction) / 4.0; }

Totals totals(const KernelProfile& kernel) {
  Totals t;
  for (const auto& i : kernel.instructions) {
    if (i.active) {
      t.active = true;
      t.lane_cycles += static_cast<double>(i.active->executions()) * 64 * lane_cycles(i.instruction);
      t.lost_lane_cycles += i.lost_lane_cycles;
      t.lost_to_partial_waves += i.lost_to_partial_waves;
      if (i.kind == InstructionClass::valu || i.kind == InstructionClass::vmem || i.kind == InstructionClass::flat ||
          i.kind == InstructionClass::lds) {
        t.vector_instructions += i.active->executions();
        t.vector_lanes += i.active->lanes();
      }
    }
    for (const auto& site : i.memory) {
      if (site.space == events::Space::scalar)
        continue;
      const auto& c = site.counts;
      t.memory = true;
      t.requests += c.requests;
      t.lines += c.lines;
      t.ideal_lines += c.ideal_lines;
      t.excess_lines += c.excess_lines();
      t.bytes_asked += c.bytes_asked;
      t.bytes_moved += c.bytes_moved;
      t.l2_operations += c.l2_operations;
      t.clocks += c.clocks;
      t.ideal_clocks += c.ideal_clocks;
      t.memory_lanes += c.lanes;
    }
    if (i.lds) {
      t.lds = true;
      t.lds_accesses += i.lds->counts.accesses;
      t.lds_cycles += i.lds->counts.cycles;
      t.conflict_cycles += i.lds->counts.conflict_cycles();
    }
    if (i.branch && i.branch->per_lane) {
      t.branches += i.branch->counts.executions;
      t.divergences += i.branch->counts.divergences();
    }
  }
  return t;
}

} // namespace crosslane::findings
