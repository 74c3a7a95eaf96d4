// Owns the host threads that work on a dispatch together: the calling one and, if they come in time, some of oneTBB's.
#pragma once
#include <functional>

namespace crosslane::engine {

// Most threads that work together: the machine's cores.
unsigned crew_limit();

enum class Worker { caller, helper };
// Calls `work` on this thread and on up to `helpers` others at once; returns when all that began have ended. A short
// piece of work is over before anyone has come, and then nobody is waited for. A helper that returns false leaves its
// part for later: it is called again when others that wait for helpers have got them. An exception of any of them is
// thrown here.
void work_together(unsigned helpers, const std::function<bool(Worker)>& work);

} // namespace crosslane::engine
