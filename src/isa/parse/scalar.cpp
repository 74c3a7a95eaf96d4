// SOP1, SOP2, SOPC, SOPK, SOPP and SMEM.
#include "isa/access.h"
#include "isa/classify.h"
#include "isa/memory_registers.h"
#include "isa/parse/match.h"

namespace crosslane::isa::detail {
namespace {

bool immediate(Match& m, Type t) {
  const Row& r = m.row_;
  int64_t v = 0;
  switch (t) {
  case Type::Label: return m.branch_target();
  case Type::Simm16:
  case Type::Uimm16: {
    if (has(r.implicit, Implicit::ends) && !m.item())
      return true; // s_endpgm
    const bool negative = !has(r.implicit, Implicit::ends) && (t == Type::Simm16 || r.encoding == Encoding::SOPP);
    if (!m.number(negative ? INT16_MIN : 0, 0xffff, v, "the immediate"))
      return false;
    break;
  }
  case Type::WaitCnt:
    if (!m.number(INT16_MIN, 0xffff, v, "the wait count"))
      return false;
    break;
  case Type::GprIdx:
    if (!m.number(0, 15, v, "the index mode"))
      return false;
    break;
  default: // HwReg, SendMsg
    if (!m.number(0, 0xffff, v, t == Type::HwReg ? "the hardware register" : "the message"))
      return false;
    break;
  }
  m.out.imm = t == Type::Simm16 ? int(int16_t(v)) : int(v & 0xffff);
  return true;
}

bool is_immediate(Type t) {
  return t == Type::Label || t == Type::Simm16 || t == Type::Uimm16 || t == Type::WaitCnt || t == Type::GprIdx ||
         t == Type::HwReg || t == Type::SendMsg;
}

bool offset_in_range(Match& m, int64_t v) {
  const bool resource = m.row_.src[0] == Type::B128;
  const bool negative = m.context.gfx9() && !resource;
  if (v < (negative ? -0x100000 : 0) || v > 0xfffff)
    return m.fail(negative ? "the offset has 21 bits and a sign: from -0x100000 to 0xfffff"
                           : "the offset has 20 bits: from 0 to 0xfffff");
  m.out.imm = static_cast<int32_t>(v);
  m.out.imm_offset = true;
  return true;
}

// Offsets of gfx6 and gfx7 count dwords: eight bits, on gfx7 also a literal.
bool dword_offset(Match& m, int64_t v) {
  const bool seven = m.context.generation() == Generation::gfx7;
  if (v >= 0 && v <= 255) {
    m.out.imm = static_cast<int32_t>(v * 4);
    m.out.imm_offset = true;
    return true;
  }
  if (!seven || v < 0 || v > 0xffffffff)
    return m.fail(seven ? "the offset is a number of dwords of 32 bits without sign"
                        : "the offset is a number of dwords from 0 to 255");
  m.out.src[1] = code::literal;
  m.out.literal = static_cast<uint32_t>(v);
  m.out.size += 4;
  return true;
}

bool offset(Match& m) {
  const Item* i = m.item();
  if (i && i->kind == ItemKind::reg) {
    if (!m.sgpr(1, m.out.src[1], "the offset"))
      return false;
    if (m.context.gfx9() && m.has(Name::offset)) {
      if (!offset_in_range(m, m.item()->value))
        return false;
      m.skip();
    }
    return true;
  }
  if (!i || i->kind == ItemKind::modifier) { // as LLVM does
    m.out.imm_offset = true;
    return true;
  }
  if (i->kind != ItemKind::integer || i->label || i->late || i->neg || i->abs || i->sext)
    return m.fail("expected an offset: a number or an SGPR");
  if (m.context.generation() < Generation::gfx8 ? !dword_offset(m, i->value) : !offset_in_range(m, i->value))
    return false;
  m.skip();
  return true;
}

} // namespace

bool match_scalar(Match& m) {
  const Row& r = m.row_;
  m.begin(Form::base, 4);
  const bool set_register = writes_hwreg(r);
  if (set_register) { // the hardware register comes first
    if (!immediate(m, Type::HwReg))
      return false;
    if (r.src[0] != Type::Imm32)
      return m.sgpr(1, m.out.src[0], "the source") && m.end();
    m.out.src[0] = code::literal;
    return m.literal32(Type::B32, "the value") && m.end();
  }
  if (r.dst != Type::None && !m.sgpr(dwords(r.dst), m.out.dst, "the destination"))
    return false;
  const unsigned takes = r.encoding == Encoding::SOP2 && has(r.implicit, Implicit::exec_w) ? plain : literals;
  if (r.encoding == Encoding::SOPK && r.src[0] != Type::None)
    return m.sgpr(dwords(r.src[0]), m.out.src[0], "the source") && immediate(m, r.src[1]) && m.end();
  for (int k = 0; k < 3; ++k) {
    const Type t = r.src[k];
    if (t == Type::None)
      continue;
    if (is_immediate(t) ? !immediate(m, t) : !m.source(k, t, k < 2 ? m.shape_.kind[k] : RegisterKind::scalar, takes))
      return false;
  }
  return m.end();
}

bool match_smem(Match& m) {
  const Row& r = m.row_;
  const bool before_gfx8 = m.context.generation() < Generation::gfx8;
  m.begin(Form::base, before_gfx8 ? 4 : 8);
  uint16_t data = code::none;
  if (r.access == Access::probe) {
    int64_t v = 0;
    if (!m.number(0, 127, v, "what to probe for"))
      return false;
    m.out.data = static_cast<uint16_t>(v);
  } else if (const Type t = smem_data(r); t != Type::None && !m.sgpr_xm0_xexec(dwords(t), data, "the data")) {
    return false;
  }
  if (r.src[0] != Type::None && (!m.sgpr(dwords(r.src[0]), m.out.src[0], "the base") || !offset(m)))
    return false;
  if (r.memory != Type::None && r.access != Access::time && !(before_gfx8 && m.flag_is_given(Name::glc)))
    m.out.glc = m.flag(Name::glc);
  if (r.src[1] != Type::None)
    m.out.data = data;
  if (r.dst != Type::None && (!is_atomic(r.access) || m.out.glc))
    m.out.dst = data;
  return m.end();
}

} // namespace crosslane::isa::detail
