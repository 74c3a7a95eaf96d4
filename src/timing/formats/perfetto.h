// Owns a trace for Perfetto (ui.perfetto.dev) in its own form, TrackEvent packets: a track for each place of a wave in
// a SIMD unit, with waves as slices, and counters over time.
#pragma once
#include "timing/formats/course.h"

namespace crosslane::timing::formats {

// Bytes of a .pftrace file; nanoseconds from the first wave's launch.
std::string perfetto(const Course&);

} // namespace crosslane::timing::formats
