// Fault as text. The first line says what happened; the rest says where, from the lane outwards.
#include "machine/fault.h"
#include <cstdio>

namespace crosslane::machine {

const char* name(FaultKind kind) {
  switch (kind) {
  case FaultKind::none: return "none";
  case FaultKind::unmapped_address: return "unmapped address";
  case FaultKind::misaligned_address: return "misaligned address";
  case FaultKind::illegal_instruction: return "illegal instruction";
  case FaultKind::unimplemented: return "unimplemented instruction";
  case FaultKind::bad_pc: return "invalid program counter";
  case FaultKind::trap: return "trap";
  case FaultKind::halted: return "wave halted";
  case FaultKind::register_out_of_range: return "register out of range";
  case FaultKind::lds_out_of_range: return "LDS address out of range";
  case FaultKind::scratch_out_of_range: return "scratch address out of range";
  case FaultKind::deadlock: return "deadlock";
  case FaultKind::bad_dispatch: return "bad dispatch";
  case FaultKind::cancelled: return "cancelled";
  }
  return "unknown fault";
}

namespace {

std::string hex(uint64_t value) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

bool is_memory(FaultKind kind) {
  return kind == FaultKind::unmapped_address || kind == FaultKind::misaligned_address ||
         kind == FaultKind::lds_out_of_range || kind == FaultKind::scratch_out_of_range;
}

} // namespace

std::string describe(const Fault& fault) {
  if (fault.kind == FaultKind::none)
    return "no fault";
  std::string text = is_memory(fault.kind) ? "memory fault: " : "fault: ";
  text += name(fault.kind);
  if (is_memory(fault.kind))
    text += " " + hex(fault.address);
  if (!fault.detail.empty())
    text += ": " + fault.detail;
  if (!fault.instruction.empty() || fault.pc) {
    text += "\n  at " + hex(fault.pc);
    if (!fault.instruction.empty())
      text += ": " + fault.instruction;
  }
  if (!fault.source.empty())
    text += "\n  source " + fault.source;
  if (!fault.kernel.empty())
    text += "\n  kernel " + fault.kernel;
  if (fault.kind != FaultKind::bad_dispatch) {
    text += "\n  workgroup (" + std::to_string(fault.workgroup[0]) + ", " + std::to_string(fault.workgroup[1]) + ", " +
            std::to_string(fault.workgroup[2]) + "), wave " + std::to_string(fault.wave);
    if (fault.lane >= 0)
      text += ", lane " + std::to_string(fault.lane);
  }
  return text;
}

} // namespace crosslane::machine
