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

void Steps::decode(const Subject& subject, const analysis::Part& part, const std::vector<bool>& indexed) {
  first_.clear(), first_use_.clear(), pc_.clear(), block_.clear(), instructions_.clear(), uses_.clear();
  for (const analysis::BlockId b : subject.graph.blocks_of(part)) {
    first_.push_back(uint32_t(pc_.size()));
    bool on = !indexed.empty() && indexed[b];
    analysis::each_instruction(subject.code(), subject.graph.blocks[b], [&](uint64_t pc, const isa::Instruction& in) {
      pc_.push_back(pc), block_.push_back(b), instructions_.push_back(in);
      first_use_.push_back(uint32_t(uses_.size()));
      append_uses(in, on, uses_);
      if (subject.graph.indexes_vgprs)
        analysis::follow_indexing(in, on);
    });
  }
  first_.push_back(uint32_t(pc_.size()));
  first_use_.push_back(uint32_t(uses_.size()));
}

} // namespace crosslane::lint
