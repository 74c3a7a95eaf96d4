// Lowering of one instruction, and asking it without a program around it.
#include "engine/executes.h"
#include "engine/decode/backend.h"
#include "isa/instances.h"
#include "isa/pattern.h"
#include "isa/shape.h"

namespace crosslane::engine {

namespace {

constexpr NotExecuted list[] = {
#define NOT_EXECUTED(operations, first, last, form, reason)                                                            \
  {operations, isa::Generation::first, isa::Generation::last, form, reason},
#include "engine/decode/not_executed.inc"
#undef NOT_EXECUTED
};

// What no handler knows: operands that only graphics gives a meaning to; AccVGPRs where no encoding has them.
bool has_foreign_part(const isa::Instruction& inst) {
  for (const uint16_t c : inst.src)
    if (c == isa::code::pops_exiting_wave_id)
      return true;
  if (isa::shape(inst.op).matrix || isa::shape(inst.op).agpr_dst)
    return false;
  for (const uint16_t c : inst.src)
    if (is_vector(c) && !isa::is_vgpr(c))
      return true;
  return false;
}

// Forgets everything but the last Uop, which lowering still fills in.
struct NullSink final : UopSink {
  Uop op{};
  Uop& append(UopKind) override { return op = Uop{}; }
  Uop& last() override { return op; }
};

} // namespace

bool lower(Lowering& l, const Backend& backend) {
  using enum isa::Encoding;
  if (has_foreign_part(l.inst))
    return false;
  switch (l.row.encoding) {
  case SOP1:
  case SOP2:
  case SOPK:
  case SOPC:
  case SOPP: return lower_flow(l) || lower_salu(l);
  default: return backend.lower_vector(l);
  }
}

bool executes(const isa::Instruction& inst) {
  if (inst.reserved)
    return false;
  NullSink sink;
  Lowering l{inst, isa::row(inst.op), sink, 0, 0, 0, false};
  return lower(l, backend());
}

bool NotExecuted::names(const isa::Instruction& inst) const {
  const isa::Generation g = isa::info(inst.target).generation;
  return first <= g && g <= last && isa::matches(form, isa::form_name(inst)) &&
         isa::matches(operations, isa::row(inst.op).mnemonic);
}

std::span<const NotExecuted> not_executed() { return list; }

std::string_view why_not_executed(const isa::Instruction& inst) {
  for (const NotExecuted& line : list)
    if (line.names(inst))
      return line.reason;
  return {};
}

} // namespace crosslane::engine
