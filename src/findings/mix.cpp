// Instruction classes and their sums. The classes are those by which the hardware's counters count (SQ_INSTS_*): what
// matters is the unit that an instruction goes to, not what it computes.
#include "findings/derive.h"
#include "isa/op.h"
#include <algorithm>

namespace crosslane::findings {

namespace {

constexpr int classes = static_cast<int>(InstructionClass::export_) + 1;

// SOPP that stays in the instruction buffer or talks to others: waits, barriers, messages, sleep, the end of the wave.
// What changes the flow is a branch, what changes MODE and M0 (s_set_gpr_idx_*) is scalar.
InstructionClass class_of_sopp(const isa::Row& row) {
  if (has(row.implicit, isa::Implicit::branch))
    return InstructionClass::branch;
  return has(row.implicit, isa::Implicit::mode_w) ? InstructionClass::salu : InstructionClass::message;
}

bool is_per_lane(InstructionClass c) {
  return c == InstructionClass::valu || c == InstructionClass::vmem || c == InstructionClass::flat ||
         c == InstructionClass::lds || c == InstructionClass::export_;
}

} // namespace

InstructionClass class_of(const isa::Instruction& instruction) {
  using enum isa::Encoding;
  const isa::Row& row = isa::row(instruction.op);
  switch (row.encoding) {
  case SOPP: return class_of_sopp(row);
  case SOP1:
  case SOP2:
  case SOPK:
  case SOPC: return has(row.implicit, isa::Implicit::branch) ? InstructionClass::branch : InstructionClass::salu;
  case SMEM: return InstructionClass::smem;
  case DS: return InstructionClass::lds;
  case FLAT:
  case GLOBAL:
  case SCRATCH: return InstructionClass::flat;
  case MUBUF:
  case MTBUF:
  case MIMG: return InstructionClass::vmem;
  case EXP: return InstructionClass::export_;
  case VOP1:
  case VOP2:
  case VOPC:
  case VOP3:
  case VOP3P:
  case VINTRP: return InstructionClass::valu;
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
