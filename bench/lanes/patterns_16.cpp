// The patterns of 16-bit elements.
#include "bench/lanes/patterns.h"
#include "bench/lanes/sections.h"

namespace crosslane::bench {
void measure_patterns_16(const Cases& c) { lanes::bench::all_patterns<uint16_t>(c); }
} // namespace crosslane::bench
