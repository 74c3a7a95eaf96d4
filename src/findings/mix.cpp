// Instruction classes and their sums. The classes are those by which the hardware's counters count (SQ_INSTS_*): what
// matters is the unit that an instruction goes to, not what it computes.
#include "findings/derive.h"
#include "isa/classify.h"
#include <algorithm>

namespace crosslane::findings {

namespace {

constexpr int classes = static_cast<int>(InstructionClass::export_) + 1;

bool is_per_lane(InstructionClass c) {
  return c == InstructionClass::valu || c == InstructionClass::vmem || c == InstructionClass::flat ||
         c == InstructionClass::lds || c == InstructionClass::export_;
}

} // namespace

// The counters know no class of their own for what stays in the instruction buffer, nor for GDS.
InstructionClass class_of(const isa::Instruction& instruction) {
  switch (isa::unit(instruction)) {
  case isa::Unit::salu: return InstructionClass::salu;
  case isa::Unit::valu: return InstructionClass::valu;
  case isa::Unit::smem: return InstructionClass::smem;
  case isa::Unit::vmem: return InstructionClass::vmem;
  case isa::Unit::flat: return InstructionClass::flat;
  case isa::Unit::lds:
  case isa::Unit::gds: return InstructionClass::lds;
  case isa::Unit::export_: return InstructionClass::export_;
  case isa::Unit::branch: return InstructionClass::branch;
  case isa::Unit::message:
  case isa::Unit::internal: return InstructionClass::message;
  }
  return InstructionClass::valu;
}

const char* name_of(InstructionClass c) {
  switch (c) {
  case InstructionClass::valu: return "valu";
  case InstructionClass::salu: return "salu";
  case InstructionClass::vmem: return "vmem";
  case InstructionClass::flat: return "flat";
  case InstructionClass::smem: return "smem";
  case InstructionClass::lds: return "lds";
  case InstructionClass::branch: return "branch";
  case InstructionClass::message: return "message";
  case InstructionClass::export_: return "export";
  }
  return "";
}

void derive_mix(KernelProfile& kernel) {
  MixEntry sums[classes] = {};
  for (int c = 0; c < classes; ++c)
    sums[c].kind = InstructionClass(c);
  for (const ProfiledInstruction& i : kernel.instructions) {
    MixEntry& sum = sums[static_cast<int>(i.kind)];
    sum.wave_instructions += i.executions;
    if (i.active && is_per_lane(i.kind))
      sum.lanes = sum.lanes.value_or(0) + i.active->lanes();
  }
  kernel.mix.assign(sums, sums + classes);
  std::erase_if(kernel.mix, [](const MixEntry& m) { return m.wave_instructions == 0; });
  std::sort(kernel.mix.begin(), kernel.mix.end(), [](const MixEntry& a, const MixEntry& b) {
    return a.wave_instructions != b.wave_instructions ? a.wave_instructions > b.wave_instructions : a.kind < b.kind;
  });
}

} // namespace crosslane::findings
