// Owns what of the code decides how much of its waves is kept for barriers: most kernels have none, or have all lanes
// of a wave come to each, which shows in their masks.
#pragma once

namespace crosslane::lint {
struct Subject;
}

namespace crosslane::check {

struct SyncCode {
  bool has_barriers = false, has_constant_lanes = false, has_calls = false;
  bool lanes_stay_out = false; // of a barrier, perhaps: others than at the kernel's begin
};
SyncCode sync_code(const lint::Subject&);

} // namespace crosslane::check
