// Owns the threads that compile while kernels run, deaf to signals. They never end; a process may end while they are at
// work.
#pragma once
#include <functional>

namespace crosslane::jit {

enum class Priority {
  normal, // the same as that of whoever runs kernels
  low,
};

struct Job {
  std::function<void()> work;
  std::function<void()> end; // not while the process is copied by fork(): takes locks that others take
};

// Does it some time later; those of a priority one after the other. False: never, as there is no such thread. A child
// of fork() has none: what the thread was doing when the process was copied, LLVM does not recover from.
bool in_background(Priority, Job);

} // namespace crosslane::jit
