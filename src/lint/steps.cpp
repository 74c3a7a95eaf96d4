// isa::operands() of each instruction, packed.
#include "lint/steps.h"

namespace crosslane::lint {

namespace {

uint16_t slot_of(const isa::Operand& o) {
  switch (o.file) {
  case isa::RegisterFile::scalar: return uint16_t(slot::scalar + o.first);
  case isa::RegisterFile::vgpr: return uint16_t(slot::vgpr + o.first);
  case isa::RegisterFile::agpr: return uint16_t(slot::accvgpr + o.first);
  case isa::RegisterFile::special: break;
  }
  if (o.first >= isa::special::hwreg0)
    return uint16_t(slot::hwreg + o.first - isa::special::hwreg0);
  return uint16_t(slot::scc + o.first); // scc, vccz, execz, lds_direct
}
static_assert(isa::special::vccz == 1 && isa::special::execz == 2 && isa::special::lds_direct == 3);

} // namespace

void append_uses(const isa::Instruction& in, bool indexed, std::vector<Use>& uses) {
  for (const isa::Operand& o : isa::operands(in, indexed ? isa::Indexing{true, true, true, true} : isa::Indexing{})) {
    Use u;
    u.first = slot_of(o), u.count = o.dwords, u.role = o.role, u.registers = isa::hazards::registers_of(o),
    u.bits = o.bits;
    u.read = o.read, u.written = o.written, u.partial = o.partial, u.masked = o.masked;
    u.exact = o.extent == isa::Extent::exact, u.indexed = o.extent == isa::Extent::indexed;
    uses.push_back(u);
  }
}

Facts facts_of(const isa::Instruction& in, std::span<const Use> uses) {
  Facts f;
  f.kinds = isa::hazards::kinds_of(in), f.unit = isa::unit(in);
  for (const Use& u : uses) {
    f.read = u.read ? f.read | u.registers : f.read;
    f.written = u.written ? f.written | u.registers : f.written;
    f.writes_scalar |= u.written && u.first < slot::scc;
  }
  return f;
}

void Steps::decode(const Subject& subject, const analysis::Part& part, const std::vector<bool>& indexed) {
  first_.clear(), steps_.clear(), instructions_.clear(), uses_.clear();
  for (const analysis::BlockId b : subject.graph.blocks_of(part)) {
    first_.push_back(uint32_t(steps_.size()));
    bool on = !indexed.empty() && indexed[b];
    analysis::each_instruction(subject.code(), subject.graph.blocks[b], [&](uint64_t pc, const isa::Instruction& in) {
      const size_t before = uses_.size();
      append_uses(in, on, uses_);
      const std::span<const Use> uses = std::span<const Use>(uses_).subspan(before);
      instructions_.push_back(in);
      steps_.push_back({.pc = pc, .uses = uses, .block = b, .facts = facts_of(in, uses)});
      if (subject.graph.indexes_vgprs)
        analysis::follow_indexing(in, on);
    });
  }
  first_.push_back(uint32_t(steps_.size()));
  const Use* use = uses_.data(); // nothing moves any more
  for (size_t n = 0; n < steps_.size(); ++n) {
    Step& step = steps_[n];
    step.instruction = &instructions_[n];
    step.uses = {use, step.uses.size()};
    use += step.uses.size();
  }
}

} // namespace crosslane::lint
