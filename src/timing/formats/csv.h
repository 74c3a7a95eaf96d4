// Owns tables of AMD's tools: the statistics of rocprofv3's thread trace, and those of kernels.
#pragma once
#include "timing/formats/course.h"

namespace crosslane::timing::formats {

// stats_*.csv of `rocprofv3 --att`: "CodeObj","Vaddr","Instruction","Hitcount","Latency","Stall","Idle","Source"; a row
// with the kernel's name first. Cycles, summed over all waves.
std::string att_csv(const Course&);
// kernel_stats.csv of `rocprofv3 --stats`, of one call: nanoseconds with what a launch takes by itself.
std::string kernel_stats_csv(const Course&);

} // namespace crosslane::timing::formats
