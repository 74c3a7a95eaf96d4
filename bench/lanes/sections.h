// What one instruction set measures, one function for each source file.
#pragma once
#include "bench/lanes/cases.h"

namespace crosslane::bench {

void measure_patterns_8(const Cases&);
void measure_patterns_16(const Cases&);
void measure_patterns_32(const Cases&);
void measure_patterns_64(const Cases&);
void measure_compress(const Cases&);
void measure_transpose(const Cases&);
void measure_reduce(const Cases&);
void measure_scan(const Cases&);
void measure_indexed(const Cases&);
void measure_memory(const Cases&);
void measure_several(const Cases&);

} // namespace crosslane::bench
