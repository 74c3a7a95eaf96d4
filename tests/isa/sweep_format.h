// How the sweep describes an encoding. Only the sweep's own sources include this.
#pragma once
#include "tests/isa/sweep.h"
#include <vector>

namespace crosslane::tests {

struct Field {
  int low, count; // bit number in the 64-bit instruction
};
struct Format {
  std::string_view name;
  uint64_t fixed;
  Field opcode;
  std::vector<Field> fields;
  int opcodes = 0; // when less than the whole field
};

const std::vector<Format>& formats_gfx6(); // and gfx7

} // namespace crosslane::tests
