// Owns the estimate of a whole kernel from what a run counted: static costs times dynamic counts, and the roofline of
// arithmetic, DRAM and launch. Neither knows of queues, of caches that are cold or thrash, nor of waves that wait for
// one another: what simulates cycles must do better than both.
#pragma once
#include "timing/estimate.h"
#include <string>

namespace crosslane::timing {

// Of one launch, on average.
struct LaunchCounts {
  double workgroups = 0, waves = 0;
  double waves_per_workgroup = 1;
  // Bytes that vector memory moves if no cache keeps any, and if every cache keeps all; 0: not known.
  double bytes_most = 0, bytes_least = 0;
};

struct WholeTerm {
  std::string name; // "VALU", "way of a wave", "launch", "DRAM"
  Cycles cycles;    // of the GPU's clock
};

struct WholeEstimate {
  Sums sums;                    // of all waves of a launch
  std::vector<WholeTerm> units; // each unit alone, all of them on the GPU at work
  WholeTerm way;                // waves as many as fit, one set after the other, each in its own time
  WholeTerm launch, dram;
  double fixed_us = 0;
  Cycles static_us;                      // the largest of units and way
  std::string static_least, static_most; // ... which
  Cycles roofline_us;                    // the largest of arithmetic, DRAM and launch, and the fixed part
  std::string roofline_least, roofline_most;
  gpu::Used used;
};

// `counts` are those that the estimate was made with, of a launch.
WholeEstimate whole(const KernelEstimate&, const Counts& counts, const LaunchCounts&, const gpu::Machine&);

} // namespace crosslane::timing
