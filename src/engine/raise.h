// Owns how a handler stops its wave with a fault. The handler returns right after; the runner fills in the rest.
#pragma once
#include "engine/uop.h"

namespace crosslane::engine {

// Records the fault on the wave (first one wins) and sets its state. lane < 0: not one lane's doing.
void raise(Wave* w, const Uop* op, machine::FaultKind kind, int lane = -1, uint64_t address = 0);

// A lane's global address that no device can reach (Wave::reach). Returns false, for handlers that say so of their
// success.
bool out_of_reach(const Uop* op, Wave* w, int lane, uint64_t address);

// What is not executed, for a reason that only shows when it runs.
void refuse(Wave* w, const Uop* op, const char* why, int lane = -1);

} // namespace crosslane::engine
