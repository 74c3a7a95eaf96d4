// Owns tables of AMD's tools: the statistics of rocprofv3's thread trace, and those of kernels.
#pragma once
#include "timing/formats/course.h"
#include <span>

namespace crosslane::timing::formats {

// stats_*.csv of `rocprofv3 --att`: "CodeObj","Vaddr","Instruction","Hitcount","Latency","Stall","Idle","Source"; a row
// with the kernel's name first. Cycles, summed over all waves.
std::string att_csv(const Course&);

// Calls of one kernel, in nanoseconds.
struct KernelTimes {
  std::string name;
  uint64_t calls = 0;
  double total = 0, least = 0, most = 0;
  double squares = 0; // sum of those of the times
};
// kernel_stats.csv of `rocprofv3 --stats`: nanoseconds with what a launch takes by itself; of several kernels, or of
// one call.
std::string kernel_stats_csv(std::span<const KernelTimes>);
std::string kernel_stats_csv(const Course&);

} // namespace crosslane::timing::formats
