// Which branches waves go differently, by counting out the comparison for each wave; and whether a barrier is on one
// side alone.
#include "lint/checks/barrier.h"
#include "isa/flow.h"
#include "isa/inline_constant.h"
#include "isa/op.h"
#include <algorithm>

namespace crosslane::lint {

namespace {

using analysis::BlockId;
using isa::Op;

constexpr uint32_t wave = 64;

// Whether a lane with this id has its bit set.
bool holds(Op op, uint32_t a, uint32_t b) {
  switch (op) {
  case Op::v_cmp_lt_u32: return a < b;
  case Op::v_cmp_le_u32: return a <= b;
  case Op::v_cmp_gt_u32: return a > b;
  case Op::v_cmp_ge_u32: return a >= b;
  case Op::v_cmp_eq_u32: return a == b;
  case Op::v_cmp_ne_u32: return a != b;
  default: return false;
  }
}
bool compares(Op op) {
  return op == Op::v_cmp_lt_u32 || op == Op::v_cmp_le_u32 || op == Op::v_cmp_gt_u32 || op == Op::v_cmp_ge_u32 ||
         op == Op::v_cmp_eq_u32 || op == Op::v_cmp_ne_u32;
}

} // namespace

// Work-items of a workgroup that has one row; 0: not known.
uint32_t Barriers::row_of_items(BlockId block) const {
  uint32_t items = 0;
  for (const codeobject::Kernel* k : launches_.of(block).kernels) {
    const uint32_t* size = k->reqd_workgroup_size;
    if (!size[0] || size[1] != 1 || size[2] != 1 || (items && items != size[0]))
      return 0;
    items = size[0];
  }
  return items;
}

Barriers::State Barriers::enter(const analysis::Function& function) {
  State s;
  if (function.kernel && row_of_items(function.block) > wave)
    s.ids.set(0); // of gfx90a, too: the other ids, which are packed with it, are 0 in a row
  return s;
}

void Barriers::look(const Step& step) {
  if (step.op() == Op::s_barrier)
    barriers_.emplace_back(step.block, step.pc);
}

bool Barriers::step(State& s, const Step& step) {
  const bool found = s.mask && step.facts.unit == isa::Unit::branch;
  if (!s.mask && s.ids.none())
    return found;
  const isa::Instruction& in = *step.instruction;
  const bool compare = compares(in.op) && (in.form == isa::Form::base || in.form == isa::Form::vop3);
  ById made;
  if (compare && !s.exec)
    for (const int n : {0, 1}) {
      const auto value = isa::constant_source(in, in.src[n], isa::Type::U32);
      const uint16_t other = in.src[1 - n];
      if (value && isa::is_vgpr(other) && s.ids.test(other - isa::code::vgpr0) && in.dst < slot::exec)
        made.mask = 1, made.pair = uint8_t(in.dst), made.pc = step.pc, made.op = in.op, made.value = uint32_t(*value),
        made.constant_first = n == 0;
    }
  const bool copy = in.op == Op::v_mov_b32 && in.form == isa::Form::base && isa::is_vgpr(in.src[0]) &&
                    s.ids.test(in.src[0] - isa::code::vgpr0) && !s.exec;
  const bool narrows = in.op == Op::s_and_saveexec_b64 && s.mask && !s.exec && in.src[0] == s.pair && in.dst != s.pair;
  for (const Use& u : step.uses) {
    if (!u.written)
      continue;
    for (unsigned r = u.first; r < u.end(); ++r)
      if (r >= slot::vgpr && r < slot::accvgpr)
        s.ids.reset(r - slot::vgpr);
    if (s.mask && u.overlaps(s.pair, uint16_t(s.pair + 2)))
      s.mask = 0;
    if (s.exec && u.overlaps(slot::exec, slot::exec + 2))
      s.exec = false, s.mask = 0;
  }
  if (copy)
    s.ids.set(in.dst - isa::code::vgpr0);
  if (narrows)
    s.exec = true;
  if (made.mask) {
    made.ids = s.ids;
    s = made;
  }
  return found;
}

bool Barriers::join(State& into, const State& from) {
  const auto both = into.ids & from.ids;
  bool changed = both != into.ids;
  into.ids = both;
  if (into.mask && !(from.mask && from.pc == into.pc && from.exec == into.exec))
    into.mask = 0, into.exec = false, changed = true;
  return changed;
}

// Whether some waves have lanes and others have none.
bool Barriers::differs(const State& s, uint32_t items) const {
  bool some = false, none = false;
  for (uint32_t first = 0; first < items; first += wave) {
    bool any = false;
    for (uint32_t id = first; id < std::min(first + wave, items); ++id)
      any |= s.constant_first ? holds(s.op, s.value, id) : holds(s.op, id, s.value);
    (any ? some : none) = true;
  }
  return some && none;
}

void Barriers::report(const State& s, const Step& step) {
  if (!s.mask)
    return;
  const isa::Flow flow = isa::flow(*step.instruction);
  if (flow.kind != isa::FlowKind::branch)
    return;
  const bool by_exec = flow.condition == isa::Condition::execz || flow.condition == isa::Condition::execnz;
  const bool by_vcc = flow.condition == isa::Condition::vccz || flow.condition == isa::Condition::vccnz;
  const uint32_t items = row_of_items(step.block);
  if (items > wave && ((by_exec && s.exec) || (by_vcc && s.pair == slot::vcc)) && differs(s, items))
    branches_.push_back({step.block, step.pc, s.pc});
}

// A barrier that every way between has; 0: none.
uint64_t Barriers::unavoidable(BlockId from, BlockId to) const {
  const auto& graph = subject_.graph;
  std::vector<BlockId> work, seen;
  const auto reaches = [&](BlockId without) {
    work.clear(), seen.clear();
    if (from == without)
      return false;
    work.push_back(from), seen.push_back(from);
    while (!work.empty()) {
      const BlockId b = work.back();
      work.pop_back();
      if (b == to)
        return true;
      for (const analysis::Edge& e : graph.successors(b))
        if (e.to != without && std::ranges::find(seen, e.to) == seen.end()) {
          if (seen.size() > 200)
            return true; // too far to be sure
          seen.push_back(e.to), work.push_back(e.to);
        }
    }
    return false;
  };
  if (from == to || !reaches(analysis::none))
    return 0;
  for (const auto& [block, pc] : barriers_)
    if (block != to && graph.blocks[block].part == graph.blocks[from].part && !reaches(block))
      return pc;
  return 0;
}

void Barriers::finish() {
  const auto& graph = subject_.graph;
  for (const Branch& branch : branches_) {
    const auto next = graph.successors(branch.block);
    if (barriers_.empty() || next.size() != 2)
      continue;
    for (const int n : {0, 1}) {
      const uint64_t pc = unavoidable(next[n].to, next[1 - n].to);
      if (!pc)
        continue;
      Finding f{.rule = Rule::barrier_divergent, .severity = Severity::warning, .said = Said::manual, .pc = pc};
      f.message = "some waves of the workgroup go around s_barrier: those that wait there meet the others at another "
                  "one, or at their end";
      f.notes.push_back({branch.compared, "waves differ in this comparison of their work-items' ids"});
      f.notes.push_back({branch.pc, "those without lanes go another way here"});
      report_.findings.push_back(std::move(f));
    }
  }
}

} // namespace crosslane::lint
