// Owns what a step costs on a CPU.
#pragma once
#include "lanes/plan/host.h"
#include "lanes/plan/step.h"

namespace crosslane::lanes {
CROSSLANE_LEVEL_BEGIN

// Cycles from operands to result; cycles for which it keeps one of its ports busy, summed over its micro-operations; the ports
// that can take it, one bit each.
struct StepCost {
  float latency, occupancy;
  uint8_t ports;
};

constexpr StepCost cost(Cpu cpu, const Step& s) {
  using enum Op;
  const bool wide = s.bytes == 64;
  const auto kind = [&] {
    switch (s.op) {
    case zero: case move: return s.masked ? 3 : 0;
    case shift_left: case shift_right: case rotate_left: case shift_double: return 2;
    case blend_imm: case blend_bytes: case blend_mask: case keep: case either: return 3;
    case permute: return s.element >= 4 ? 4 : s.element == 1 ? 4 : 5;
    case permute_two: return s.element >= 4 ? 4 : s.element == 1 ? 6 : 7;
    case compress: case expand: return 8;
    case truncate: return 9;
    case permute_imm: case broadcast: case extend: case extract: case permute_halves: case shuffle_lanes: case insert: case align: return 4;
    default: return 1;
    }
  }();
  if (cpu == Cpu::icelake) {
    const uint8_t p5 = 4, p15 = wide ? 4 : 6, p01 = wide ? 1 : 3, p05 = wide ? 5 : 7;
    switch (kind) {
    case 0: return {0, 0, p05};
    case 1: return {1, 1, p15};
    case 2: return {1, 1, p01};
    case 3: return {1, 1, p05};
    case 4: return {3, 1, p5};
    case 5: return {4, 1, p5};
    case 6: return {4, 2, p5};
    case 7: return {7, 2, p5};
    case 8: return {3, 2, p5};
    default: return {4, 2, p5};
    }
  }
  const float passes = wide ? 2 : 1;
  switch (kind) {
  case 0: return {0, 0, 15};
  case 1: return {1, passes, 6};
  case 2: return {1, passes, 6};
  case 3: return {1, passes, 15};
  case 4: return {4, passes, 6};
  case 5: return {4, passes, 6};
  case 6: return {5, passes, 6};
  case 7: return {5, passes, 6};
  case 8: return {5, 2 * passes, 6};
  default: return {4, passes, 6};
  }
}

CROSSLANE_LEVEL_END
} // namespace crosslane::lanes
