// Owns the way back from LLVM where it has none of its own: fatal errors, which would end the process, and compilations
// that do not end.
#pragma once
#include <functional>
#include <string>

namespace crosslane::jit {

// Does the job, one at a time in the process. Not empty: why it was given up: LLVM met a fatal error, or had not ended
// after so many seconds of the thread's processor time. What the job was at work on must not be touched again, then;
// its memory stays taken. It may use SIGURG, which others' handlers still get.
std::string rescued(const std::function<void()>& job, double seconds);

} // namespace crosslane::jit
