// VOP1, VOP2 and VOPC in all their forms, VOP3, VOP3P, VINTRP.
#include "isa/encode/output.h"
#include "isa/table.h"

namespace crosslane::isa::detail {
namespace {

void second_word_sdwa(Output& o) {
  const Instruction& i = o.inst;
  const bool compare = o.row.encoding == Encoding::VOPC;
  o.words = 2;
  if (o.shape.sources == 0) // v_nop
    return;
  o.reg(sdwa::src0, i.src[0]);
  o.put(sdwa::src0_sel, unsigned(i.src0_sel));
  if (o.shape.sources > 1)
    o.put(sdwa::src1_sel, unsigned(i.src1_sel));
  if (o.gfx9()) {
    o.put(sdwa::s0, !is_vgpr(i.src[0]));
    o.put(sdwa::s1, o.shape.sources > 1 && !is_vgpr(i.src[1]));
  }
  for (int k = 0; k < 2; ++k) {
    o.put(sdwa::sext[k], i.sext >> k);
    o.put(sdwa::neg[k], i.neg >> k);
    o.put(sdwa::abs[k], i.abs >> k);
  }
  if (compare && o.gfx9()) {
    const bool other = i.dst != code::vcc;
    o.put(sdwa::sd, other);
    o.put(sdwa::sdst, other ? i.dst : 0u);
    return;
  }
  o.put(sdwa::clamp, i.clamp);
  if (compare)
    return;
  o.put(sdwa::dst_sel, unsigned(i.dst_sel));
  o.put(sdwa::dst_unused, unsigned(i.dst_unused));
  if (o.gfx9())
    o.put(sdwa::omod, i.omod);
}

void second_word_dpp(Output& o) {
  const Instruction& i = o.inst;
  o.words = 2;
  o.reg(dpp::src0, i.src[0]);
  o.put(dpp::dpp_ctrl, i.dpp_ctrl);
  o.put(dpp::bound_ctrl, i.bound_ctrl);
  o.put(dpp::bank_mask, i.bank_mask);
  o.put(dpp::row_mask, i.row_mask);
  for (int k = 0; k < 2; ++k) {
    o.put(dpp::neg[k], (i.neg | i.sext) >> k);
    o.put(dpp::abs[k], i.abs >> k);
  }
}

void interpolation(Output& o) {
  const Instruction& i = o.inst;
  o.reg(vop3::vdst, i.dst);
  o.put(vop3::attr, unsigned(i.imm) >> 2);
  o.put(vop3::attrchan, unsigned(i.imm));
  o.put(vop3::high, i.op_sel);
  o.reg(vop3::src1, i.src[0]);
  o.reg(vop3::src2, i.src[2]);
  o.put(vop3::clamp, i.clamp);
  o.put(vop3::omod, i.omod);
  o.put(vop3::neg, (i.neg & 1u) << 1 | (i.neg & 4u));
  o.put(vop3::abs, (i.abs & 1u) << 1 | (i.abs & 4u));
}

void encode_matrix(Output& o) {
  const Instruction& i = o.inst;
  o.start(vop3p::prefix, vop3p::opcode, 2);
  o.reg(mai::vdst, i.dst);
  for (int k = 0; k < 3; ++k)
    o.put(vop3::src[k], i.src[k] == code::none ? 0 : is_agpr(i.src[k]) ? i.src[k] - 256u : i.src[k]);
  if (o.shape.sources == 1) { // as LLVM has it
    o.put(vop3p::op_sel_hi01, 3);
    return o.put(vop3p::op_sel_hi2, 1);
  }
  o.put(mai::cbsz, i.cbsz);
  o.put(mai::abid, i.abid);
  o.put(mai::acc_cd, o.gfx90a() && is_agpr(i.dst));
  o.put(mai::acc0, is_agpr(i.src[0]));
  o.put(mai::acc1, is_agpr(i.src[1]));
  o.put(mai::blgp, i.blgp);
}

} // namespace

void encode_vop32(Output& o) {
  const Instruction& i = o.inst;
  const bool last_k = o.shape.k && o.row.src[1] != Type::Imm32;
  switch (o.row.encoding) {
  case Encoding::VOP1: o.start(vop1::prefix, vop1::opcode, 1); break;
  case Encoding::VOP2:
    o.start(vop2::prefix, vop2::opcode, 1);
    o.reg(vop2::vsrc1, i.src[o.shape.k && !last_k ? 2 : 1]);
    break;
  case Encoding::VOP3:
    o.start(vop2::prefix, vop2::opcode, 1, o.opcode - unsigned(vop3_base(Encoding::VOP2, o.generation)));
    o.reg(vop2::vsrc1, i.src[1]);
    break;
  default:
    o.start(vopc::prefix, vopc::opcode, 1);
    o.reg(vopc::vsrc1, i.src[1]);
    break;
  }
  if (o.row.encoding != Encoding::VOPC)
    o.source(vop2::vdst, i.dst); // where VOP1 has it too; v_readfirstlane may name a constant
  switch (i.form) {
  case Form::sdwa: o.put(vop2::src0, code::sdwa); return second_word_sdwa(o);
  case Form::dpp: o.put(vop2::src0, code::dpp); return second_word_dpp(o);
  default:
    o.source(vop2::src0, is_agpr(i.src[0]) ? uint16_t(i.src[0] - 256) : i.src[0]); // v_accvgpr_mov_b32
    if (o.shape.k)
      o.follow(i.literal);
  }
}

void encode_vop3(Output& o) {
  const Instruction& i = o.inst;
  const int base = vop3_base(o.row.encoding, o.generation);
  o.start(vop3::prefix, o.gfx8() ? vop3::opcode : vop3::opcode_gfx6, 2, o.opcode + (base > 0 ? unsigned(base) : 0));
  if (o.row.encoding == Encoding::VINTRP || o.row.src[1] == Type::Attr)
    return interpolation(o);
  o.reg(vop3::vdst, i.dst);
  for (int k = 0; k < 3; ++k)
    o.reg(vop3::src[k], i.src[k]);
  o.put(vop3::omod, i.omod);
  o.put(vop3::neg, unsigned(i.neg | i.sext));
  if (o.shape.mask_dst) {
    o.reg(vop3::sdst, i.sdst);
  } else {
    o.put(vop3::abs, i.abs);
    if (o.gfx9())
      o.put(vop3::op_sel, i.op_sel);
  }
  if (o.gfx8() || !o.shape.mask_dst) // where gfx6 and gfx7 have SDST, they have no room for it
    o.put(o.gfx8() ? vop3::clamp : vop3::clamp_gfx6, i.clamp);
}

void encode_vop3p(Output& o) {
  const Instruction& i = o.inst;
  if (o.shape.matrix)
    return encode_matrix(o);
  o.start(vop3p::prefix, vop3p::opcode, 2);
  o.reg(vop3p::vdst, i.dst);
  for (int k = 0; k < 3; ++k)
    o.reg(vop3::src[k], i.src[k]);
  // Halves of sources that are not there are chosen as LLVM has them.
  const unsigned absent_sources = ~0u << o.shape.sources;
  const unsigned op_sel_hi = i.op_sel_hi | absent_sources;
  o.put(vop3p::neg, i.neg);
  o.put(vop3p::neg_hi, o.row.src[0] == Type::F32 ? i.abs : i.neg_hi);
  o.put(vop3p::op_sel, i.op_sel);
  o.put(vop3p::op_sel_hi01, op_sel_hi);
  o.put(vop3p::op_sel_hi2, op_sel_hi >> 2);
  o.put(vop3p::clamp, i.clamp);
}

void encode_vintrp(Output& o) {
  const Instruction& i = o.inst;
  o.start(o.gfx8() ? vintrp::prefix : vintrp::prefix_gfx6, vintrp::opcode, 1);
  o.reg(vintrp::vdst, i.dst);
  o.reg(vintrp::vsrc, i.src[0]);
  o.put(vintrp::attr, unsigned(i.imm) >> 2);
  o.put(vintrp::attrchan, unsigned(i.imm));
}

} // namespace crosslane::isa::detail
