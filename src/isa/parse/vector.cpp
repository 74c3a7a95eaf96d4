// VOP1, VOP2, VOPC, VOP3, VOP3P in each of their forms, and interpolation.
#include "isa/parse/match.h"
#include <charconv>

namespace crosslane::isa::detail {
namespace {

unsigned source_modifiers(const Shape& s, int k, bool abs_too = true) {
  const unsigned bit = 1u << k;
  if (s.abs & bit && abs_too)
    return signs;
  return s.neg & bit && !(s.abs & bit) ? extension : plain; // what negates a float sign-extends an integer
}

// LLVM lets a constant have sext wherever the SDWA form of the operation has it.
unsigned constant_sext(const Match& m, int k) {
  const Shape& s = m.shape_;
  const bool sdwa = m.context.gfx9() ? s.sdwa_gfx9 : m.context.generation() == Generation::gfx8 && s.sdwa_gfx8;
  return sdwa && !(s.abs >> k & 1) ? meaningless_sext : plain;
}

// lds_direct replaces source 0 of operations that do not exchange their sources.
bool lds_direct(Match& m, Form form) {
  for (int k = 0; k < 3; ++k)
    if (m.out.src[k] == code::lds_direct) {
      if (k != 0 || m.shape_.reversed || form == Form::sdwa)
        return m.reject(0, full_name(m) + " does not take lds_direct, or not as this source");
    }
  return true;
}

bool destination(Match& m) {
  if (m.row_.encoding == Encoding::VOPC || m.shape_.scalar_dst)
    return m.sgpr(dwords(m.row_.dst), m.out.dst, "the destination");
  if (m.shape_.agpr_dst)
    return m.agpr(dwords(m.row_.dst), m.out.dst, "the destination");
  return m.row_.dst == Type::None || m.vgpr(dwords(m.row_.dst), m.out.dst, "the destination");
}

// LLVM lets the 32-bit form do without the word vcc where there is only one.
bool vcc_is_left_out(const Match& m) {
  if (m.out.form != Form::base)
    return false;
  const bool compare = m.row_.encoding == Encoding::VOPC;
  if (m.shape_.mask_dst && !m.context.gfx9())
    return false;
  return m.operand_count() == (compare ? 2 : 3) && compare + m.shape_.mask_dst + m.shape_.mask_source == 1;
}

// The destination and carry of the forms that have VCC where VOP3 names a register.
bool destination_vcc(Match& m) {
  if (m.row_.encoding == Encoding::VOPC) {
    if (!vcc_is_left_out(m) && !m.vcc("the destination"))
      return false;
    m.out.dst = code::vcc;
  } else if (!destination(m)) {
    return false;
  }
  if (m.shape_.mask_dst) {
    if (!vcc_is_left_out(m) && !m.vcc("the carry"))
      return false;
    m.out.sdst = code::vcc;
  }
  return true;
}

bool mask_vcc(Match& m) {
  if (!m.shape_.mask_source)
    return true;
  if (!vcc_is_left_out(m) && !m.vcc("the mask"))
    return false;
  m.out.src[2] = code::vcc;
  return true;
}

// v_madmk: D, S0, K, S1. v_madak: D, S0, S1, K.
bool with_constant(Match& m) {
  const Type t = m.row_.dst;
  const bool last = m.row_.src[1] != Type::Imm32;
  uint16_t& vgpr = m.out.src[last ? 1 : 2];
  m.out.src[last ? 2 : 1] = code::literal;
  if (!m.source(0, t, m.shape_.kind[0], literals))
    return false;
  return last ? m.vgpr(1, vgpr, "source 1") && m.literal32(t, "the constant")
              : m.literal32(t, "the constant") && m.vgpr(1, vgpr, "source 1");
}

// The lane number of v_writelane is no use of the constant bus if it comes from M0.
bool writes_lane_m0(const Match& m) {
  return m.row_.encoding == Encoding::VOP3 && m.shape_.kind[1] == RegisterKind::scalar && !m.shape_.scalar_dst &&
         m.out.src[1] == code::m0;
}

bool base(Match& m) {
  const Row& r = m.row_;
  const Shape& s = m.shape_;
  m.begin(Form::base, 4);
  if (!destination_vcc(m))
    return false;
  if (s.k) {
    if (!with_constant(m))
      return false;
  } else {
    const bool bare = r.encoding == Encoding::VOPC && vcc_is_left_out(m);
    const unsigned takes = literals | (bare        ? unsigned(plain)
                                       : s.abs & 1 ? unsigned(folded_signs)
                                                   : constant_sext(m, 0));
    if (s.sources > 0 && !m.source(0, r.src[0], s.kind[0], takes))
      return false;
    const RegisterKind second = s.kind[1] == RegisterKind::any ? RegisterKind::vgpr : s.kind[1];
    if (s.sources > 1 && !m.source(1, r.src[1], second, plain))
      return false;
  }
  if (!mask_vcc(m) || !m.end() || !lds_direct(m, Form::base))
    return false;
  return writes_lane_m0(m) || (m.constant_bus(s.k ? 1 : s.sources, s.mask_source) && m.even_vgprs());
}

bool op_sel(Match& m) {
  if (!m.shape_.op_sel || !m.context.gfx9() || !m.has(Name::op_sel))
    return true;
  const int n = m.shape_.sources;
  const auto bits = static_cast<unsigned>(m.item()->value);
  if (bits >> (n + 1) != 0)
    return m.fail("op_sel has a bit for each source and one for the destination: " + std::to_string(n + 1));
  m.out.op_sel = static_cast<uint8_t>((bits & ((1u << n) - 1)) | bits >> n << 3);
  m.skip();
  return true;
}

bool packed_list(Match& m, Name name, uint8_t& field) {
  if (!m.has(name))
    return true;
  const auto bits = static_cast<unsigned>(m.item()->value);
  if (bits >> m.shape_.sources != 0)
    return m.fail("this list has a bit for each source: " + std::to_string(m.shape_.sources));
  field = static_cast<uint8_t>(bits);
  m.skip();
  return true;
}

bool is_agpr(uint16_t c) { return c >= code::agpr0; }

// v_accvgpr_read, v_accvgpr_write, v_mfma_*. gfx908 has its sums in AGPRs, gfx90a in registers of one file.
bool matrix(Match& m) {
  const Row& r = m.row_;
  const Shape& s = m.shape_;
  m.begin(Form::vop3, 8);
  const int n = dwords(r.dst);
  if (s.sources == 1) {
    if (!destination(m) || !m.source(0, r.src[0], s.kind[0], plain))
      return false;
    const uint16_t c = m.out.src[0];
    if (s.agpr_dst && !m.context.gfx90a() && c < code::lds_direct && !is_inline_constant(c))
      return m.reject(1, full_name(m) + " takes a VGPR or an inline constant on gfx908");
    return m.end();
  }
  if (m.context.gfx90a() ? !m.data(n, m.out.dst, "the destination") : !m.agpr(n, m.out.dst, "the destination"))
    return false;
  for (int k = 0; k < 3; ++k)
    if (!m.source(k, r.src[k], s.kind[k], plain))
      return false;
  m.out.cbsz = static_cast<uint8_t>(m.take(Name::cbsz).value_or(0));
  m.out.abid = static_cast<uint8_t>(m.take(Name::abid).value_or(0));
  m.out.blgp = static_cast<uint8_t>(m.take(Name::blgp).value_or(0));
  if (!m.end())
    return false;
  const uint16_t sum = m.out.src[2], dst = m.out.dst;
  if (sum >= code::vgpr0 && is_agpr(sum) != is_agpr(dst))
    return m.reject(3, "source 2 and the destination of " + full_name(m) + " are both AGPRs or both VGPRs");
  if (sum >= code::vgpr0 && n > 4 && sum != dst && sum < dst + n && dst < sum + n)
    return m.reject(3, "source 2 of " + full_name(m) + " is the destination or does not overlap with it");
  return m.even_vgprs();
}

bool vop3(Match& m) {
  const Row& r = m.row_;
  const Shape& s = m.shape_;
  const bool packed = r.encoding == Encoding::VOP3P, mixed = packed && r.src[0] == Type::F32;
  m.begin(Form::vop3, 8);
  if (!destination(m) || (s.mask_dst && !m.sgpr(2, m.out.sdst, "the carry")))
    return false;
  for (int k = 0; k < s.sources; ++k) {
    const unsigned takes = mixed    ? unsigned(signs)
                           : packed ? unsigned(plain)
                                    : source_modifiers(s, k) | constant_sext(m, k);
    // The constants of the mixed operations are halves, whatever op_sel_hi makes of them.
    if (!m.source(k, mixed ? Type::F16 : r.src[k], s.kind[k], takes))
      return false;
  }
  if (s.mask_source && !m.source(2, Type::Mask, RegisterKind::mask, plain))
    return false;
  if (packed) {
    m.out.op_sel_hi = mixed ? 0 : static_cast<uint8_t>((1u << s.sources) - 1);
    if (!packed_list(m, Name::op_sel, m.out.op_sel) || !packed_list(m, Name::op_sel_hi, m.out.op_sel_hi) ||
        (!mixed && (!packed_list(m, Name::neg_lo, m.out.neg) || !packed_list(m, Name::neg_hi, m.out.neg_hi))))
      return false;
  } else if (!op_sel(m)) {
    return false;
  }
  if (s.clamp || packed)
    m.out.clamp = m.flag(Name::clamp);
  else if (shape(m.context.op).clamp && m.has(Name::clamp) && m.item()->value == 0)
    m.skip(); // "noclamp" where only later generations clamp
  if (s.omod && !packed)
    m.out.omod = static_cast<uint8_t>(m.take(Name::omod).value_or(0));
  if (!m.end() || !lds_direct(m, Form::vop3))
    return false;
  if (s.mask_dst && m.out.abs != 0)
    return m.reject(0, full_name(m) + " has no absolute values: its carry is in their place");
  if (writes_lane_m0(m))
    return true;
  const bool reads_vcc = has(r.implicit, Implicit::vcc_r) && !s.mask_source;
  return m.constant_bus(s.fields, reads_vcc) && m.even_vgprs();
}

bool dpp(Match& m) {
  const Row& r = m.row_;
  const Shape& s = m.shape_;
  m.begin(Form::dpp, 8);
  if (!destination_vcc(m))
    return false;
  for (int k = 0; k < s.sources; ++k)
    if (!m.source(k, r.src[k], RegisterKind::vgpr, source_modifiers(s, k)))
      return false;
  if (!mask_vcc(m))
    return false;
  const size_t control = m.has(Name::dpp_ctrl) ? 0 : 1;
  if (control != 0)
    return m.fail("expected a DPP control, such as quad_perm:[0,1,2,3] or row_shl:1");
  m.out.dpp_ctrl = static_cast<uint16_t>(m.item()->value);
  if (!s.dpp && (m.out.dpp_ctrl < 0x150 || m.out.dpp_ctrl > 0x15f))
    return m.fail("operands of 64 bits take row_newbcast only");
  m.skip();
  m.out.row_mask = static_cast<uint8_t>(m.take(Name::row_mask).value_or(15));
  m.out.bank_mask = static_cast<uint8_t>(m.take(Name::bank_mask).value_or(15));
  m.out.bound_ctrl = m.flag(Name::bound_ctrl);
  return m.end() && m.even_vgprs();
}

bool sdwa(Match& m) {
  const Row& r = m.row_;
  const Shape& s = m.shape_;
  const bool gfx9 = m.context.gfx9(), compare = r.encoding == Encoding::VOPC;
  m.begin(Form::sdwa, 8);
  if (compare && gfx9 ? !destination(m) : !destination_vcc(m))
    return false;
  for (int k = 0; k < s.sources; ++k) {
    const unsigned takes = s.abs >> k & 1 ? signs : extension;
    if (!m.source(k, r.src[k], gfx9 ? RegisterKind::any : RegisterKind::vgpr, takes))
      return false;
  }
  if (!mask_vcc(m))
    return false;
  if (s.sources > 0) {
    if (!(compare && gfx9))
      m.out.clamp = m.flag(Name::clamp);
    if (!compare) {
      if (gfx9 && s.sdwa_omod)
        m.out.omod = static_cast<uint8_t>(m.take(Name::omod).value_or(0));
      m.out.dst_sel = SdwaSel(m.take(Name::dst_sel).value_or(int(SdwaSel::dword)));
      m.out.dst_unused = SdwaUnused(m.take(Name::dst_unused).value_or(int(SdwaUnused::preserve)));
    }
    m.out.src0_sel = SdwaSel(m.take(Name::src0_sel).value_or(int(SdwaSel::dword)));
    m.out.src1_sel = s.sources > 1 ? SdwaSel(m.take(Name::src1_sel).value_or(int(SdwaSel::dword))) : SdwaSel::byte0;
  }
  if (!m.end() || !lds_direct(m, Form::sdwa))
    return false;
  if (!gfx9 && has(r.implicit, Implicit::dst_r) && m.out.dst_sel != SdwaSel::dword)
    return m.reject(0, full_name(m) + " reads its destination and writes all of it: dst_sel:DWORD");
  return m.constant_bus(s.sources, s.mask_source);
}

// attr12.z as ATTR * 4 + ATTRCHAN.
bool attribute(Match& m) {
  const Item* i = m.item();
  const auto expected = [&] { return m.fail("expected an attribute from attr0.x to attr32.w"); };
  if (!i || i->kind != ItemKind::word || !i->text.starts_with("attr") || i->text.size() < 7)
    return expected();
  const std::string_view digits = std::string_view(i->text).substr(4, i->text.size() - 6);
  const size_t channel = std::string_view("xyzw").find(i->text.back());
  unsigned number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (i->text[i->text.size() - 2] != '.' || channel == std::string_view::npos || error != std::errc() ||
      end != digits.data() + digits.size() || number > 32)
    return expected();
  m.out.imm = int(number * 4 + channel);
  m.skip();
  return true;
}

bool parameter(Match& m) {
  constexpr std::string_view names[] = {"p10", "p20", "p0"};
  for (uint16_t k = 0; k < 3; ++k)
    if (m.item() && m.item()->kind == ItemKind::word && m.item()->text == names[k]) {
      m.out.src[0] = k;
      m.skip();
      return true;
    }
  return m.fail("expected p10, p20 or p0");
}

} // namespace

bool match_vop(Match& m, Form form) {
  switch (form) {
  case Form::base: return base(m);
  case Form::vop3: return m.shape_.matrix ? matrix(m) : vop3(m);
  case Form::dpp: return dpp(m);
  case Form::sdwa: return sdwa(m);
  }
  return false;
}

bool match_interpolation(Match& m, Form form) {
  const Row& r = m.row_;
  m.begin(form, form == Form::base ? 4 : 8);
  const unsigned takes = form == Form::base ? plain : signs;
  if (!m.vgpr(1, m.out.dst, "the destination"))
    return false;
  if (r.src[0] == Type::B32 ? !parameter(m) : !m.source(0, Type::F32, RegisterKind::vgpr, takes))
    return false;
  if (!attribute(m))
    return false;
  if (r.src[2] != Type::None && !m.source(2, Type::F32, RegisterKind::vgpr, takes))
    return false;
  if (form == Form::vop3) {
    if (r.encoding == Encoding::VOP3)
      m.out.op_sel = m.flag(Name::high) ? 1 : 0;
    m.out.clamp = m.flag(Name::clamp);
    if (r.dst == Type::F32)
      m.out.omod = static_cast<uint8_t>(m.take(Name::omod).value_or(0));
  }
  return m.end();
}

} // namespace crosslane::isa::detail
