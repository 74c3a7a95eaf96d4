// SOP1, SOP2, SOPK, SOPC, SOPP.
#include "isa/decode/input.h"

namespace crosslane::isa::detail {
namespace {

// A branch target, wait count or other 16-bit immediate.
int immediate(const Input& in, Type t) {
  const unsigned v = in[sopp::simm]; // SOPK has it in the same place
  switch (t) {
  case Type::Uimm16:
  case Type::WaitCnt:
  case Type::SendMsg:
  case Type::HwReg:
  case Type::GprIdx: return int(v);
  default: return int16_t(v);
  }
}

bool field_source(const Input& in, unsigned c, Type t, uint16_t& field, Instruction& out,
                  RegisterKind kind = RegisterKind::scalar) {
  return source_or_literal(in, c, dwords(t), kind, field, out);
}

bool destination(const Input& in, unsigned c, Type t, Instruction& out) {
  return t == Type::None || scalar_register(in, c, dwords(t), out.dst, out);
}

int decode_sop1(const Input& in, Instruction& out) {
  if (!begin(lookup(in.generation, Encoding::SOP1, in[sop1::opcode]), Form::base, 4, out))
    return 0;
  const Row& r = row(out.op);
  const unsigned s0 = in[sop1::ssrc0];
  if (!destination(in, in[sop1::sdst], r.dst, out))
    return 0;
  if (r.src[0] == Type::None)
    return out.size;
  return field_source(in, s0, r.src[0], out.src[0], out, shape(out.op).kind[0]) ? out.size : 0;
}

int decode_sop2(const Input& in, Instruction& out) {
  if (!begin(lookup(in.generation, Encoding::SOP2, in[sop2::opcode]), Form::base, 4, out))
    return 0;
  const Row& r = row(out.op);
  return destination(in, in[sop2::sdst], r.dst, out) && field_source(in, in[sop2::ssrc0], r.src[0], out.src[0], out) &&
                 field_source(in, in[sop2::ssrc1], r.src[1], out.src[1], out)
             ? out.size
             : 0;
}

int decode_sopc(const Input& in, Instruction& out) {
  if (!begin(lookup(in.generation, Encoding::SOPC, in[sopc::opcode]), Form::base, 4, out))
    return 0;
  const Row& r = row(out.op);
  if (!field_source(in, in[sopc::ssrc0], r.src[0], out.src[0], out))
    return 0;
  if (r.src[1] == Type::GprIdx) {
    out.imm = int(in[sopc::ssrc1]);
    return out.size;
  }
  return field_source(in, in[sopc::ssrc1], r.src[1], out.src[1], out) ? out.size : 0;
}

int decode_sopp(const Input& in, Instruction& out) {
  if (!begin(lookup(in.generation, Encoding::SOPP, in[sopp::opcode]), Form::base, 4, out))
    return 0;
  const Type t = row(out.op).src[0];
  if (t == Type::None)
    return in[sopp::simm] == 0 ? out.size : 0;
  out.imm = immediate(in, t);
  return out.size;
}

int decode_sopk(const Input& in, Instruction& out) {
  if (!begin(lookup(in.generation, Encoding::SOPK, in[sopk::opcode]), Form::base, 4, out))
    return 0;
  const Row& r = row(out.op);
  out.imm = immediate(in, r.src[1]);
  if (r.src[0] == Type::Imm32) { // s_setreg_imm32_b32: the value follows
    if (in.words < 2)
      return 0;
    out.src[0] = code::literal;
    out.literal = in.word1;
    out.size = 8;
    return out.size;
  }
  const bool source = r.src[0] != Type::None;
  return scalar_register(in, in[sopk::sdst], dwords(source ? r.src[0] : r.dst), source ? out.src[0] : out.dst, out)
             ? out.size
             : 0;
}

} // namespace

int decode_scalar(const Input& in, Instruction& out) {
  switch (in.word0 >> 23) {
  case 0x17d: return decode_sop1(in, out);
  case 0x17e: return decode_sopc(in, out);
  case 0x17f: return decode_sopp(in, out);
  default: return in.word0 >> 28 == 0xb ? decode_sopk(in, out) : decode_sop2(in, out);
  }
}

} // namespace crosslane::isa::detail
