// Owns whether a launch came out as its description expects: buffers, a fault, findings of checks. What is wrong is
// said at the place where somebody has to look: of the description, or of the kernel's source.
#pragma once
#include "launch/result.h"
#include "testing/outcome.h"
#include "testing/suite.h"

namespace crosslane::testing {

Outcome judge(const launch::Job&, const launch::Result&);
// Of a launch that was none, and why.
Outcome refuse(const launch::Job&, const std::string& why);

} // namespace crosslane::testing
