// What turns each mode on and off, and where it must not be on.
#include "lint/checks/modes.h"
#include "isa/classify.h"
#include "isa/flow.h"
#include "isa/inline_constant.h"
#include "isa/op.h"
#include <fmt/format.h>
#include <optional>

namespace crosslane::lint {

namespace {

using isa::FlowKind;
using isa::Op;

// Whether s_setvskip or s_setreg turns VSKIP on; none: it does not touch it. What only the wave knows may turn it on.
std::optional<bool> turns_skipping(const isa::Instruction& in) {
  if (in.op == Op::s_setvskip) {
    const auto value = isa::constant_source(in, in.src[0], isa::Type::U32),
               bit = isa::constant_source(in, in.src[1], isa::Type::U32);
    return !value || !bit || (*value >> (*bit & 31) & 1);
  }
  if (!analysis::writes_mode_bit(in, analysis::vskip_bit))
    return {};
  const unsigned offset = unsigned(in.imm) >> 6 & 31;
  return in.op != Op::s_setreg_imm32_b32 || (in.literal >> (analysis::vskip_bit - offset) & 1);
}

// Fresh code comes through 12 or 16 dwords of buffer.
unsigned nops_behind_invalidation(isa::Generation g) { return g >= isa::Generation::gfx9 ? 16 : 12; }

bool merge(uint64_t& into, uint64_t from) {
  if (into || !from)
    return false;
  into = from;
  return true;
}

} // namespace

std::string Modes::name(const Step& step) const { return std::string(isa::mnemonic(step.op(), subject_.target())); }

bool Modes::step(State& s, const Step& step) {
  const isa::Instruction& in = *step.instruction;
  const bool found = s.indexing || subject_.graph.skips_vectors || (s.nops && in.op != Op::s_nop) ||
                     (s.narrowed && without_lanes(step));
  if (subject_.graph.indexes_vgprs) {
    bool on = s.indexing != 0;
    const bool before = on;
    analysis::follow_indexing(in, on);
    if (on != before)
      s.indexing = on ? step.pc : 0;
  }
  if (subject_.graph.skips_vectors)
    if (const auto on = turns_skipping(in))
      s.skipping = *on ? (s.skipping ? s.skipping : step.pc) : 0;
  if (step.facts.writes_exec()) {
    const bool copy = in.op == Op::s_mov_b64 && in.src[0] == isa::code::inline_int0;
    const bool lanes = in.encoding == isa::Encoding::VOPC || isa::narrows_exec(in);
    if (!copy && !lanes)
      s.narrowed = 0;
    else if (!s.narrowed || !copy)
      s.narrowed = step.pc;
  }
  if (s.nops) {
    if (in.op == Op::s_nop)
      --s.nops;
    else
      s.nops = 0;
  }
  if (in.op == Op::s_icache_inv)
    s.nops = uint8_t(nops_behind_invalidation(subject_.generation())), s.invalidated = step.pc;
  return found;
}

bool Modes::join(State& into, const State& from) {
  bool changed = merge(into.indexing, from.indexing);
  changed |= merge(into.skipping, from.skipping);
  changed |= merge(into.narrowed, from.narrowed);
  // A block begins behind a branch, or what leads on to it counts; the most that is still needed.
  if (from.nops > into.nops)
    into.nops = from.nops, into.invalidated = from.invalidated, changed = true;
  return changed;
}

bool Modes::edge(State& s, const Step& last, const analysis::Edge& e) {
  const isa::Flow flow = isa::flow(*last.instruction);
  if (e.kind != analysis::EdgeKind::fall_through)
    s.nops = 0;
  if (flow.kind != FlowKind::branch)
    return true;
  const bool taken = e.kind == analysis::EdgeKind::branch;
  const bool looked = flow.condition == isa::Condition::execz || flow.condition == isa::Condition::execnz;
  if (looked) {
    // Where lanes were not left out before, compilers use it as a branch that is never taken.
    const bool empty = (flow.condition == isa::Condition::execz) == taken;
    if (!empty)
      s.narrowed = 0;
  }
  return true;
}

void Modes::report(const State& s, const Step& step) {
  const isa::Instruction& in = *step.instruction;
  const isa::Flow flow = isa::flow(in);
  if (s.indexing || s.skipping) {
    const bool leaves = flow.kind == FlowKind::call || flow.kind == FlowKind::jump || flow.kind == FlowKind::end ||
                        flow.kind == FlowKind::trap || in.op == Op::s_barrier;
    const auto tell = [&](Rule rule, uint64_t set, std::string message, std::string fix) {
      Finding f{.rule = rule, .severity = Severity::warning, .said = Said::manual, .pc = step.pc};
      f.message = std::move(message);
      f.notes.push_back({set, "turned on here"});
      f.fix = Fix{Fix::Kind::insert, step.pc, std::move(fix)};
      report_.findings.push_back(std::move(f));
    };
    if (leaves && s.indexing)
      tell(Rule::gpr_index, s.indexing,
           fmt::format("VGPR indexing is still on at {}: what vector instructions mean hangs on M0", name(step)),
           "s_set_gpr_idx_off");
    if (leaves && s.skipping)
      tell(Rule::vskip, s.skipping,
           fmt::format("VSKIP may still be on at {}: vector instructions do nothing", name(step)), "s_setvskip 0, 0");
  }
  if (subject_.graph.skips_vectors && !s.skipping)
    if (const auto on = turns_skipping(in); on && *on)
      report_.not_judged.push_back({step.pc, "what runs with VSKIP on from here: vector instructions may be skipped"});
  if (s.narrowed)
    exec_may_be_empty(s, step);
  if (s.nops && in.op != Op::s_nop && flow.kind == FlowKind::next) {
    const unsigned needed = nops_behind_invalidation(subject_.generation());
    Finding f{.rule = Rule::icache_inv, .severity = Severity::warning, .said = Said::manual, .pc = step.pc};
    f.message = fmt::format("{} comes {} s_nop behind s_icache_inv; {} needs {} of them, or a branch", name(step),
                            needed - s.nops, isa::info(subject_.target()).name, needed);
    f.notes.push_back({s.invalidated, "instruction cache invalidated here"});
    report_.findings.push_back(std::move(f));
  }
}

// What the instruction does all the same; null: nothing.
const char* Modes::without_lanes(const Step& step) {
  if (step.op() == Op::v_readfirstlane_b32)
    return "takes lane 0 then, whatever that holds";
  if (step.op() == Op::s_sendmsg)
    return "is sent all the same";
  if (step.facts.unit == isa::Unit::smem && isa::memory_use(*step.instruction).stores)
    return "writes all the same";
  return nullptr;
}

void Modes::exec_may_be_empty(const State& s, const Step& step) {
  const char* what = without_lanes(step);
  if (!what)
    return;
  Finding f{.rule = Rule::exec_zero, .severity = Severity::warning, .said = Said::manual | Said::llvm, .pc = step.pc};
  f.message = fmt::format("{} where EXEC may have no lanes: it {}", name(step), what);
  f.notes.push_back({s.narrowed, "lanes left out here, and no s_cbranch_execz since"});
  report_.findings.push_back(std::move(f));
}

} // namespace crosslane::lint
