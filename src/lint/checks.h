// The checks, a file each in checks/. A check adds every finding that it has; what the user did not ask for is taken
// out behind it (lint/lint.h).
#pragma once
#include "lint/finding.h"
#include "lint/walk.h"

namespace crosslane::lint {

void check_control(const Subject&, Report&); // checks/control.cpp

// Those that walk over the code; null: there is nothing for it. The report must outlive the walk.
std::unique_ptr<Walk> walk_wait_states(const Subject&, Report&); // checks/wait_states.cpp
std::unique_ptr<Walk> walk_waits(const Subject&, Report&);       // checks/waits.cpp
std::unique_ptr<Walk> walk_code(const Subject&, Report&);        // checks/code.cpp
// Of the group performance.
std::unique_ptr<Walk> walk_strict_waits(const Subject&, Report&);   // checks/strict_waits.cpp
std::unique_ptr<Walk> walk_redundant_nops(const Subject&, Report&); // checks/redundant_nops.cpp

} // namespace crosslane::lint
