// The patterns of 8-bit elements.
#include "bench/lanes/patterns.h"
#include "bench/lanes/sections.h"

namespace crosslane::bench {
void measure_patterns_8(const Cases& c) { lanes::bench::all_patterns<uint8_t>(c); }
} // namespace crosslane::bench
