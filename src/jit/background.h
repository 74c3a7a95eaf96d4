// Owns the thread that compiles while kernels run: below them in priority, and deaf to signals. It never ends; a
// process may end while it is at work.
#pragma once
#include <functional>

namespace crosslane::jit {

// Does `job` some time later; one after the other. False: never, as no thread can be had. `lost`: in a child of fork()
// instead, if it may not have begun there.
bool in_background(std::function<void()> job, std::function<void()> lost);

// Around fork(): nothing is taken on in between. What waits is done in the parent; the child has a thread of its own
// once there is something to do. That no job is at work is the caller's to see to.
void background_before_fork();
void background_after_fork(bool child);

} // namespace crosslane::jit
