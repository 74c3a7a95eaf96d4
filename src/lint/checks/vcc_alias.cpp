// One wait state is enough, so only the instruction directly before matters.
#include "lint/checks/vcc_alias.h"
#include "isa/classify.h"
#include "isa/op.h"
#include "lint/registers.h"
#include <fmt/format.h>

namespace crosslane::lint {

uint16_t VccAlias::pair(const Step& step) const { return launches_.of(step.block).vcc_pair(subject_.generation()); }

bool VccAlias::step(State& s, const Step& step) {
  const isa::Unit unit = step.facts.unit;
  const bool found = s.pc && (unit == isa::Unit::valu || unit == isa::Unit::branch) && clash(s, step);
  s.pc = 0, s.vcc = s.pair = s.valu = false, s.alias = 0;
  if (!step.facts.writes_scalar || (unit != isa::Unit::valu && unit != isa::Unit::salu) ||
      subject_.generation() < isa::Generation::gfx8)
    return found;
  const uint16_t alias = pair(step);
  if (!alias)
    return found;
  for (const Use& u : step.uses)
    if (u.written && u.first < slot::scc) {
      s.vcc |= u.overlaps(slot::vcc, slot::vcc + 2);
      s.pair |= u.overlaps(alias, uint16_t(alias + 2));
    }
  if (s.vcc || s.pair)
    s.pc = step.pc, s.valu = unit == isa::Unit::valu, s.alias = alias;
  return found;
}

bool VccAlias::join(State& into, const State& from) {
  if (into.pc || !from.pc)
    return false;
  into = from;
  return true;
}

// The use that comes too soon; null: none does.
const Use* VccAlias::clash(const State& s, const Step& step) const {
  const uint16_t alias = s.alias;
  for (const Use& u : step.uses) {
    if (!u.read || u.first >= isa::code::inline_int0 + 8u)
      continue;
    // Carry-in and the like are exempt.
    if (s.valu && step.facts.unit == isa::Unit::valu && u.role != isa::Role::mask && u.role != isa::Role::implicit &&
        ((s.vcc && !s.pair && u.overlaps(alias, uint16_t(alias + 2))) ||
         (s.pair && !s.vcc && u.overlaps(slot::vcc, slot::vcc + 2))))
      return &u;
    if (!s.valu && s.pair && !s.vcc && u.first == slot::vccz && step.facts.unit == isa::Unit::branch)
      return &u;
  }
  return nullptr;
}

void VccAlias::report(const State& s, const Step& step) {
  if (!s.pc || !clash(s, step))
    return;
  const std::string name(isa::mnemonic(step.op(), subject_.target()));
  const std::string numbers = register_name(subject_.generation(), s.alias, 2);
  Finding f{.rule = s.valu ? Rule::vcc_alias_valu : Rule::vccz_alias_branch,
            .severity = Severity::warning,
            .said = Said::manual,
            .pc = step.pc};
  f.message = s.valu
                  ? fmt::format("{} reads {} directly after {} was written, which is the same register by another name",
                                name, s.vcc ? numbers : "vcc", s.vcc ? "vcc" : numbers)
                  : fmt::format("{} branches directly after {} was written, where VCC is: VCCZ may be that of before",
                                name, numbers);
  f.notes.push_back({s.pc, fmt::format("{} written here", s.vcc ? "vcc" : numbers)});
  f.fix = Fix{Fix::Kind::insert, step.pc, "s_nop 0"};
  report_.findings.push_back(std::move(f));
}

} // namespace crosslane::lint
