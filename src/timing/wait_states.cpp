// Rows of hazards against what came before in the block, the nearest first.
#include "timing/wait_states.h"
#include "isa/matrix.h"
#include "isa/op.h"
#include <algorithm>

namespace crosslane::timing {

namespace {

namespace hazards = isa::hazards;
using hazards::Hazard;
using hazards::Relation;

// That any row asks for.
size_t longest() {
  static const int most =
      std::ranges::max(hazards::all(), {}, [](const Hazard& h) { return h.states.count; }).states.count;
  return size_t(most);
}

bool takes(const hazards::Which& which, const isa::Operand& o) {
  return which.takes(hazards::registers_of(o), o.role, o.read, o.written);
}

bool overlap(const isa::Operand& a, const isa::Operand& b) {
  return a.file == b.file && a.first < b.first + b.dwords && b.first < a.first + a.dwords;
}

bool is_acc(const isa::Instruction& i) {
  return i.op == isa::Op::v_accvgpr_read_b32 || i.op == isa::Op::v_accvgpr_write_b32;
}

} // namespace

bool WaitStates::concerns(const Hazard& h, size_t first, const Before& second) const {
  const Before& one = before_[first];
  if (h.relation == Relation::always)
    return true;
  const bool same_op = one.instruction.op == second.instruction.op;
  if ((h.relation == Relation::same_op && !same_op) || (h.relation == Relation::other_op && same_op) ||
      (h.relation == Relation::behind_acc && !is_acc(before_.back().instruction)))
    return false;
  if (h.relation == Relation::past_dgemm &&
      std::none_of(before_.begin() + long(first) + 1, before_.end(),
                   [](const Before& b) { return isa::matrix(b.instruction.op).item == isa::MatrixItem::f64; }))
    return false;
  for (const isa::Operand& a : one.operands)
    for (const isa::Operand& b : second.operands) {
      if (!takes(h.which_of_first, a) || !takes(h.which_of_second, b) || !overlap(a, b))
        continue;
      const bool same = a.first == b.first && a.dwords == b.dwords;
      if ((h.relation == Relation::not_same && same) || (h.relation == Relation::same && !same))
        continue;
      // Something else wrote it meanwhile.
      const uint16_t number = std::max(a.first, b.first);
      if (h.which_of_first.written &&
          std::any_of(before_.begin() + long(first) + 1, before_.end(),
                      [&](const Before& between) { return between.operands.overwrites(a.file, number); }))
        continue;
      return true;
    }
  return false;
}

uint32_t WaitStates::missing(const isa::Instruction& i) {
  const isa::Generation g = isa::info(i.target).generation;
  const Before now{i, isa::operands(i), hazards::kinds_of(i), hazards::wait_states(i)};
  int most = 0;
  for (const Hazard& h : hazards::all()) {
    if (!h.on(g) || h.severity > hazards::Severity::warning || !now.kinds.has(h.second))
      continue;
    int passed = 0;
    for (size_t n = before_.size(); n-- > 0 && h.states.count - passed > most;) {
      if (before_[n].kinds.has(h.first) && concerns(h, n, now))
        most = h.states.count - passed;
      passed += before_[n].states;
    }
  }
  before_.push_back(now);
  if (before_.size() > longest())
    before_.pop_front();
  return uint32_t(most);
}

} // namespace crosslane::timing
