// Owns BlockSource: where random blocks come from. An Item is one instruction, or a few that belong together: an
// address that is worked out as compilers do it, and the access; a comparison and what it makes of EXEC.
#pragma once
#include "tests/engine/random_instructions.h"
#include <optional>
#include <vector>

namespace crosslane::test {

// What the registers of a trial are for. Blocks compute in what is below, and do not write these.
namespace reserved {
inline constexpr uint16_t first_scalar = 48, first_vector = 192, end_vector = 256;
// A memory access has a slot of its own: a pointer or a resource, then a sampler, an offset; and VGPRs.
inline constexpr int slots = 3;
constexpr uint16_t scalars(int slot) { return uint16_t(48 + 16 * slot); }
constexpr uint16_t vectors(int slot) { return uint16_t(192 + 16 * slot); }
inline constexpr uint16_t exec = 96, block = 100, scc = 101;
inline constexpr uint16_t lane_x = 248, lane_y = 249; // affine, as a launch has work-item ids, and no more than 127, 67
} // namespace reserved

struct Item {
  std::vector<isa::Instruction> instructions;
  int slot = -1; // of its memory access
};

class BlockSource {
public:
  BlockSource(isa::Target, std::mt19937_64&,
              bool more = false); // more: of matrix operations and fields of lane numbers
  // 1 to 16 instructions, and a few that restore EXEC.
  std::vector<Item> block();
  static bool is_usual(isa::Op); // what addresses, masks and loops are made of
  RandomInstructions& random() { return make_; }
  uint32_t edge(); // a value of 32 bits at which something changes

private:
  uint32_t number(uint32_t below) { return make_.number(below); }
  bool chance(uint32_t percent) { return number(100) < percent; }
  std::optional<isa::Instruction> encoded(const isa::Instruction&, bool addresses = false) const;
  std::optional<isa::Instruction> with_other_registers(const isa::Instruction&, int slot);
  Item access(int slot);
  bool affine_address(Item&, uint16_t vgpr);
  bool narrowing(Item&);
  bool field_of_lane(Item&);
  std::optional<isa::Instruction> instruction(isa::Op, isa::Form, uint16_t dst, uint16_t a,
                                              uint16_t b = isa::code::none, uint16_t c = isa::code::none,
                                              uint32_t literal = 0) const;
  bool add(Item&, const std::optional<isa::Instruction>&) const;

  isa::Target target_;
  isa::Generation generation_;
  bool more_;
  RandomInstructions make_;
  std::vector<isa::Instruction> arithmetic_, usual_, matrix_, memory_, plain_memory_, buffers_;
};

} // namespace crosslane::test
