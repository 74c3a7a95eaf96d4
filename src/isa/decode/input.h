// What the decoders of the encodings share: the words being decoded, opcode lookup, operand fields. Not for other
// layers.
#pragma once
#include "isa/fields.h"
#include "isa/op.h"
#include "isa/shape.h"

namespace crosslane::isa::detail {

struct Input {
  Generation generation;
  uint32_t word0, word1; // word1 is 0 when it is not there
  size_t words;          // available

  unsigned operator[](Field f) const { return (f.low < 32 ? word0 >> f.low : word1 >> (f.low - 32)) & f.mask(); }
  // A field that gfx6 and gfx7 have in another place.
  unsigned at(Field from_gfx8, Field before) const { return (*this)[gfx8() ? from_gfx8 : before]; }
  bool gfx8() const { return generation >= Generation::gfx8; }
  bool gfx9() const { return generation >= Generation::gfx9; }
  bool gfx90a() const { return generation == Generation::gfx90a; }
};

// The operation with this opcode, Op::invalid if there is none.
Op lookup(Generation, Encoding, unsigned opcode);

// Starts `out`; false for Op::invalid.
inline bool begin(Op op, Form form, int size, Instruction& out) {
  if (op == Op::invalid)
    return false;
  out.op = op;
  out.encoding = row(op).encoding;
  out.form = form;
  out.size = static_cast<uint8_t>(size);
  return true;
}

// Operand fields. Each returns false for a code that LLVM 19 rejects there, and marks `out` reserved for one that it
// prints although there is no such register or the operand may not be of that kind. Scalar tuples are aligned down, as
// LLVM does.
bool scalar_register(const Input&, unsigned code, int dwords, uint16_t& field, Instruction& out); // 7 bits
bool scalar_source(const Input&, unsigned code, int dwords, uint16_t& field, Instruction& out);   // 8 bits, no literal
bool source(const Input&, unsigned code, int dwords, RegisterKind, uint16_t& field,
            Instruction& out); // 9 bits, no literal
inline bool vgpr(unsigned number, int dwords, uint16_t& field) {
  field = static_cast<uint16_t>(code::vgpr0 + number);
  return number + (dwords ? dwords : 1) <= 256;
}
// A data register: an AGPR if `accumulator` (gfx90a).
inline bool data_register(unsigned number, int dwords, bool accumulator, uint16_t& field) {
  if (!vgpr(number, dwords, field))
    return false;
  field = static_cast<uint16_t>(field + (accumulator ? code::agpr0 - code::vgpr0 : 0));
  return true;
}
// As source(), but code 255 takes word1 as the literal and makes the instruction 8 bytes long.
bool source_or_literal(const Input&, unsigned code, int dwords, RegisterKind, uint16_t& field, Instruction& out);

// Each fills `out` and returns the size in bytes, 0 if the words are not an instruction.
int decode_scalar(const Input&, Instruction& out);
int decode_vop32(const Input&, Instruction& out); // VOP1, VOP2, VOPC with SDWA and DPP
int decode_vop3(const Input&, Instruction& out);
int decode_vop3p(const Input&, Instruction& out);
int decode_vintrp(const Input&, Instruction& out);
int decode_smem(const Input&, Instruction& out);
int decode_smrd(const Input&, Instruction& out); // SMEM of gfx6 and gfx7
int decode_ds(const Input&, Instruction& out);
int decode_flat(const Input&, Instruction& out);
int decode_mubuf(const Input&, Instruction& out);
int decode_mtbuf(const Input&, Instruction& out);
int decode_mimg(const Input&, Instruction& out);
int decode_exp(const Input&, Instruction& out);

} // namespace crosslane::isa::detail
