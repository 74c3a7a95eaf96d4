// The loop of a dispatch with a pace: workgroups begin when it says so, each runs as far as it can, then it is asked.
#include "engine/dispatch/runner_thread.h"
#include <utility>

namespace crosslane::engine {

// Brings the workgroup whose turn it is to the front; false: none is left.
bool Thread::take_paced_turn() {
  events::Pace& pace = *shared_.context.options->pace;
  for (;;) {
    const bool more = claimed_ != claimed_end_ || shared_.next.load(std::memory_order_relaxed) < shared_.group_count;
    if (more && pace.begins())
      return claim();
    if (turns_ && !resident_.empty()) {
      --turns_;
      return true;
    }
    turns_ = resident_.size();
    if (!more && resident_.empty())
      return false;
    if (cancelled())
      return false;
    const bool nothing_ran = std::exchange(went_round_, true);
    if (pace.go_on(more) || !nothing_ran)
      continue;
    if (!resident_.empty()) {
      Slot& slot = *resident_.front();
      deadlock(slot, slot.wave(0));
    }
    return false;
  }
}

} // namespace crosslane::engine
