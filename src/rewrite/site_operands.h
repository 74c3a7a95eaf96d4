// Owns what a probe can ask of the instruction that it stands before, by name: its operands, and the address that each
// lane goes to.
#pragma once
#include "isa/operands.h"
#include <optional>
#include <string>

namespace crosslane::rewrite {

// A register, its first by the code that isa/instruction.h has; or a constant.
struct SiteOperand {
  uint16_t code = isa::code::none;
  uint16_t dwords = 1;
  uint32_t literal = 0;
};
std::optional<SiteOperand> site_operand(const isa::Instruction&, isa::Role);
// As assembly: "v[4:5]", "0.5"; `dword`: one of them.
std::string text_of(const SiteOperand&, isa::Target);
std::string dword_of(const SiteOperand&, uint16_t dword, isa::Target);

// base + offset + what each lane adds: SGPRs, and VGPRs.
struct SiteAddress {
  std::optional<uint16_t> base, offset; // codes of a pair, and of one more
  bool base_of_buffer = false;          // 48 bits of it
  int32_t constant = 0;
  std::optional<uint16_t> lanes; // code of the first
  uint16_t lane_dwords = 0;      // 1, or 2
};
// None: there is none, or it does not follow from these alone.
std::optional<SiteAddress> site_address(const isa::Instruction&);

} // namespace crosslane::rewrite
