// Owns what becomes of a child that is forked while the runtime is up. It has the memory but none of the threads, so
// that what it asks of the GPU would never be done: functions fail, and a wait for the GPU ends it with a message
// instead of lasting for ever.
#pragma once

namespace crosslane::hsa {

// From now on forks are noticed. `up` says whether the runtime is; `in_child` is called in a child that is forked then.
void watch_forks(bool (*up)(), void (*in_child)());

bool in_forked_child();
// Says once why nothing works, but not while the process ends: exit handlers of clients call the runtime for
// themselves.
void say_forked();
void say_no_more();
// Says so and ends the child by SIGABRT. For what never ends and for data that never comes, which clients take for
// granted.
[[noreturn]] void end_forked_child();

} // namespace crosslane::hsa
