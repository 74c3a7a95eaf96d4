// SOP1, SOP2, SOPC, SOPK, SOPP, SMEM.
#include "isa/encode/output.h"

namespace crosslane::isa::detail {
namespace {

void sopc_or_sop2(Output& o, Field ssrc0, Field ssrc1) {
  const Instruction& i = o.inst;
  o.source(ssrc0, i.src[0]);
  if (o.row.src[1] == Type::GprIdx)
    o.put(ssrc1, unsigned(i.imm));
  else
    o.source(ssrc1, i.src[1]);
}

void one_word_smem(Output& o) {
  const Instruction& i = o.inst;
  o.start(smrd::prefix, smrd::opcode, 1);
  o.reg(smrd::sdst, i.dst);
  if (o.row.src[0] == Type::None)
    return;
  o.put(smrd::sbase, i.src[0] / 2u);
  o.put(smrd::imm, i.imm_offset);
  if (i.imm_offset)
    o.put(smrd::offset, unsigned(i.imm) / 4);
  else
    o.source(smrd::offset, i.src[1]);
}

} // namespace

void encode_scalar(Output& o) {
  const Instruction& i = o.inst;
  switch (o.row.encoding) {
  case Encoding::SOP1:
    o.start(sop1::prefix, sop1::opcode, 1);
    o.reg(sop1::sdst, i.dst);
    return o.source(sop1::ssrc0, i.src[0]);
  case Encoding::SOP2:
    o.start(sop2::prefix, sop2::opcode, 1);
    o.reg(sop2::sdst, i.dst);
    return sopc_or_sop2(o, sop2::ssrc0, sop2::ssrc1);
  case Encoding::SOPC: o.start(sopc::prefix, sopc::opcode, 1); return sopc_or_sop2(o, sopc::ssrc0, sopc::ssrc1);
  case Encoding::SOPP: o.start(sopp::prefix, sopp::opcode, 1); return o.put(sopp::simm, unsigned(i.imm));
  default:
    o.start(sopk::prefix, sopk::opcode, 1);
    o.put(sopk::simm, unsigned(i.imm));
    if (o.row.src[0] == Type::Imm32) // s_setreg_imm32_b32
      return o.follow(i.literal);
    return o.reg(sopk::sdst, o.row.src[0] != Type::None ? i.src[0] : i.dst);
  }
}

void encode_smem(Output& o) {
  if (!o.gfx8())
    return one_word_smem(o);
  const Instruction& i = o.inst;
  o.start(smem::prefix, smem::opcode, 2);
  o.put(smem::glc, i.glc);
  o.reg(smem::sdata, i.data != code::none ? i.data : i.dst);
  if (o.row.src[0] == Type::None)
    return;
  o.put(smem::sbase, i.src[0] / 2u);
  o.put(smem::imm, i.imm_offset);
  if (i.imm_offset)
    o.put(o.gfx9() ? smem::offset : smem::offset_gfx8, unsigned(i.imm));
  if (i.src[1] == code::none)
    return;
  // gfx9 may have both offsets; a register alone goes where gfx8 has it.
  o.put(smem::soffset_en, i.imm_offset && o.gfx9());
  o.put(i.imm_offset && o.gfx9() ? smem::soffset : smem::offset_sgpr, i.src[1]);
}

} // namespace crosslane::isa::detail
