// The text of one instruction, operand by operand in the order of LLVM's assembly strings.
#include "isa/print.h"
#include "isa/access.h"
#include "isa/classify.h"
#include "isa/memory_registers.h"
#include "isa/print/writer.h"

namespace crosslane::isa {
namespace {
using namespace detail;

Generation generation(const Instruction& i) { return info(i.target).generation; }

void scalar(Writer& w) {
  const Instruction& i = w.inst;
  const Row& r = w.row_;
  const bool set = writes_hwreg(r); // the hardware register comes first
  if (r.dst != Type::None)
    w.reg(i.dst, dwords(r.dst));
  for (int n = 0; n < 2; ++n) {
    const int k = set ? 1 - n : n;
    const Type t = r.src[k];
    switch (t) {
    case Type::None: continue;
    case Type::Simm16:
    case Type::Uimm16:
      if (has(r.implicit, Implicit::ends)) { // s_endpgm hides a zero
        if (i.imm != 0)
          w.next(), append_decimal(w.text, i.imm);
        break;
      }
      w.next();
      if (r.encoding == Encoding::SOPP && i.imm <= 64)
        append_decimal(w.text, i.imm);
      else
        append_hex(w.text, unsigned(i.imm) & 0xffff);
      break;
    case Type::Label:
      w.next();
      append_decimal(w.text, i.imm & 0xffff);
      break;
    case Type::WaitCnt:
      w.next();
      append_waitcnt(w.text, generation(i), unsigned(i.imm));
      break;
    case Type::SendMsg:
      w.next();
      append_sendmsg(w.text, generation(i), unsigned(i.imm));
      break;
    case Type::HwReg:
      w.next();
      append_hwreg(w.text, generation(i), unsigned(i.imm));
      break;
    case Type::GprIdx:
      w.next();
      append_gpr_idx(w.text, unsigned(i.imm));
      break;
    case Type::Imm32: w.source(code::literal, Type::B32); break;
    default:
      if (r.encoding == Encoding::SOPK)
        w.reg(i.src[k], dwords(t));
      else
        w.source(i.src[k], t, shape(i.op).kind[k]);
      break;
    }
  }
}

void bits(Writer& w, std::string_view name, unsigned value, int count) {
  w.text += name;
  for (int k = 0; k < count; ++k) {
    if (k)
      w.text += ',';
    w.text += value >> k & 1 ? '1' : '0';
  }
  w.text += ']';
}

constexpr std::string_view sel_names[] = {"BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3", "WORD_0", "WORD_1", "DWORD"};
constexpr std::string_view unused_names[] = {"UNUSED_PAD", "UNUSED_SEXT", "UNUSED_PRESERVE"};

void vector_modifiers(Writer& w, const Shape& s) {
  const Instruction& i = w.inst;
  if (s.matrix) {
    const auto field = [&](std::string_view name, unsigned value) {
      if (value)
        w.text += name, append_decimal(w.text, value);
    };
    field(" cbsz:", i.cbsz);
    field(" abid:", i.abid);
    field(" blgp:", i.blgp);
  } else if (w.row_.encoding == Encoding::VOP3P) {
    const int n = s.sources;
    const unsigned all = (1u << n) - 1;
    const bool mixed = w.row_.src[0] == Type::F32;
    if (i.op_sel)
      bits(w, " op_sel:[", i.op_sel, n);
    if (i.op_sel_hi != (mixed ? 0 : all))
      bits(w, " op_sel_hi:[", i.op_sel_hi, n);
    if (!mixed && i.neg)
      bits(w, " neg_lo:[", i.neg, n);
    if (!mixed && i.neg_hi)
      bits(w, " neg_hi:[", i.neg_hi, n);
  } else if (i.op_sel) {
    bits(w, " op_sel:[", (i.op_sel & ((1u << s.sources) - 1)) | (i.op_sel >> 3 << s.sources), s.sources + 1);
  }
  w.clamp_and_omod();
  if (i.form == Form::dpp)
    append_dpp(w.text, i);
  if (i.form == Form::sdwa && s.sources > 0) {
    if (w.row_.encoding != Encoding::VOPC) {
      w.text += " dst_sel:";
      w.text += sel_names[size_t(i.dst_sel)];
      w.text += " dst_unused:";
      w.text += unused_names[size_t(i.dst_unused)];
    }
    w.text += " src0_sel:";
    w.text += sel_names[size_t(i.src0_sel)];
    if (s.sources > 1) {
      w.text += " src1_sel:";
      w.text += sel_names[size_t(i.src1_sel)];
    }
  }
}

void vector(Writer& w) {
  const Instruction& i = w.inst;
  const Row& r = w.row_;
  const Shape& s = shape(i.op, generation(i));
  const bool mixed = r.encoding == Encoding::VOP3P && r.src[0] == Type::F32;
  if (r.encoding == Encoding::VOPC || s.scalar_dst)
    w.scalar_dst(i.dst, dwords(r.dst));
  else if (r.dst != Type::None)
    w.reg(i.dst, dwords(r.dst));
  if (s.mask_dst)
    w.reg(i.sdst, 2);
  const int last = s.k ? 3 : s.sources;
  for (int k = 0; k < last; ++k) {
    const Type t = s.k ? r.dst : r.src[k]; // every source of madmk and madak has the type of the result
    if (i.src[k] == code::literal && s.k && k > 0)
      w.next(), append_hex(w.text, i.literal);
    else if (r.encoding == Encoding::VOP3P && !mixed)
      w.source(i.src[k], t, s.kind[k]);
    else // an integer beside floats prints as they do
      w.modified_source(k, s.modifiers && t == Type::I16 ? Type::F16 : t, s.kind[k]);
  }
  if (s.mask_source)
    w.source(i.src[2], Type::Mask, RegisterKind::mask);
  vector_modifiers(w, s);
}

// _e32, _e64, _dpp, _sdwa: only where the same operation has more than one form.
std::string_view suffix(const Instruction& i, const Row& r) {
  if (r.encoding == Encoding::VINTRP)
    return generation(i) <= Generation::gfx7 ? "" : i.form == Form::base ? "_e32" : "_e64";
  const Shape& s = shape(i.op, generation(i));
  if (r.encoding != Encoding::VOP1 && r.encoding != Encoding::VOP2 && r.encoding != Encoding::VOPC && !s.vop2)
    return "";
  if (s.sources == 0)
    return "";
  switch (i.form) {
  case Form::base: return s.k || (!s.vop3 && (s.sources == 1 || s.vop2)) ? "" : "_e32";
  case Form::vop3: return "_e64";
  case Form::dpp: return "_dpp";
  case Form::sdwa: return r.encoding == Encoding::VOPC && generation(i) <= Generation::gfx8 ? "" : "_sdwa";
  }
  return "";
}

void smem(Writer& w) {
  const Instruction& i = w.inst;
  const Row& r = w.row_;
  if (r.access == Access::probe) {
    w.next();
    if (i.data <= 64)
      append_decimal(w.text, i.data);
    else
      append_hex(w.text, i.data);
  } else if (const int n = dwords(smem_data(r))) {
    w.tuple(i.data != code::none ? i.data : i.dst, n, n == 1 ? "SReg_32_XM0_XEXEC" : n == 2 ? "SReg_64_XEXEC" : "");
  }
  if (r.src[0] != Type::None) {
    w.tuple(i.src[0], dwords(r.src[0]), "");
    if (i.src[1] == code::literal) {
      w.next();
      append_hex(w.text, i.literal);
    } else if (i.src[1] != code::none) {
      w.reg(i.src[1], 1);
      if (i.imm_offset) {
        w.text += " offset:";
        append_signed_hex(w.text, i.imm);
      }
    } else {
      w.next();
      append_signed_hex(w.text, generation(i) <= Generation::gfx7 ? i.imm / 4 : i.imm);
    }
  }
  w.flag(i.glc, "glc");
}

void ds(Writer& w) {
  const Instruction& i = w.inst;
  const Row& r = w.row_;
  if (i.dst != code::none)
    w.reg(i.dst, dwords(r.dst));
  if (i.addr != code::none)
    w.reg(i.addr, 1);
  if (i.data != code::none)
    w.reg(i.data, dwords(r.src[0]));
  if (i.data1 != code::none)
    w.reg(i.data1, dwords(r.src[1]));
  if (has_two_addresses(r.access)) {
    if (i.imm) {
      w.text += " offset0:";
      append_decimal(w.text, i.imm);
    }
    if (i.offset1) {
      w.text += " offset1:";
      append_decimal(w.text, i.offset1);
    }
  } else if (r.access == Access::swizzle) {
    append_swizzle(w.text, unsigned(i.imm));
  } else {
    w.offset(i.imm);
  }
  w.flag(i.gds && (generation(i) < Generation::gfx90a || r.access == Access::gws), "gds");
}

void flat(Writer& w) {
  const Instruction& i = w.inst;
  const Row& r = w.row_;
  if (i.dst != code::none)
    w.reg(i.dst, dwords(r.dst));
  w.reg(i.addr, flat_address_registers(i));
  if (i.data != code::none)
    w.reg(i.data, dwords(r.src[0]));
  if (r.encoding != Encoding::FLAT)
    w.reg(i.saddr, r.encoding == Encoding::GLOBAL ? 2 : 1);
  w.offset(i.imm);
  w.flag(i.glc, "glc");
  w.flag(i.slc, "slc");
  w.flag(i.scc, "scc");
  w.flag(i.lds, "lds");
}

void buffer(Writer& w) {
  const Instruction& i = w.inst;
  const Row& r = w.row_;
  if (!i.lds)
    w.reg(i.data != code::none ? i.data : i.dst, buffer_data_registers(i));
  const bool from_lds = r.access == Access::store_from_lds;
  if (!from_lds)
    w.reg(i.addr, buffer_address_registers(i));
  w.tuple(i.srsrc, 4, "");
  w.source(i.saddr, Type::B32, RegisterKind::scalar);
  if (r.encoding == Encoding::MTBUF)
    append_buffer_format(w.text, generation(i), i.dfmt, i.nfmt);
  w.flag(i.idxen, "idxen");
  w.flag(i.addr64, "addr64");
  w.flag(i.offen, "offen");
  w.offset(i.imm);
  w.flag(from_lds, "lds");
  w.flag(i.glc, "glc");
  w.flag(i.slc, "slc");
  w.flag(i.scc, "scc");
  w.flag(i.tfe, "tfe");
  w.flag(i.lds && !from_lds, "lds");
}

} // namespace

std::string print(const Instruction& i) {
  Writer w(i);
  w.text = mnemonic(i.op, i.target);
  w.text += suffix(i, w.row_);
  switch (w.row_.encoding) {
  case Encoding::SOP1:
  case Encoding::SOP2:
  case Encoding::SOPK:
  case Encoding::SOPC:
  case Encoding::SOPP: scalar(w); break;
  case Encoding::VOP1:
  case Encoding::VOP2:
  case Encoding::VOPC:
  case Encoding::VOP3P: vector(w); break;
  case Encoding::VOP3: w.row_.src[1] == Type::Attr ? print_interpolation(w) : vector(w); break;
  case Encoding::SMEM: smem(w); break;
  case Encoding::DS: ds(w); break;
  case Encoding::FLAT:
  case Encoding::GLOBAL:
  case Encoding::SCRATCH: flat(w); break;
  case Encoding::MUBUF:
  case Encoding::MTBUF:
    if (w.row_.access != Access::cache)
      buffer(w);
    break;
  case Encoding::VINTRP: print_interpolation(w); break;
  case Encoding::MIMG: print_mimg(w); break;
  case Encoding::EXP: print_exp(w); break;
  }
  return std::move(w.text);
}

} // namespace crosslane::isa
