// Instruction -> bytes: the inverse of isa::decode. Every answer is decoded again and compared before it is given, so
// there are no wrong bytes: an instruction that the encoding cannot hold is refused, with the part that does not fit.
#pragma once
#include "isa/instruction.h"
#include <array>
#include <span>
#include <string>

namespace crosslane::isa {

// What of an instruction cannot be encoded: an operand or another member of Instruction, by its name there.
enum class Part : uint8_t {
  none,
#define CROSSLANE_PART(name, member, words) name,
#include "isa/parts.inc"
#undef CROSSLANE_PART
};

enum class EncodeError : uint8_t {
  none,
  operation,   // the target does not have it
  form,        // the operation does not have it: DPP, SDWA, VOP3 ...
  value,       // `part` has a value that the encoding has no bits for or does not allow there
  superfluous, // `part` is set, and the encoding has nothing of the kind
  combination, // each part could be encoded, but not all of them together
};

struct Encoded {
  std::array<uint32_t, 2> words{}; // no instruction of gfx6 to gfx9 has more
  uint8_t size = 0;                // bytes, 0 if refused
  bool reserved = false;           // as Instruction::reserved
  EncodeError error = EncodeError::none;
  Part part = Part::none;

  explicit operator bool() const { return size != 0; }
  std::span<const uint8_t> bytes() const { return {reinterpret_cast<const uint8_t*>(words.data()), size}; }
};

// Reads every member but `size`, `reserved` and `encoding`, which follow from the others. Members that the form does
// not use must be as the decoder leaves them, which is what they are in a new Instruction. Bits that mean nothing come
// out as zero, as LLVM's assembler has them.
Encoded encode(const Instruction&);

// Why it was refused, for a person: "v_add_f32 cannot have this value as source 1 in its VOP3 form on gfx900".
std::string describe(const Encoded&, const Instruction&);

} // namespace crosslane::isa
