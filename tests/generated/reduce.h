// Owns making a kernel that fails small: cuts of its tree that keep the failure.
#pragma once
#include "tests/generated/program.h"
#include <functional>

namespace crosslane::generated {

// `fails` says whether a candidate still shows the failure; it is asked at most `budget` times.
Kernel reduce(Kernel kernel, const std::function<bool(const Kernel&)>& fails, int budget);

} // namespace crosslane::generated
