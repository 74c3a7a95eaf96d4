// The checks, a file each in checks/. A check adds every finding that it has; what the user did not ask for is taken
// out behind it (lint/lint.h).
#pragma once
#include "lint/finding.h"
#include "lint/subject.h"

namespace crosslane::lint {

void check_wait_states(const Subject&, Report&); // checks/wait_states.cpp
void check_waits(const Subject&, Report&);       // checks/waits.cpp
void check_control(const Subject&, Report&);     // checks/control.cpp
void check_code(const Subject&, Report&);        // checks/code.cpp

} // namespace crosslane::lint
