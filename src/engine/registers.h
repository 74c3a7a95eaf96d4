// Owns the question whether an instruction names registers beyond those that its kernel was given. A card answers
// wrongly and without a word (it takes register 0, or writes nothing); decoding makes it a fault, so that no handler
// asks.
#pragma once
#include "isa/instruction.h"
#include <compare>
#include <cstdint>
#include <string>

namespace crosslane::engine {

// Registers that a wave is given, whole granules.
struct RegisterLimits {
  uint16_t sgprs = 128, vgprs = 256, agprs = 256;
  friend auto operator<=>(const RegisterLimits&, const RegisterLimits&) = default;
};

// "v40 is beyond the 32 VGPRs of the kernel; ...", or empty. Registers that only an image's resource or M0 asks for
// are not looked at.
std::string beyond_registers(const isa::Instruction&, RegisterLimits);

} // namespace crosslane::engine
