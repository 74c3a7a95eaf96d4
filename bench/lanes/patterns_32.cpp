// The patterns of 32-bit elements.
#include "bench/lanes/patterns.h"
#include "bench/lanes/sections.h"

namespace crosslane::bench {
void measure_patterns_32(const Cases& c) { lanes::bench::all_patterns<uint32_t>(c); }
} // namespace crosslane::bench
