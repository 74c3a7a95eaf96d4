#include "engine/lane_address.h"

namespace crosslane::engine {

std::optional<LaneAccess> lane_address(const isa::Instruction&, const machine::Wave&, int) { return {}; }

}  // namespace crosslane::engine
