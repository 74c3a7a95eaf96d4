// Owns which lanes off in EXEC a lane operation asks for: hardware gives the lanes that ask 0 in place of their values,
// or leaves what was there. Known only while the wave runs.
#pragma once
#include "machine/wave.h"
#include <cstdint>
#include <optional>

namespace crosslane::isa {
struct Instruction;
}

namespace crosslane::check {

struct OffLane {
  int lane = 0;   // the first that asks for one
  int source = 0; // that one
  int count = 0;  // lanes that do
};

// DPP, ds_swizzle_b32 and ds_bpermute_b32, about to be executed. `launched`: lanes that the wave began with; nobody
// expects others. Not told: reads beyond a row or the wave, and DPP that says what comes in instead, which are so on
// purpose; ds_permute_b32, where lanes do not ask; v_readlane_b32, which has the register whatever EXEC is.
std::optional<OffLane> off_lane(const machine::Wave&, const isa::Instruction&, uint64_t launched);

} // namespace crosslane::check
