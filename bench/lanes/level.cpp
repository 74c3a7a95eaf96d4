// One instruction set's measurements, as lines for bench/lanes/main.cpp: PROGRAM ROUNDS [part of a case's name]
#include "bench/lanes/sections.h"
#include <cstdlib>

int main(int argc, char** argv) {
  using namespace crosslane::bench;
  if (argc < 2)
    return std::fprintf(stderr, "usage: PROGRAM ROUNDS [part of a name]; crosslane_lanes_bench starts it\n"), 2;
  const Cases cases(argc > 2 ? argv[2] : "", std::atoi(argv[1]));
  measure_patterns_8(cases);
  measure_patterns_16(cases);
  measure_patterns_32(cases);
  measure_patterns_64(cases);
  measure_compress(cases);
  measure_transpose(cases);
  measure_reduce(cases);
  measure_scan(cases);
  measure_indexed(cases);
  measure_memory(cases);
  measure_several(cases);
}
