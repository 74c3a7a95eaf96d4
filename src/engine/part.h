// Owns running some of the workgroups of a dispatch, as they are in the whole: by their own ids, in a grid of its size.
#pragma once
#include "engine/dispatch.h"

namespace crosslane::engine {

// Workgroups in the order of launch, as many as there are.
struct Part {
  uint64_t first = 0, count = UINT64_MAX;
};

// run(), of no other workgroups than these. Statistics and a census count them alone.
Outcome run_part(const Code& code, const AqlPacket& packet, const std::string& kernel_name, const Options& options,
                 Part part);

} // namespace crosslane::engine
