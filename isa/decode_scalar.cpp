// SOP1, SOP2, SOPK, SOPC, SOPP.
#include "isa/decode_input.h"

namespace crosslane::isa::detail {
namespace {

// A branch target, wait count or other 16-bit immediate.
int immediate(const Input& in, Type t) {
  const unsigned v = in.bits0(0, 16);
  switch (t) {
  case Type::Uimm16:
  case Type::WaitCnt:
  case Type::SendMsg:
  case Type::HwReg:
  case Type::GprIdx:
    return int(v);
  default:
    return int16_t(v);
  }
}

bool field_source(const Input& in, unsigned c, Type t, uint16_t& field, Instruction& out,
                  RegisterKind kind = RegisterKind::scalar) {
  return source_or_literal(in, c, dwords(t), kind, field, out);
}

bool destination(const Input& in, unsigned c, Type t, Instruction& out) {
  return t == Type::None || scalar_register(in, c, dwords(t), out.dst, out);
}

int sop1(const Input& in, Instruction& out) {
  if (!begin(lookup(in.generation, Encoding::SOP1, in.bits0(8, 8)), Form::base, 4, out))
    return 0;
  const Row& r = row(out.op);
  const unsigned s0 = in.bits0(0, 8);
  if (!destination(in, in.bits0(16, 7), r.dst, out))
    return 0;
  if (r.src[0] == Type::None)
    return out.size;
  return field_source(in, s0, r.src[0], out.src[0], out, shape(out.op).kind[0]) ? out.size : 0;
}

int sop2(const Input& in, Instruction& out) {
  if (!begin(lookup(in.generation, Encoding::SOP2, in.bits0(23, 7)), Form::base, 4, out))
    return 0;
  const Row& r = row(out.op);
  return destination(in, in.bits0(16, 7), r.dst, out) && field_source(in, in.bits0(0, 8), r.src[0], out.src[0], out) &&
                 field_source(in, in.bits0(8, 8), r.src[1], out.src[1], out)
             ? out.size
             : 0;
}

int sopc(const Input& in, Instruction& out) {
  if (!begin(lookup(in.generation, Encoding::SOPC, in.bits0(16, 7)), Form::base, 4, out))
    return 0;
  const Row& r = row(out.op);
  if (!field_source(in, in.bits0(0, 8), r.src[0], out.src[0], out))
    return 0;
  if (r.src[1] == Type::GprIdx) {
    out.imm = int(in.bits0(8, 8));
    return out.size;
  }
  return field_source(in, in.bits0(8, 8), r.src[1], out.src[1], out) ? out.size : 0;
}

int sopp(const Input& in, Instruction& out) {
  if (!begin(lookup(in.generation, Encoding::SOPP, in.bits0(16, 7)), Form::base, 4, out))
    return 0;
  const Type t = row(out.op).src[0];
  if (t == Type::None)
    return in.bits0(0, 16) == 0 ? out.size : 0;
  out.imm = immediate(in, t);
  return out.size;
}

int sopk(const Input& in, Instruction& out) {
  if (!begin(lookup(in.generation, Encoding::SOPK, in.bits0(23, 5)), Form::base, 4, out))
    return 0;
  const Row& r = row(out.op);
  out.imm = immediate(in, r.src[0]);
  if (r.dst == Type::None) { // s_setreg_imm32_b32: the value follows
    if (in.words < 2)
      return 0;
    out.src[0] = code::literal;
    out.literal = in.word1;
    out.size = 8;
    return out.size;
  }
  return destination(in, in.bits0(16, 7), r.dst, out) ? out.size : 0;
}

} // namespace

int decode_scalar(const Input& in, Instruction& out) {
  switch (in.word0 >> 23) {
  case 0x17d:
    return sop1(in, out);
  case 0x17e:
    return sopc(in, out);
  case 0x17f:
    return sopp(in, out);
  default:
    return in.word0 >> 28 == 0xb ? sopk(in, out) : sop2(in, out);
  }
}

} // namespace crosslane::isa::detail
