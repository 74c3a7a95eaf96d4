// The rules behind isa/operands.h, one function per encoding. What an instruction does to a register is said by its
// row; here is only what the fields of the encodings add to it.
#include "isa/operands.h"
#include "isa/access.h"
#include "isa/classify.h"
#include "isa/memory_registers.h"
#include "isa/shape.h"
#include <algorithm>
#include <cassert>

namespace crosslane::isa {
namespace {

using enum Encoding;

// Fields of MODE, Vega ISA manual, "Mode register".
namespace mode_bits {
constexpr uint32_t of_32bit = 0x33, of_16_and_64bit = 0xcc, // round and denormal modes
    clamp_and_ieee = 0x300, fp16_ovfl = 1u << 23, gpr_idx_en = 1u << 27, vskip = 1u << 28, csp = 7u << 29;
}
// Of STATUS: what is told as registers of its own.
namespace status_bits {
constexpr uint32_t scc = 1u << 0, execz = 1u << 9, vccz = 1u << 10;
}
// Of M0 as VGPR indexing uses it: which operands, and by how much.
constexpr uint32_t m0_index = 0xff, m0_index_operands = 0xf000;
constexpr int fork_stack_dwords = 32; // of at most eight entries
constexpr uint32_t low_half = 0xffff, high_half = 0xffff0000;
constexpr int message_get_doorbell = 10; // answers in EXEC_LO

bool is_vector_alu(Encoding e) { return e >= VOP1 && e <= VINTRP; }

uint32_t field(SdwaSel sel) {
  switch (sel) {
  case SdwaSel::byte0:
  case SdwaSel::byte1:
  case SdwaSel::byte2:
  case SdwaSel::byte3: return 0xffu << 8 * int(sel);
  case SdwaSel::word0: return low_half;
  case SdwaSel::word1: return high_half;
  case SdwaSel::dword: break;
  }
  return ~0u;
}

bool ignores_exec(const Row& r, const Shape& s) {
  if (!is_vector(r.encoding))
    return true;
  const bool matrix = s.matrix && s.sources == 3;
  const bool one_lane =
      s.kind[1] == RegisterKind::scalar && !has(r.implicit, Implicit::exec_r); // v_readlane, v_writelane
  return matrix || (r.encoding == VOP3 && one_lane);
}

class Builder {
public:
  Builder(const Instruction& i, Indexing indexing, Operands& all)
      : i_(i), row_(row(i.op)), generation_(info(i.target).generation), shape_(shape(i.op, generation_)),
        indexing_(indexing), masked_(!ignores_exec(row_, shape_)), implicit_(isa::implicit(row_, i.target)), all_(all) {
  }

  void build() {
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
    case VOP3P:
    case VINTRP: vector(); break;
    case DS: lds(); break;
    case FLAT:
    case GLOBAL:
    case SCRATCH: flat(); break;
    case MUBUF:
    case MTBUF: buffer(); break;
    case MIMG: image(); break;
    case EXP: export_(); break;
    }
    implicit();
    conditions();
  }

private:
  enum class Use : uint8_t { reads, writes };

  bool says(Implicit bit) const { return has(implicit_, bit); }

  // Of a source or destination field; null: it names no register.
  Operand* field_operand(Role role, uint16_t c, Type type, int dwords, Use use) {
    Operand o;
    o.role = role, o.type = type;
    o.read = use == Use::reads, o.written = use == Use::writes;
    unsigned end = 0;
    if (is_scalar_register(c)) {
      o.file = RegisterFile::scalar, o.first = c, end = 128;
    } else if (is_vgpr(c)) {
      o.file = RegisterFile::vgpr, o.first = uint16_t(c - code::vgpr0), o.masked = masked_, end = 256;
    } else if (c >= code::agpr0 && c < code::agpr0 + 256) {
      o.file = RegisterFile::agpr, o.first = uint16_t(c - code::agpr0), o.masked = masked_, end = 256;
    } else if (c >= code::vccz && c <= code::lds_direct) {
      o.file = RegisterFile::special;
      o.first = c == code::vccz    ? special::vccz
                : c == code::execz ? special::execz
                : c == code::scc   ? special::scc
                                   : special::lds_direct;
      if (c == code::lds_direct)
        scalar_operand(code::m0, 1, Use::reads);
      if (c == code::vccz || c == code::execz)
        scalar_operand(c == code::vccz ? code::vcc : code::exec, 2, Use::reads);
      return &all_.add(o);
    } else {
      return nullptr;
    }
    o.dwords = uint16_t(std::min(unsigned(std::max(1, dwords)), end - o.first));
    return &all_.add(o);
  }
  Operand* field_operand(Role role, uint16_t c, Type type, Use use) {
    return field_operand(role, c, type, dwords(type), use);
  }

  // Implicit ones. What is read and written is one operand.
  Operand& named(RegisterFile file, uint16_t first, int dwords, Use use) {
    for (size_t n = 0; n < all_.size(); ++n)
      if (Operand& o = at(n); o.role == Role::implicit && o.file == file && o.first == first && o.dwords == dwords) {
        o.read |= use == Use::reads, o.written |= use == Use::writes;
        return o;
      }
    Operand o;
    o.file = file, o.first = first, o.dwords = uint16_t(dwords);
    o.read = use == Use::reads, o.written = use == Use::writes;
    return all_.add(o);
  }
  Operand& scalar_operand(uint16_t first, int dwords, Use use) {
    return named(RegisterFile::scalar, first, dwords, use);
  }
  Operand& special_operand(uint16_t number, Use use) { return named(RegisterFile::special, number, 1, use); }
  Operand& at(size_t n) { return const_cast<Operand&>(all_[n]); }

  // M0 is added to the number: any register from there on. Beyond the end a source is register 0, and nothing is
  // written.
  void index(Operand* o) {
    if (!o || (o->file != RegisterFile::vgpr && o->file != RegisterFile::scalar))
      return;
    const int specials = generation_ >= Generation::gfx8 ? code::flat_scratch : code::flat_scratch_gfx7;
    const int end = o->file == RegisterFile::vgpr ? 256 : o->first < specials ? specials : 128;
    if (o->read && o->first != 0) {
      Operand zero = *o;
      zero.first = 0, zero.extent = Extent::indexed, zero.written = zero.partial = false;
      all_.add(zero);
    }
    o->extent = Extent::indexed, o->dwords = uint16_t(end - o->first), o->partial = o->written;
    scalar_operand(code::m0, 1, Use::reads);
  }

  // A row that reads its destination computes with it, or keeps some of it.
  bool keeps() const {
    const bool lane =
        row_.encoding == VOP3 && shape_.kind[0] != RegisterKind::any && shape_.kind[1] == RegisterKind::scalar;
    const bool half = row_.encoding == VOP3P && row_.dst == Type::F16; // v_mad_mixlo, v_mad_mixhi
    return lane || half || says(Implicit::scc_r) || row_.access != Access::none;
  }

  void scalar() {
    Operand* d = field_operand(Role::dst, i_.dst, row_.dst, Use::writes);
    if (d && says(Implicit::dst_r))
      (keeps() ? d->partial : d->read) = true;
    if (says(Implicit::dst_rel))
      index(d);
    for (int s = 0; s < 2; ++s) {
      Operand* o = field_operand(Role(int(Role::src0) + s), i_.src[s], row_.src[s], Use::reads);
      if (s == 0 && says(Implicit::src_rel))
        index(o);
      if (row_.src[s] == Type::HwReg)
        hardware_register();
      if (row_.src[s] == Type::SendMsg && (i_.imm & 15) == message_get_doorbell && generation_ >= Generation::gfx9)
        scalar_operand(code::exec, 1, Use::writes);
    }
  }
  void hardware_register() {
    const uint32_t id = uint32_t(i_.imm) & 63, shift = uint32_t(i_.imm) >> 6 & 31,
                   size = (uint32_t(i_.imm) >> 11 & 31) + 1;
    const uint32_t bits = (size == 32 ? ~0u : (1u << size) - 1) << shift;
    const auto number = uint16_t(special::hwreg0 + id);
    const Use use = says(Implicit::mode_w) ? Use::writes : Use::reads;
    Operand& o = special_operand(number, use);
    o.bits = bits, o.partial = use == Use::writes && bits != ~0u;
    if (number != special::status)
      return;
    o.partial = use == Use::writes; // without privilege nothing is written
    if (bits & status_bits::scc)
      special_operand(special::scc, use).partial = use == Use::writes;
    if (use == Use::writes)
      return;
    if (bits & status_bits::vccz)
      scalar_operand(code::vcc, 2, use), special_operand(special::vccz, use);
    if (bits & status_bits::execz)
      scalar_operand(code::exec, 2, use), special_operand(special::execz, use);
  }

  void scalar_memory() {
    field_operand(Role::base, i_.src[0], row_.src[0], Use::reads);
    field_operand(Role::offset, i_.src[1], Type::U32, Use::reads);
    if (row_.access == Access::probe)
      return; // the data is a number
    field_operand(Role::data, i_.data, row_.src[1], Use::reads);
    field_operand(Role::dst, i_.dst, row_.dst, Use::writes);
  }

  void vector() {
    const bool interpolates = row_.encoding == VINTRP || row_.src[1] == Type::Attr;
    if (Operand* d = field_operand(Role::dst, i_.dst, row_.dst, Use::writes))
      vector_destination(*d);
    field_operand(Role::sdst, i_.sdst, Type::Mask, Use::writes);
    const bool indexed[] = {indexing_.src0, indexing_.src1, indexing_.src2};
    for (int s = 0; s < 3; ++s) {
      if (interpolates && s == 0 && row_.src[0] == Type::B32)
        continue; // a parameter's number
      const bool mask = s == 2 && shape_.mask_source;
      // Every source of madmk and madak has the type of the result.
      const Type t = mask ? Type::Mask : shape_.k ? row_.dst : row_.src[s];
      Operand* o = field_operand(mask ? Role::mask : Role(int(Role::src0) + s), i_.src[s], t, Use::reads);
      if (!o)
        continue;
      if (shape_.scalar_dst)
        o->masked = false; // v_readlane, v_readfirstlane: the lane that they name
      const auto n = size_t(o - all_.begin());
      if ((s == 0 && says(Implicit::src_rel)) || (o->file == RegisterFile::vgpr && indexed[s]))
        index(o);
      if (row_.dst != Type::None && is_swap() && s == 0)
        at(n).written = true, at(n).partial = at(n).extent == Extent::indexed;
    }
  }
  // Two registers change places.
  bool is_swap() const {
    return row_.encoding == VOP1 && says(Implicit::dst_r) && shape_.kind[0] == RegisterKind::vgpr;
  }

  void vector_destination(Operand& d) {
    if (says(Implicit::dst_r))
      (keeps() ? d.partial : d.read) = true;
    const bool high = i_.form == Form::vop3 && (i_.op_sel & 8);
    const bool mixed_half = row_.encoding == VOP3P && row_.dst == Type::F16;
    if (i_.form == Form::sdwa && i_.dst_sel != SdwaSel::dword && i_.dst_unused == SdwaUnused::preserve)
      d.bits = field(i_.dst_sel), d.partial = true;
    else if (mixed_half)
      d.bits = says(Implicit::dst_hi) ? high_half : low_half, d.partial = true;
    else if (high || preserves_other_half(i_))
      d.bits = high ? high_half : low_half, d.partial = true;
    if (i_.form == Form::dpp && !(i_.bound_ctrl && i_.row_mask == 0xf && i_.bank_mask == 0xf))
      d.partial = true;
    if (says(Implicit::dst_rel) || (indexing_.dst && d.file == RegisterFile::vgpr))
      index(&d);
  }

  // Destination of a load: D16 keeps the other half where there is one.
  void loaded(Operand* d) {
    if (!d || !says(Implicit::dst_r))
      return;
    const bool high = row_.access == Access::load_d16_hi || row_.access == Access::load_format_d16_hi;
    if (row_.access == Access::load_format_d16 && !packed_d16(i_.target))
      return; // one component a register
    d->partial = true;
    d->bits = high ? high_half : low_half;
  }

  void lds() {
    field_operand(Role::addr, i_.addr, Type::U32, Use::reads);
    field_operand(Role::data, i_.data, row_.src[0], Use::reads);
    field_operand(Role::data1, i_.data1, row_.src[1], Use::reads);
    loaded(field_operand(Role::dst, i_.dst, row_.dst, Use::writes));
    if (i_.gds)
      scalar_operand(code::m0, 1, Use::reads);
  }

  void flat() {
    field_operand(Role::addr, i_.addr, flat_address_registers(i_) == 2 ? Type::U64 : Type::U32, Use::reads);
    field_operand(Role::base, i_.saddr, row_.encoding == SCRATCH ? Type::U32 : Type::U64, Use::reads);
    field_operand(Role::data, i_.data, row_.src[0], Use::reads);
    loaded(field_operand(Role::dst, i_.dst, row_.dst, Use::writes));
    if (i_.lds)
      scalar_operand(code::m0, 1, Use::reads);
  }

  void buffer() {
    if (row_.access == Access::cache)
      return;
    const int data = buffer_data_registers(row_, i_.target, false);
    field_operand(Role::addr, i_.addr, buffer_address_registers(i_) == 2 ? Type::B64 : Type::B32, Use::reads);
    field_operand(Role::resource, i_.srsrc, Type::B128, Use::reads);
    field_operand(Role::offset, i_.saddr, Type::U32, Use::reads);
    field_operand(Role::data, i_.data, row_.src[0], data, Use::reads);
    const int loads = is_atomic(row_.access) ? dwords(row_.dst) : data; // of a comparison, half of its data
    loaded(field_operand(Role::dst, i_.dst, row_.dst, loads, Use::writes));
    status(loads);
    if (i_.lds)
      scalar_operand(code::m0, 1, Use::reads);
  }
  void status(int behind) {
    const int c = i_.dst + behind;
    if ((i_.tfe || i_.lwe) && i_.dst != code::none && c / 256 == i_.dst / 256) // none behind v255
      if (Operand* o = field_operand(Role::status, uint16_t(c), Type::B32, Use::writes))
        o->partial = !i_.tfe;
  }

  void image() {
    const int data = image_component_registers(i_);
    const bool compares = is_compare_and_swap(row_.access);
    if (Operand* a = field_operand(Role::addr, i_.addr, row_.src[0], image_address_registers(i_.op).most, Use::reads))
      a->extent = Extent::at_most;
    field_operand(Role::resource, i_.srsrc, image_resource_registers(i_) == 4 ? Type::B128 : Type::B256, Use::reads);
    field_operand(Role::sampler, i_.saddr, row_.src[1], Use::reads);
    field_operand(Role::data, i_.data, Type::B32, data, Use::reads);
    const bool old = is_atomic(row_.access) && i_.glc;
    if (Operand* d = field_operand(Role::dst, old ? i_.data : i_.dst, Type::B32,
                                   compares ? std::max(1, data / 2) : data, Use::writes))
      d->partial = i_.dmask == 0;
    status(data);
  }

  void export_() {
    for (int s = 0; s < 3; ++s)
      field_operand(Role(int(Role::src0) + s), i_.src[s], Type::B32, Use::reads);
    field_operand(Role::data, i_.data, Type::B32, Use::reads);
  }

  void implicit() {
    const bool moves = all_.size() > 0; // v_nop and cache operations do nothing to lanes
    if (is_vector(row_.encoding) && masked_ && moves)
      scalar_operand(code::exec, 2, Use::reads);
    if (implicit_ == Implicit::none)
      return mode();
    const bool forks = says(Implicit::stack_w), joins = says(Implicit::stack_r);
    if (says(Implicit::exec_r))
      scalar_operand(code::exec, 2, Use::reads);
    if (says(Implicit::exec_w))
      scalar_operand(code::exec, 2, Use::writes).partial = forks || joins;
    const bool named_vcc = row_.encoding == VOP2; // as mask and sdst
    if (says(Implicit::vcc_r) && !named_vcc)
      scalar_operand(code::vcc, 2, Use::reads);
    if (says(Implicit::branch) && says(Implicit::vcc_r))
      special_operand(special::vccz, Use::reads);
    if (says(Implicit::branch) && says(Implicit::exec_r) && !forks)
      special_operand(special::execz, Use::reads);
    if (says(Implicit::scc_r))
      special_operand(special::scc, Use::reads);
    if (says(Implicit::scc_w))
      special_operand(special::scc, Use::writes);
    m0();
    if (says(Implicit::flat_scratch_r))
      scalar_operand(generation_ >= Generation::gfx8 ? code::flat_scratch : code::flat_scratch_gfx7, 2, Use::reads);
    if (says(Implicit::status_r))
      special_operand(special::status, Use::reads);
    if (says(Implicit::status_w))
      special_operand(special::status, Use::writes).partial = true;
    if (says(Implicit::trapsts_w))
      special_operand(special::trapsts, Use::writes).partial = true;
    if (says(Implicit::ttmp_w)) // without a handler nothing is written
      scalar_operand(first_ttmp(generation_), 2, Use::writes).partial = true;
    mode();
    if (forks || joins) {
      Operand& csp = special_operand(special::mode, Use::reads);
      csp.written = csp.partial = true, csp.bits = mode_bits::csp;
      Operand o;
      o.role = Role::stack, o.extent = Extent::indexed, o.dwords = fork_stack_dwords;
      o.read = joins, o.written = o.partial = forks;
      all_.add(o);
    }
  }

  void m0() {
    if (says(Implicit::m0_w)) { // VGPR indexing: the rest of M0 stays
      Operand& o = scalar_operand(code::m0, 1, Use::writes);
      const bool operands = row_.src[0] == Type::GprIdx || row_.src[1] == Type::GprIdx;
      o.partial = true;
      o.bits = (operands ? m0_index_operands : 0) | (dwords(row_.src[0]) && row_.src[0] != Type::GprIdx ? m0_index : 0);
    } else if (says(Implicit::m0_r)) {
      scalar_operand(code::m0, 1, Use::reads);
    }
  }

  void mode() {
    const bool hardware = row_.src[0] == Type::HwReg || row_.src[1] == Type::HwReg;
    if (says(Implicit::mode_w) && !hardware) {
      Operand& o = special_operand(special::mode, Use::writes);
      o.partial = true;
      o.bits = says(Implicit::m0_w) || row_.encoding == SOPP ? mode_bits::gpr_idx_en : mode_bits::vskip;
    }
    if (const uint32_t bits = float_mode())
      special_operand(special::mode, Use::reads).bits = bits;
  }
  // Bits of MODE that arithmetic reads.
  uint32_t float_mode() const {
    uint32_t bits = 0;
    const auto add = [&](Type t) {
      if (is_float(t))
        bits |= mode_bits::clamp_and_ieee |
                (t == Type::F32 || t == Type::PkF32 ? mode_bits::of_32bit : mode_bits::of_16_and_64bit);
    };
    if (is_vector_alu(row_.encoding)) {
      for (const Type t : {row_.dst, row_.src[0], row_.src[1], row_.src[2]})
        add(t);
      if (generation_ >= Generation::gfx9 && (row_.dst == Type::F16 || row_.dst == Type::PkF16))
        bits |= mode_bits::fp16_ovfl;
    } else if (is_float_atomic(row_.access)) { // of any width the engine computes them under the fields of 32 bits
      add(row_.memory), bits |= mode_bits::of_32bit;
    }
    return bits;
  }

  // VCCZ and EXECZ follow from what is written of VCC and EXEC.
  void conditions() {
    if (std::ranges::none_of(all_, [](const Operand& o) {
          return o.written && o.file == RegisterFile::scalar && o.first + o.dwords > code::vcc;
        }))
      return;
    const auto follows = [&](uint16_t number, unsigned low) {
      constexpr auto s = RegisterFile::scalar;
      if (all_.writes(s, low) || all_.writes(s, low + 1))
        special_operand(number, Use::writes).partial = !all_.overwrites(s, low) || !all_.overwrites(s, low + 1);
    };
    follows(special::vccz, code::vcc);
    follows(special::execz, code::exec);
  }

  const Instruction& i_;
  const Row& row_;
  const Generation generation_;
  const Shape& shape_;
  const Indexing indexing_;
  const bool masked_;
  const Implicit implicit_;
  Operands& all_;
};

} // namespace

Operand& Operands::add(const Operand& o) {
  assert(count_ < most);
  return *std::construct_at(all_ + count_++, o);
}

bool Operands::reads(RegisterFile f, unsigned n) const {
  return std::ranges::any_of(*this, [&](const Operand& o) { return o.read && o.holds(f, n); });
}
bool Operands::writes(RegisterFile f, unsigned n) const {
  return std::ranges::any_of(*this, [&](const Operand& o) { return o.written && o.holds(f, n); });
}
bool Operands::overwrites(RegisterFile f, unsigned n) const {
  return std::ranges::any_of(*this, [&](const Operand& o) { return o.written && !o.partial && o.holds(f, n); });
}

Operands operands(const Instruction& i, Indexing indexing) {
  Operands all;
  Builder(i, indexing, all).build();
  return all;
}

bool ignores_exec(const Instruction& i) { return ignores_exec(row(i.op), shape(i.op, info(i.target).generation)); }

bool preserves_other_half(const Instruction& i) {
  const Row& r = row(i.op);
  if (info(i.target).generation < Generation::gfx9 || !is_16bit(r.dst))
    return false;
  const Shape& s = shape(i.op, info(i.target).generation);
  return s.op_sel || (r.encoding == VOP2 && (s.k || has(r.implicit, Implicit::dst_r)));
}

} // namespace crosslane::isa
