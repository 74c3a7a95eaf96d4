// Text of interpolation, image and export instructions.
#include "isa/memory_registers.h"
#include "isa/print/writer.h"

namespace crosslane::isa::detail {
namespace {

void attribute(Writer& w) {
  w.next();
  w.text += "attr";
  append_decimal(w.text, w.inst.imm >> 2);
  w.text += '.';
  w.text += "xyzw"[w.inst.imm & 3];
}

void parameter(Writer& w, unsigned number) {
  constexpr std::string_view names[] = {"p10", "p20", "p0"};
  if (number < std::size(names)) {
    w.word(names[number]);
  } else {
    w.word("invalid_param_");
    append_decimal(w.text, number);
  }
}

} // namespace

void print_interpolation(Writer& w) {
  const Instruction& i = w.inst;
  w.reg(i.dst, 1);
  if (w.row_.src[0] == Type::B32)
    parameter(w, i.src[0]);
  else
    w.modified_source(0, Type::F32, RegisterKind::vgpr);
  attribute(w);
  if (i.src[2] != code::none)
    w.modified_source(2, Type::F32, RegisterKind::vgpr);
  w.flag(i.op_sel != 0, "high");
  w.clamp_and_omod();
}

void print_mimg(Writer& w) {
  const Instruction& i = w.inst;
  const Row& r = w.row_;
  w.reg(i.data != code::none ? i.data : i.dst, image_printed_registers(i));
  w.reg(i.addr, dwords(r.src[0]));
  w.tuple(i.srsrc, 8, "SReg_256");
  if (r.src[1] != Type::None)
    w.tuple(i.saddr, 4, "SReg_128");
  if (i.dmask) {
    w.text += " dmask:";
    append_hex(w.text, i.dmask);
  }
  w.flag(i.unorm, "unorm");
  w.flag(i.glc, "glc");
  w.flag(i.slc, "slc");
  w.flag(i.scc, "scc");
  w.flag(i.r128, "r128");
  w.flag(i.a16, "a16");
  w.flag(i.tfe, "tfe");
  w.flag(i.lwe, "lwe");
  w.flag(i.da, "da");
  w.flag(i.d16, "d16");
}

void print_exp(Writer& w) {
  const Instruction& i = w.inst;
  const auto numbered = [&](std::string_view name, int n) {
    w.text += ' ';
    w.text += name;
    append_decimal(w.text, n);
  };
  if (i.imm < 8)
    numbered("mrt", i.imm);
  else if (i.imm == 8)
    w.text += " mrtz";
  else if (i.imm == 9)
    w.text += " null";
  else if (i.imm >= 12 && i.imm <= 15)
    numbered("pos", i.imm - 12);
  else if (i.imm >= 32)
    numbered("param", i.imm - 32);
  else
    numbered("invalid_target_", i.imm);
  const uint16_t sources[] = {i.src[0], i.src[1], i.src[2], i.data};
  for (int k = 0; k < 4; ++k)
    w.reg(i.dmask >> k & 1 ? sources[i.compr ? k / 2 : k] : code::off, 1);
  w.flag(i.done, "done");
  w.flag(i.compr, "compr");
  w.flag(i.vm, "vm");
}

} // namespace crosslane::isa::detail
