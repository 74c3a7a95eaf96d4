// Sums of instructions by source line.
#include "findings/derive.h"
#include <map>

namespace crosslane::findings {

namespace {

void add(ProfiledLine& line, const ProfiledInstruction& i) {
  line.executions += i.executions;
  if (i.active)
    line.lanes += i.active->lanes();
  line.lost_lane_cycles += i.lost_lane_cycles;
  for (const auto& site : i.memory) {
    if (site.space == events::Space::scalar) // has a cache of its own
      continue;
    line.lines += site.counts.lines;
    line.ideal_lines += site.counts.ideal_lines;
    line.excess_lines += site.counts.excess_lines();
  }
  if (i.lds) {
    line.lds_cycles += i.lds->counts.cycles;
    line.conflict_cycles += i.lds->counts.conflict_cycles();
  }
  if (i.branch) {
    line.branches += i.branch->counts.executions;
    line.divergences += i.branch->counts.divergences();
  }
}

} // namespace

void derive_lines(KernelProfile& k) {
  std::map<std::pair<int, uint32_t>, ProfiledLine> lines;
  for (size_t i = 0; i < k.instructions.size(); ++i) {
    const auto& instruction = k.instructions[i];
    // Line 0 is the compiler's own code, which belongs to no line.
    if (!instruction.source.known() || instruction.source.line == 0)
      continue;
    auto& line = lines[{instruction.source.file, instruction.source.line}];
    line.source = {instruction.source.file, instruction.source.line, 0};
    line.instructions.push_back(static_cast<int>(i));
    add(line, instruction);
  }
  k.lines.clear();
  for (auto& [key, line] : lines)
    k.lines.push_back(std::move(line));
}

} // namespace crosslane::findings
