// Owns the counters of a profile as the file that tools for AMD's rocprofv3 read: counter_collection.csv.
// Source: ROCm/rocprofiler-sdk, source/lib/output/generateCSV.cpp and csv.hpp: names and order of the columns, strings
// in quotes and numbers without, LDS rounded up to 512 bytes, values with 6 decimals from 1 on and as 1.23456789e-01
// below.
#pragma once
#include "findings/profile.h"
#include <string>

namespace crosslane::report {

// A row for each counter that has a value, for each kernel. What rocprofv3 calls a dispatch is here all profiled
// launches of a kernel, with the sums over them; a profile of one launch has that launch. So tools that add up
// dispatches by the kernel's name get the same sums. Timestamps count nanoseconds of host time in profiled launches,
// one kernel after the other. There is one agent and one queue; the numbers of process and thread are 0, so that equal
// runs give equal files.
std::string counter_csv(const findings::Profile&);

} // namespace crosslane::report
