// Out of line, so that handlers stay small.
#include "engine/raise.h"

namespace crosslane::engine {

void raise(Wave* w, const Uop* op, machine::FaultKind kind, int lane, uint64_t address) {
  w->state = machine::WaveState::faulted;
  if (w->fault->kind != machine::FaultKind::none)
    return;
  w->fault->kind = kind;
  w->fault->lane = lane;
  w->fault->address = address;
  w->fault_op = op;
}

bool out_of_reach(const Uop* op, Wave* w, int lane, uint64_t address) {
  raise(w, op, machine::FaultKind::unmapped_address, lane, address);
  return false;
}

void refuse(Wave* w, const Uop* op, const char* why, int lane) {
  raise(w, op, machine::FaultKind::unimplemented, lane);
  w->fault->detail = why;
}

} // namespace crosslane::engine
