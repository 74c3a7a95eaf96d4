// What the encoders of the encodings share. They write what fits and check nothing: isa::encode decodes the result and
// compares. Not for other layers.
#pragma once
#include "isa/fields.h"
#include "isa/shape.h"

namespace crosslane::isa::detail {

struct Output {
  const Instruction& inst;
  const Row& row;
  const Shape& shape;
  Generation generation;
  unsigned opcode; // of the row
  uint32_t word[2] = {0, 0};
  int words = 1;

  bool gfx8() const { return generation >= Generation::gfx8; }
  bool gfx9() const { return generation >= Generation::gfx9; }
  bool gfx90a() const { return generation == Generation::gfx90a; }

  // Starts an instruction of one word or two.
  void start(uint32_t prefix, Field opcode_field, int count, unsigned number) {
    word[0] = prefix;
    words = count;
    put(opcode_field, number);
  }
  void start(uint32_t prefix, Field opcode_field, int count) { start(prefix, opcode_field, count, opcode); }

  void put(Field f, unsigned v) { word[f.low / 32] |= (v & f.mask()) << f.low % 32; }
  // A register: VGPR and AGPR fields hold the number alone. Operands that are not there encode as 0.
  void reg(Field f, uint16_t c) { put(f, c == code::none || c == code::off ? 0 : c); }
  // A source that may be a literal, which then follows.
  void source(Field f, uint16_t c) {
    reg(f, c);
    if (c == code::literal)
      follow(inst.literal);
  }
  void follow(uint32_t literal) {
    word[1] = literal;
    words = 2;
  }
};

constexpr bool is_agpr(uint16_t c) { return c >= code::agpr0 && c < code::agpr0 + 256; }

void encode_scalar(Output&); // SOP1, SOP2, SOPC, SOPK, SOPP
void encode_vop32(Output&);  // VOP1, VOP2, VOPC with SDWA and DPP
void encode_vop3(Output&);
void encode_vop3p(Output&);
void encode_vintrp(Output&);
void encode_smem(Output&); // gfx6 and gfx7 too
void encode_ds(Output&);
void encode_flat(Output&);
void encode_mubuf(Output&);
void encode_mtbuf(Output&);
void encode_mimg(Output&);
void encode_exp(Output&);

} // namespace crosslane::isa::detail
