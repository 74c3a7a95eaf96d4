// VOP3 (also the VOP3 forms of VOP1, VOP2 and VOPC) and VOP3P.
#include "isa/decode/input.h"

namespace crosslane::isa::detail {
namespace {

bool sources(const Input& in, const Row& r, const Shape& s, Instruction& out) {
  for (int i = 0; i < 3; ++i) {
    const unsigned c = in[vop3::src[i]];
    if (i < s.sources) {
      if (!source(in, c, dwords(r.src[i]), s.kind[i], out.src[i], out))
        return false;
      out.reserved |= !in.gfx8() && i > 0 && c == code::lds_direct;
    } else if (i == 2 && s.mask_source) {
      if (!source(in, c, 2, RegisterKind::mask, out.src[2], out))
        return false;
    } else if (c != 0) {
      return false;
    }
  }
  return true;
}

// neg and abs fields: allowed on the sources that take them, without meaning on some others.
bool modifiers(const Shape& s, unsigned neg, unsigned abs, Instruction& out) {
  const unsigned neg_allowed = s.neg | s.ignored, abs_allowed = s.abs | s.ignored;
  if ((neg & ~neg_allowed) != 0 || (abs & ~abs_allowed) != 0)
    return false;
  out.neg = static_cast<uint8_t>(neg & s.abs);
  out.sext = static_cast<uint8_t>(neg & s.neg & ~s.abs); // what negates a float sign-extends an integer
  out.abs = static_cast<uint8_t>(abs & s.abs);
  return true;
}

// SRC0 is the attribute, SRC1 the register or parameter, SRC2 another register of some.
int interpolation(const Input& in, const Row& r, Instruction& out) {
  const bool half = r.encoding == Encoding::VOP3;
  const bool parameter = r.src[0] == Type::B32;
  const bool third = r.src[2] != Type::None;
  const unsigned second = in[vop3::src1];
  out.imm = int(in[vop3::attr] << 2 | in[vop3::attrchan]);
  out.clamp = in[vop3::clamp];
  out.omod = static_cast<uint8_t>(in[vop3::omod]);
  const unsigned neg = in[vop3::neg], abs = in[vop3::abs], allowed = parameter ? 0 : third ? 6 : 2;
  if (((neg | abs) & ~allowed) != 0 || (!half && in[vop3::high]))
    return 0;
  out.op_sel = static_cast<uint8_t>(in[vop3::high]);
  out.neg = static_cast<uint8_t>((neg >> 1 & 1) | (neg & 4));
  out.abs = static_cast<uint8_t>((abs >> 1 & 1) | (abs & 4));
  if (parameter) {
    out.src[0] = static_cast<uint16_t>(second);
  } else if (!source(in, second, 1, RegisterKind::vgpr, out.src[0], out)) {
    return 0;
  }
  if (third ? !source(in, in[vop3::src2], 1, RegisterKind::vgpr, out.src[2], out) : in[vop3::src2] != 0)
    return 0;
  const bool omod = r.dst == Type::F32;
  return (omod || out.omod == 0) && vgpr(in[vop3::vdst], 1, out.dst) ? out.size : 0;
}

// A VGPR code, which `accumulator` makes an AGPR, or what else source() takes.
bool matrix_source(const Input& in, unsigned c, int dwords, RegisterKind kind, bool accumulator, uint16_t& field,
                   Instruction& out) {
  return c >= code::vgpr0 ? data_register(c - code::vgpr0, dwords, accumulator, field)
                          : source(in, c, is_lone_scalar(c, dwords) ? 1 : dwords, kind, field, out);
}

int matrix(const Input& in, const Row& r, const Shape& s, Instruction& out) {
  // gfx908 has its sums in AGPRs only.
  const bool sums = !in.gfx90a() || in[mai::acc_cd];
  if (s.sources == 1) { // v_accvgpr_read, v_accvgpr_write: OP_SEL_HI as elsewhere in VOP3P, but without meaning
    const bool read = s.kind[0] == RegisterKind::agpr;
    if (in[vop3p::neg_hi] || in[vop3p::op_sel] || in[vop3p::neg] || in[vop3::src1] || in[vop3::src2])
      return 0;
    return matrix_source(in, in[vop3::src0], 1, s.kind[0], read, out.src[0], out) &&
                   data_register(in[mai::vdst], 1, s.agpr_dst, out.dst)
               ? out.size
               : 0;
  }
  out.cbsz = static_cast<uint8_t>(in[mai::cbsz]);
  out.abid = static_cast<uint8_t>(in[mai::abid]);
  out.blgp = static_cast<uint8_t>(in[mai::blgp]);
  return matrix_source(in, in[vop3::src0], dwords(r.src[0]), s.kind[0], in[mai::acc0], out.src[0], out) &&
                 matrix_source(in, in[vop3::src1], dwords(r.src[1]), s.kind[1], in[mai::acc1], out.src[1], out) &&
                 matrix_source(in, in[vop3::src2], dwords(r.src[2]), s.kind[2], sums, out.src[2], out) &&
                 data_register(in[mai::vdst], dwords(r.dst), sums, out.dst)
             ? out.size
             : 0;
}

} // namespace

int decode_vop3(const Input& in, Instruction& out) {
  const Op op = lookup(in.generation, Encoding::VOP3, in.at(vop3::opcode, vop3::opcode_gfx6));
  if (!begin(op, Form::vop3, 8, out))
    return 0;
  const Row& r = row(op);
  const Shape& s = shape(op, in.generation);
  if (r.encoding == Encoding::VINTRP || r.src[1] == Type::Attr)
    return interpolation(in, r, out);
  if (!s.vop3)
    return 0;
  out.clamp = (in.gfx8() || !s.mask_dst) && in.at(vop3::clamp, vop3::clamp_gfx6); // in SDST of VOP3B before gfx8
  out.omod = static_cast<uint8_t>(in[vop3::omod]);
  if ((out.clamp && !s.clamp) || (out.omod && !s.omod) || !sources(in, r, s, out))
    return 0;
  if (s.mask_dst) {
    if (!scalar_register(in, in[vop3::sdst], 2, out.sdst, out) || !modifiers(s, in[vop3::neg], 0, out))
      return 0;
  } else {
    if (!modifiers(s, in[vop3::neg], in[vop3::abs], out))
      return 0;
    if (s.op_sel && in.gfx9()) {
      out.op_sel = static_cast<uint8_t>(in[vop3::op_sel]);
      if (s.sources == 2 && out.op_sel & 4)
        return 0;
    }
  }
  const unsigned dst = in[vop3::vdst];
  bool ok;
  if (r.encoding == Encoding::VOPC || s.scalar_dst) {
    ok = source(in, dst, dwords(r.dst), RegisterKind::sgpr, out.dst, out);
    out.reserved |= !is_scalar_register(out.dst);
  } else {
    ok = r.dst == Type::None ? dst == 0 : vgpr(dst, dwords(r.dst), out.dst);
  }
  return ok ? out.size : 0;
}

int decode_vop3p(const Input& in, Instruction& out) {
  const Op op = lookup(in.generation, Encoding::VOP3P, in[vop3p::opcode]);
  if (!begin(op, Form::vop3, 8, out))
    return 0;
  const Row& r = row(op);
  const Shape& s = shape(op);
  if (s.matrix)
    return matrix(in, r, s, out);
  const unsigned all = (1u << s.sources) - 1;
  const unsigned neg_hi = in[vop3p::neg_hi], op_sel = in[vop3p::op_sel], neg = in[vop3p::neg];
  if (((neg_hi | op_sel | neg) & ~all) != 0 || !sources(in, r, s, out))
    return 0;
  const unsigned op_sel_hi = in[vop3p::op_sel_hi01] | in[vop3p::op_sel_hi2] << 2;
  // In the mixed operations op_sel_hi makes a source a half and neg_hi is its |x|.
  const bool mixed = r.src[0] == Type::F32;
  out.neg = static_cast<uint8_t>(neg);
  (mixed ? out.abs : out.neg_hi) = static_cast<uint8_t>(neg_hi);
  out.op_sel = static_cast<uint8_t>(op_sel);
  out.op_sel_hi = static_cast<uint8_t>(op_sel_hi & all);
  out.clamp = in[vop3p::clamp];
  return vgpr(in[vop3p::vdst], dwords(r.dst), out.dst) ? out.size : 0;
}

} // namespace crosslane::isa::detail
