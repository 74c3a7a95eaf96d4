#include "engine/raise.h"

namespace crosslane::engine {

void raise(Wave* w, const Uop* op, machine::FaultKind kind, int lane, uint64_t address) {
  w->state = machine::WaveState::faulted;
  if (w->fault->kind != machine::FaultKind::none) return;
  w->fault->kind = kind;
  w->fault->lane = lane;
  w->fault->address = address;
  w->fault_op = op;
}

}  // namespace crosslane::engine
