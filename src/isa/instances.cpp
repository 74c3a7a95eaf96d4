// The forms of each encoding, as the decoder gives them.
#include "isa/instances.h"
#include "isa/access.h"
#include "isa/shape.h"

namespace crosslane::isa {
namespace {

using enum Encoding;

uint16_t v(unsigned n) { return static_cast<uint16_t>(code::vgpr0 + n); }
bool compact(Encoding e) { return e == VOP1 || e == VOP2 || e == VOPC; }

// Scalar registers by role: tuples of up to sixteen at the first, which is aligned for all of them.
enum : uint16_t { scalar_dst = 16, scalar_src = 32, scalar_src1 = 40, scalar_resource = 48, scalar_sampler = 56 };
// Vector registers likewise.
enum : unsigned { vector_dst = 64, vector_src = 0, vector_data = 16, vector_data1 = 32 };

class Builder {
public:
  Builder(Op op, Target target) : row_(row(op)), shape_(shape(op)), generation_(info(target).generation) {
    plain_.op = op;
    plain_.target = target;
    plain_.encoding = row_.encoding;
  }
  std::vector<Instruction> build() {
    switch (row_.encoding) {
    case SOP1:
    case SOP2:
    case SOPK:
    case SOPC:
    case SOPP: scalar(); break;
    case SMEM: scalar_memory(); break;
    case VOP1:
    case VOP2:
    case VOPC:
    case VOP3:
    case VOP3P: vector(); break;
    case VINTRP: interpolation(); break;
    case DS: lds(); break;
    case FLAT:
    case GLOBAL:
    case SCRATCH: flat(); break;
    case MUBUF:
    case MTBUF: buffer(); break;
    case MIMG: image(); break;
    case EXP: export_(); break;
    }
    return std::move(all_);
  }

private:
  Instruction start(Form form, int size) const {
    Instruction i = plain_;
    i.form = form;
    i.size = static_cast<uint8_t>(size);
    return i;
  }
  void add(const Instruction& i) { all_.push_back(i); }
  bool gfx8() const { return generation_ >= Generation::gfx8; }
  bool gfx9() const { return generation_ >= Generation::gfx9; }

  static int immediate(Type t) {
    switch (t) {
    case Type::HwReg: return 1 | 31 << 11; // all of MODE
    case Type::SendMsg: return 1;          // an interrupt
    case Type::GprIdx:
    case Type::Label:
    case Type::Simm16:
    case Type::Uimm16: return 2;
    default: return 0;
    }
  }
  static bool is_immediate(Type t) {
    return t == Type::Simm16 || t == Type::Uimm16 || t == Type::Label || t == Type::SendMsg || t == Type::WaitCnt ||
           t == Type::HwReg || t == Type::GprIdx;
  }

  void scalar() {
    Instruction i = start(Form::base, 4);
    if (row_.dst != Type::None)
      i.dst = scalar_dst;
    const uint16_t registers[] = {scalar_src, scalar_src1};
    for (int s = 0; s < 2; ++s)
      if (is_immediate(row_.src[s]))
        i.imm = immediate(row_.src[s]);
      else if (row_.src[s] != Type::None)
        i.src[s] = registers[s];
    if (row_.src[0] == Type::Imm32) { // s_setreg_imm32_b32
      i.src[0] = code::literal;
      i.size = 8;
    }
    add(i);
  }

  void scalar_memory() {
    Instruction i = start(Form::base, gfx8() ? 8 : 4);
    if (row_.access == Access::probe)
      i.data = 1;
    else if (row_.src[1] != Type::None)
      i.data = scalar_dst;
    else if (row_.dst != Type::None)
      i.dst = scalar_dst;
    if (row_.src[0] != Type::None)
      i.src[0] = scalar_src, i.imm_offset = true, i.imm = 16;
    add(i);
    if (is_atomic(row_.access)) {
      i.glc = true, i.dst = i.data;
      add(i);
    }
  }

  void vector_source(Instruction& i, int s, bool field_is_vgpr) const {
    const RegisterKind k = shape_.kind[s];
    const bool is_scalar =
        !field_is_vgpr && (k == RegisterKind::scalar || k == RegisterKind::sgpr || k == RegisterKind::mask);
    i.src[s] = is_scalar ? uint16_t(scalar_src + 4 * s) : v(vector_src + 4 * unsigned(s));
  }
  void vector_operands(Instruction& i) const {
    for (int s = 0; s < shape_.sources; ++s)
      if (row_.src[s] != Type::None && row_.src[s] != Type::Imm32)
        vector_source(i, s, false);
    if (row_.dst == Type::Mask || shape_.scalar_dst)
      i.dst = i.form == Form::vop3 || shape_.scalar_dst ? uint16_t(scalar_dst) : code::vcc;
    else if (row_.dst != Type::None)
      i.dst = v(vector_dst);
    if (shape_.mask_dst)
      i.sdst = i.form == Form::vop3 ? uint16_t(scalar_dst) : code::vcc;
    if (shape_.mask_source)
      i.src[2] = i.form == Form::vop3 ? uint16_t(scalar_src) : code::vcc;
    if (shape_.agpr_dst || (shape_.matrix && shape_.sources == 3))
      i.dst = code::agpr0 + vector_dst;
    for (int s = 0; s < 3; ++s)
      if (shape_.kind[s] == RegisterKind::agpr || shape_.kind[s] == RegisterKind::vector_or_constant)
        i.src[s] = static_cast<uint16_t>(code::agpr0 + 4 * s);
    if (row_.encoding == VOP3P && !shape_.matrix)
      i.op_sel_hi = row_.src[0] == Type::F32 ? 0 : uint8_t((1u << shape_.sources) - 1);
  }
  void vector() {
    for (Type t : row_.src)
      if (t == Type::Attr)
        return interpolation();
    const int opcode = row_.opcodes.of(generation_);
    // gfx6 and gfx7 number the VOP2 forms of some VOP3 rows too; v_readlane and v_writelane have no other.
    const bool vop2_of_vop3 = row_.encoding == VOP3 && !gfx8() && opcode >= 0x100 && opcode < 0x140;
    if (compact(row_.encoding) || vop2_of_vop3) {
      Instruction i = start(Form::base, shape_.k ? 8 : 4);
      vector_operands(i);
      if (shape_.k) {
        const bool last = row_.src[1] != Type::Imm32;
        i.src[0] = v(vector_src);
        i.src[last ? 1 : 2] = v(vector_src + 4);
        i.src[last ? 2 : 1] = code::literal;
        i.literal = 0x3f800000;
      }
      add(i);
    }
    if (row_.encoding == VOP3P || (shape_.vop3 && !(vop2_of_vop3 && shape_.kind[1] == RegisterKind::scalar))) {
      Instruction i = start(Form::vop3, 8);
      vector_operands(i);
      add(i);
    }
    if (!gfx8())
      return;
    const bool wide = generation_ == Generation::gfx90a && shape_.dpp64 && !shape_.dpp;
    if (shape_.dpp || wide) {
      Instruction i = start(Form::dpp, 8);
      vector_operands(i);
      i.dpp_ctrl = wide ? 0x150 : 0x111; // row_newbcast:0, all that 64-bit operands have; row_shr:1
      add(i);
    }
    if (gfx9() ? shape_.sdwa_gfx9 : shape_.sdwa_gfx8) {
      Instruction i = start(Form::sdwa, 8);
      vector_operands(i);
      if (shape_.sources > 0)
        i.src0_sel = SdwaSel::word1;
      if (shape_.sources == 1)
        i.src1_sel = SdwaSel::byte0; // the field's zeros
      if (row_.dst != Type::Mask && row_.dst != Type::None)
        i.dst_sel = SdwaSel::word0;
      add(i);
    }
  }

  void interpolation() {
    const bool parameter = row_.src[0] == Type::B32;
    Instruction i = start(row_.encoding == VINTRP ? Form::base : Form::vop3, row_.encoding == VINTRP ? 4 : 8);
    i.dst = v(vector_dst);
    i.src[0] = parameter ? uint16_t(0) : v(vector_src);
    if (row_.encoding != VINTRP && row_.src[2] != Type::None)
      i.src[2] = v(vector_src + 4);
    add(i);
    if (row_.encoding == VINTRP && gfx8()) {
      i.form = Form::vop3, i.size = 8;
      add(i);
    }
  }

  void lds() {
    const Access a = row_.access;
    const bool gws = a == Access::gws;
    Instruction i = start(Form::base, 8);
    i.gds = gws || a == Access::ordered_count;
    if (has_lds_address(a))
      i.addr = v(vector_src);
    if (row_.src[0] != Type::None)
      i.data = v(vector_data);
    if (row_.src[1] != Type::None)
      i.data1 = v(vector_data1);
    if (row_.dst != Type::None)
      i.dst = v(vector_dst);
    if (a != Access::nop)
      i.imm = 8;
    add(i);
    const bool has_gds = a != Access::nop && !i.gds && a != Access::permute && a != Access::bpermute;
    if (has_gds) {
      i.gds = true;
      add(i);
    }
  }

  void flat() {
    const bool returns = is_atomic(row_.access), no_old = generation_ == Generation::gfx908 && shape_.no_return_gfx908;
    Instruction i = start(Form::base, 8);
    i.addr = v(vector_src);
    if (row_.encoding != FLAT)
      i.saddr = code::off;
    if (row_.src[0] != Type::None)
      i.data = v(vector_data);
    if (row_.dst != Type::None && !returns)
      i.dst = v(vector_dst);
    add(i);
    if (returns && !no_old) {
      Instruction r = i;
      r.glc = true, r.dst = v(vector_dst);
      add(r);
    }
    if (row_.encoding == FLAT)
      return;
    Instruction s = i;
    s.saddr = scalar_src;
    if (row_.encoding == SCRATCH)
      s.addr = code::off;
    add(s);
    if (row_.access == Access::load && dwords(row_.dst) == 1) {
      Instruction l = i;
      l.lds = true, l.dst = code::none;
      add(l);
    }
  }

  void buffer() {
    Instruction i = start(Form::base, 8);
    if (row_.access == Access::cache)
      return add(i);
    i.srsrc = scalar_resource;
    i.saddr = scalar_src;
    i.imm = 16;
    i.addr = code::off;
    if (row_.access == Access::store_from_lds) {
      i.lds = true;
      return add(i);
    }
    i.offen = true;
    i.addr = v(vector_src);
    const bool returns = is_atomic(row_.access), no_old = generation_ == Generation::gfx908 && shape_.no_return_gfx908;
    if (row_.src[0] != Type::None)
      i.data = v(vector_data);
    else
      i.dst = v(vector_dst);
    if (row_.encoding == MTBUF)
      i.dfmt = 4, i.nfmt = 7; // 32 bits, float
    add(i);
    if (returns && !no_old) {
      Instruction r = i;
      r.glc = true, r.dst = r.data;
      add(r);
    }
    if (!gfx8()) {
      Instruction a = i;
      a.offen = false, a.addr64 = true;
      add(a);
    }
    const bool loads = row_.access == Access::load || row_.access == Access::load_format;
    if (row_.encoding == MUBUF && loads && dwords(row_.dst) == 1) {
      Instruction l = i;
      l.lds = true, l.dst = code::none;
      add(l);
    }
    if (row_.encoding == MUBUF && !is_atomic(row_.access) && generation_ != Generation::gfx90a) {
      Instruction t = i;
      t.tfe = true;
      add(t);
    }
  }

  void image() {
    const bool stores = is_store(row_.access) || is_atomic(row_.access);
    Instruction i = start(Form::base, 8);
    i.dmask = is_compare_and_swap(row_.access) ? 3 : 1;
    i.addr = v(vector_src);
    i.srsrc = scalar_resource;
    (stores ? i.data : i.dst) = stores ? v(vector_data) : v(vector_dst);
    if (row_.src[1] != Type::None)
      i.saddr = scalar_sampler + 4;
    i.unorm = true;
    add(i);
    if (generation_ != Generation::gfx90a) {
      Instruction t = i;
      t.tfe = true;
      add(t);
    }
    if (is_atomic(row_.access)) {
      i.glc = true;
      add(i);
    }
  }

  void export_() {
    Instruction i = start(Form::base, 8);
    i.dmask = 0xf;
    for (unsigned s = 0; s < 3; ++s)
      i.src[s] = v(vector_src + s);
    i.data = v(vector_src + 3);
    add(i);
  }

  const Row& row_;
  const Shape& shape_;
  const Generation generation_;
  Instruction plain_;
  std::vector<Instruction> all_;
};

} // namespace

std::vector<Instruction> instances(Op op, Target target) {
  if (row(op).opcodes.of(info(target).generation) == absent)
    return {};
  return Builder(op, target).build();
}

std::string_view form_name(const Instruction& i) {
  const Row& r = row(i.op);
  switch (r.encoding) {
  case VOP1:
  case VOP2:
  case VOPC:
  case VOP3:
  case VOP3P: return i.form == Form::base ? "e32" : i.form == Form::vop3 ? "e64" : i.form == Form::dpp ? "dpp" : "sdwa";
  case SMEM:
  case FLAT:
  case GLOBAL:
  case SCRATCH:
  case DS:
  case MUBUF:
  case MTBUF:
  case MIMG:
    if (i.lds && r.access != Access::store_from_lds)
      return "lds";
    if (i.gds && r.access != Access::gws && r.access != Access::ordered_count)
      return "gds";
    if (i.tfe)
      return "tfe";
    if (i.glc && is_atomic(r.access))
      return "return";
    if (i.addr64)
      return "addr64";
    if ((r.encoding == GLOBAL || r.encoding == SCRATCH) && i.saddr != code::off)
      return "saddr";
    return "base";
  default: return i.form == Form::vop3 ? "e64" : "base";
  }
}

bool is_graphics(Op op) {
  if (op == Op::v_screen_partition_4se_b32 || op == Op::s_endpgm_ordered_ps_done)
    return true;
  const Row& r = row(op);
  if (r.encoding == EXP || r.encoding == VINTRP)
    return true;
  if (r.encoding == MIMG)
    return op == Op::image_get_lod || op == Op::image_gather4h;
  return r.encoding == VOP3 && r.src[1] == Type::Attr;
}

} // namespace crosslane::isa
