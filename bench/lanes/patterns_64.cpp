// The patterns of 64-bit elements.
#include "bench/lanes/patterns.h"
#include "bench/lanes/sections.h"

namespace crosslane::bench {
void measure_patterns_64(const Cases& c) { lanes::bench::all_patterns<uint64_t>(c); }
} // namespace crosslane::bench
