// VOP1, VOP2 and VOPC in their 32-bit, SDWA and DPP forms, and VINTRP.
#include "isa/decode/input.h"

namespace crosslane::isa::detail {
namespace {

// VCC where the 32-bit encodings use it without a field.
void name_vcc(const Row& r, const Shape& s, Instruction& out) {
  if (r.encoding == Encoding::VOPC)
    out.dst = code::vcc;
  if (s.mask_dst)
    out.sdst = code::vcc;
  if (s.mask_source)
    out.src[2] = code::vcc;
}

bool destination(const Input& in, const Row& r, const Shape& s, unsigned field, Instruction& out) {
  if (r.encoding == Encoding::VOPC)
    return true;
  if (r.dst == Type::None)
    return field == 0;
  if (s.scalar_dst)
    return source_or_literal(in, field, dwords(r.dst), RegisterKind::sgpr, out.dst, out);
  return data_register(field, dwords(r.dst), s.agpr_dst, out.dst);
}

int decode_dpp(const Input& in, const Row& r, const Shape& s, unsigned dst, unsigned src1, Instruction& out) {
  if (!(in.gfx90a() ? s.dpp64 : s.dpp) || in.words < 2)
    return 0;
  if (s.sources == 0 && (dst != 0 || (in.word1 & 0x00f000ff) != 0))
    return dst == 0 ? 4 : 0; // v_nop: LLVM falls back to the 32-bit form
  out.form = Form::dpp;
  out.size = 8;
  out.dpp_ctrl = static_cast<uint16_t>(in[dpp::dpp_ctrl]);
  out.bound_ctrl = in[dpp::bound_ctrl];
  out.bank_mask = static_cast<uint8_t>(in[dpp::bank_mask]);
  out.row_mask = static_cast<uint8_t>(in[dpp::row_mask]);
  if ((s.sources > 0 && !vgpr(in[dpp::src0], dwords(r.src[0]), out.src[0])) ||
      (s.sources > 1 && !vgpr(src1, dwords(r.src[1]), out.src[1])))
    return 0;
  for (int i = 0; i < 2; ++i) {
    const uint8_t bit = 1u << i;
    const bool neg = in[dpp::neg[i]], abs = in[dpp::abs[i]];
    if ((neg && !((s.neg | s.ignored) & bit)) || (abs && !((s.abs | s.ignored) & bit)))
      return 0;
    if (s.abs & bit)
      out.neg |= neg ? bit : 0;
    else if (s.neg & bit)
      out.sext |= neg ? bit : 0; // v_ldexp_f16: what negates a float sign-extends an integer
    out.abs |= abs && (s.abs & bit) ? bit : 0;
  }
  const unsigned c = out.dpp_ctrl;
  const bool newbcast = in.gfx90a() && c >= 0x150 && c <= 0x15f;
  out.reserved |= !s.dpp && !newbcast;
  out.reserved |= !(newbcast || c <= 0xff || (c > 0x100 && c <= 0x12f && c % 16 != 0) || c == 0x130 || c == 0x134 ||
                    c == 0x138 || c == 0x13c || (c >= 0x140 && c <= 0x143));
  name_vcc(r, s, out);
  return destination(in, r, s, dst, out) ? out.size : 0;
}

bool sdwa_source(const Input& in, bool scalar, unsigned c, uint16_t& field, Instruction& out) {
  if (!scalar)
    return vgpr(c, 1, field);
  return source(in, c, 1, RegisterKind::any, field, out);
}

int decode_sdwa(const Input& in, const Row& r, const Shape& s, unsigned dst, unsigned src1, Instruction& out) {
  const bool gfx9 = in.gfx9();
  if (!(gfx9 ? s.sdwa_gfx9 : s.sdwa_gfx8) || in.words < 2)
    return 0;
  if (s.sources == 0) { // v_nop has no field but these bits, which LLVM ignores
    constexpr uint32_t unused_gfx8 = 0xc0c0df00, unused_gfx9 = 0x40401f00;
    if ((in.word1 & ~(gfx9 ? unused_gfx9 : unused_gfx8)) == 0)
      out.size = 8, out.form = Form::sdwa;
    return dst == 0 ? out.size : 0;
  }
  const bool compare = r.encoding == Encoding::VOPC;
  const bool two = s.sources > 1;
  out.form = Form::sdwa;
  out.size = 8;
  if (in[sdwa::src0_sel] == 7 || in[sdwa::src1_sel] == 7)
    return 0;
  if (!two && (in[sdwa::all_of_src1] != 0 || (gfx9 && in[sdwa::s1])))
    return 0;
  out.src0_sel = SdwaSel(in[sdwa::src0_sel]);
  out.src1_sel = SdwaSel(in[sdwa::src1_sel]);
  if (!sdwa_source(in, gfx9 && in[sdwa::s0], in[sdwa::src0], out.src[0], out) ||
      (two && !sdwa_source(in, gfx9 && in[sdwa::s1], src1, out.src[1], out)))
    return 0;
  for (int i = 0; i < 2; ++i) {
    // A float source takes neg and abs, an integer source sign extension.
    const uint8_t bit = 1u << i;
    const bool is_float = (s.abs & bit) != 0;
    const bool sext = in[sdwa::sext[i]], neg = in[sdwa::neg[i]], abs = in[sdwa::abs[i]];
    if (is_float ? sext : neg || abs)
      return 0;
    out.sext |= sext ? bit : 0;
    out.neg |= neg ? bit : 0;
    out.abs |= abs ? bit : 0;
  }
  name_vcc(r, s, out);
  if (compare && gfx9) {
    if (!in[sdwa::sd])
      return out.size;
    return scalar_register(in, in[sdwa::sdst], 2, out.dst, out) ? out.size : 0;
  }
  out.clamp = in[sdwa::clamp];
  if (compare)
    return out.size;
  if (in[sdwa::dst_sel] == 7 || in[sdwa::dst_unused] == 3)
    return 0;
  out.dst_sel = SdwaSel(in[sdwa::dst_sel]);
  out.dst_unused = SdwaUnused(in[sdwa::dst_unused]);
  if (gfx9) {
    out.omod = static_cast<uint8_t>(in[sdwa::omod]);
    if (out.omod && !s.sdwa_omod)
      return 0;
  }
  return destination(in, r, s, dst, out) ? out.size : 0;
}

} // namespace

int decode_vop32(const Input& in, Instruction& out) {
  const unsigned group = in.word0 >> 25;
  // VOP1 has its opcode where the others have their second source, VOPC where they have a destination.
  const unsigned dst = in[vop2::vdst], src1 = in[vop2::vsrc1], src0 = in[vop2::src0];
  Op op;
  if (group == 0x3f)
    op = lookup(in.generation, Encoding::VOP1, src1);
  else if (group == 0x3e)
    op = lookup(in.generation, Encoding::VOPC, dst);
  else
    op = lookup(in.generation, Encoding::VOP2, group);
  if (!begin(op, Form::base, 4, out))
    return 0;
  const Row& r = row(op);
  const Shape& s = shape(op, in.generation);

  if (in.gfx8() && src0 == code::sdwa && (s.sources > 0 || s.sdwa_gfx8))
    return decode_sdwa(in, r, s, dst, src1, out);
  if (in.gfx8() && src0 == code::dpp && (s.sources > 0 || s.dpp))
    return decode_dpp(in, r, s, dst, src1, out);
  if (s.sources == 0)
    return dst == 0 ? out.size : 0;

  if (s.k) {
    if (in.words < 2)
      return 0;
    const bool last = r.src[1] != Type::Imm32;
    out.literal = in.word1;
    out.size = 8;
    out.src[last ? 2 : 1] = code::literal;
    return source_or_literal(in, src0, dwords(r.src[0]), s.kind[0], out.src[0], out) &&
                   vgpr(src1, dwords(r.src[0]), out.src[last ? 1 : 2]) && destination(in, r, s, dst, out)
               ? out.size
               : 0;
  }
  if (s.kind[0] == RegisterKind::agpr && src0 >= code::vgpr0)
    out.src[0] = static_cast<uint16_t>(src0 - code::vgpr0 + code::agpr0);
  else if (!source_or_literal(in, src0, dwords(r.src[0]), s.kind[0], out.src[0], out))
    return 0;
  if (s.kind[1] == RegisterKind::scalar) { // v_readlane, v_writelane of gfx6 and gfx7
    if (!source(in, src1, 1, RegisterKind::scalar, out.src[1], out))
      return 0;
  } else if (s.sources > 1 && !vgpr(src1, dwords(r.src[1]), out.src[1])) {
    return 0;
  }
  name_vcc(r, s, out);
  return destination(in, r, s, dst, out) ? out.size : 0;
}

int decode_vintrp(const Input& in, Instruction& out) {
  // The attribute goes to imm as ATTR * 4 + ATTRCHAN, and the source of v_interp_mov_f32 to src[0] as what it is, a
  // parameter number.
  if (!begin(lookup(in.generation, Encoding::VINTRP, in[vintrp::opcode]), Form::base, 4, out))
    return 0;
  out.dst = static_cast<uint16_t>(code::vgpr0 + in[vintrp::vdst]);
  const bool parameter = row(out.op).src[0] == Type::B32;
  out.src[0] = static_cast<uint16_t>((parameter ? 0 : code::vgpr0) + in[vintrp::vsrc]);
  out.reserved |= !in.gfx8() && (in[vintrp::attr] > 32 || (parameter && out.src[0] > 2));
  out.imm = int(in[vintrp::attr] << 2 | in[vintrp::attrchan]);
  return out.size;
}

} // namespace crosslane::isa::detail
