// One wait state is enough, so only the instruction directly before matters.
#include "lint/checks/vcc_alias.h"
#include "isa/classify.h"
#include "isa/op.h"
#include "lint/registers.h"
#include <fmt/format.h>

namespace crosslane::lint {

uint16_t VccAlias::pair(const Step& step) const { return launches_.of(step.block).vcc_pair(subject_.generation()); }

void VccAlias::step(State& s, const Step& step) {
  s = {};
  if (subject_.generation() < isa::Generation::gfx8 || step.instruction->encoding == isa::Encoding::SMEM)
    return;
  bool any = false;
  for (const Use& u : step.uses)
    any |= u.written && u.first < slot::scc;
  if (!any)
    return;
  const uint16_t alias = pair(step);
  const isa::Unit unit = isa::unit(*step.instruction);
  if (!alias || (unit != isa::Unit::valu && unit != isa::Unit::salu))
    return;
  for (const Use& u : step.uses)
    if (u.written && u.first < slot::scc) {
      s.vcc |= u.overlaps(slot::vcc, slot::vcc + 2);
      s.pair |= u.overlaps(alias, uint16_t(alias + 2));
    }
  if (s.vcc || s.pair)
    s.pc = step.pc, s.valu = unit == isa::Unit::valu;
}

bool VccAlias::join(State& into, const State& from) {
  if (into.pc || !from.pc)
    return false;
  into = from;
  return true;
}

void VccAlias::report(const State& s, const Step& step) {
  if (!s.pc)
    return;
  const uint16_t alias = pair(step);
  const isa::Unit unit = isa::unit(*step.instruction);
  const auto tell = [&](Rule rule, std::string message) {
    Finding f{.rule = rule, .severity = Severity::warning, .said = Said::manual, .pc = step.pc};
    f.message = std::move(message);
    f.notes.push_back(
        {s.pc, fmt::format("{} written here", s.vcc ? "vcc" : register_name(subject_.generation(), alias, 2))});
    f.fix = Fix{Fix::Kind::insert, step.pc, "s_nop 0"};
    report_.findings.push_back(std::move(f));
  };
  const std::string name(isa::mnemonic(step.op(), subject_.target()));
  const std::string numbers = alias ? register_name(subject_.generation(), alias, 2) : "";
  for (const Use& u : step.uses) {
    if (!u.read || u.first >= isa::code::inline_int0 + 8u)
      continue;
    // Carry-in and the like are exempt.
    if (s.valu && unit == isa::Unit::valu && u.role != isa::Role::mask && u.role != isa::Role::implicit &&
        ((s.vcc && !s.pair && u.overlaps(alias, uint16_t(alias + 2))) ||
         (s.pair && !s.vcc && u.overlaps(slot::vcc, slot::vcc + 2)))) {
      tell(Rule::vcc_alias_valu,
           fmt::format("{} reads {} directly after {} was written, which is the same register by another name", name,
                       s.vcc ? numbers : "vcc", s.vcc ? "vcc" : numbers));
      return;
    }
    if (!s.valu && s.pair && !s.vcc && u.first == slot::vccz && isa::unit(*step.instruction) == isa::Unit::branch) {
      tell(Rule::vccz_alias_branch,
           fmt::format("{} branches directly after {} was written, where VCC is: VCCZ may be that of before", name,
                       numbers));
      return;
    }
  }
}

} // namespace crosslane::lint
