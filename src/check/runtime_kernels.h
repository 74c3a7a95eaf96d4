// Owns kernels that HIP launches by itself: what a finding in one of them is the program's doing of.
#pragma once
#include "lint/placed.h"

namespace crosslane::check {

// Adds a note to each finding in such a kernel, of the functions that it works for.
void name_runtime_kernels(lint::Judged&);

} // namespace crosslane::check
