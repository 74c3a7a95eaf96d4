// Owns how Python's main thread waits for a launch: signal handlers run meanwhile, as they do in time.sleep(), so that
// Ctrl-C, alarms and whatever else the program has handlers for reach a kernel that does not end. Python runs handlers
// in its main thread alone, which therefore cannot be the one that runs the kernel.
#pragma once
#include <functional>

namespace crosslane::python {

// Called with the GIL, from the main thread: does `work` in another thread, without the GIL, and returns when that has
// ended. If a handler raises, `cancel` is called until it has, and the handler's exception is thrown. What `work`
// throws is thrown otherwise.
void run_interruptibly(const std::function<void()>& work, const std::function<void()>& cancel);

} // namespace crosslane::python
