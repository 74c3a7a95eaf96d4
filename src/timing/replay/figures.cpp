// Sums and names.
#include "timing/replay/figures.h"

namespace crosslane::timing::replay {

std::string_view name_of(Spent s) {
  switch (s) {
  case Spent::issue: return "ISSUE";
  case Spent::no_instruction: return "NO_INSTRUCTION_AVAILABLE";
  case Spent::dependency: return "ALU_DEPENDENCY";
  case Spent::waitcnt: return "WAITCNT";
  case Spent::internal: return "INTERNAL_INSTRUCTION";
  case Spent::barrier: return "BARRIER_WAIT";
  case Spent::not_win: return "ARBITER_NOT_WIN";
  case Spent::unit_full: return "ARBITER_WIN_EX_STALL";
  case Spent::sleep: return "SLEEP_WAIT";
  case Spent::other: return "OTHER_WAIT";
  }
  return "";
}

void UnitFigures::add(const UnitFigures& o) {
  for (size_t i = 0; i < issued.size(); ++i)
    issued[i] += o.issued[i], busy[i] += o.busy[i];
  address_busy += o.address_busy, lds_busy += o.lds_busy;
  l1_hits += o.l1_hits, l1_misses += o.l1_misses;
  scalar_hits += o.scalar_hits, scalar_misses += o.scalar_misses, code_misses += o.code_misses;
}

SpentCycles Figures::spent() const {
  SpentCycles sum{};
  for (const RowFigures& row : rows)
    for (size_t i = 0; i < spent_count; ++i)
      sum[i] += row.cycles[i];
  return sum;
}

} // namespace crosslane::timing::replay
