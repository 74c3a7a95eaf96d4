// SMEM, DS, FLAT/GLOBAL/SCRATCH, MUBUF, MTBUF.
#include "isa/access.h"
#include "isa/decode/input.h"
#include "isa/memory_registers.h"

namespace crosslane::isa::detail {
namespace {

// On gfx908 some atomics exist without the old value only; LLVM checks an unused bit of theirs too.
bool returns_as_asked(const Input& in, Op op, bool glc, bool unused) {
  return in.generation != Generation::gfx908 || !shape(op).no_return_gfx908 || !(glc || unused);
}

int sign_extend(unsigned v, int bits) { return int(v << (32 - bits)) >> (32 - bits); }

} // namespace

int decode_smem(const Input& in, Instruction& out) {
  if (!begin(lookup(in.generation, Encoding::SMEM, in[smem::opcode]), Form::base, 8, out))
    return 0;
  const Row& r = row(out.op);
  if (r.src[0] == Type::None && in[smem::imm]) // neither address nor offset
    return 0;
  out.glc = in[smem::glc] && r.memory != Type::None && r.access != Access::time;
  if (r.access == Access::probe) {
    out.data = static_cast<uint16_t>(in[smem::sdata]); // an immediate: what to probe for
  } else if (const Type t = smem_data(r); t != Type::None) {
    uint16_t sdata;
    if (!scalar_register(in, in[smem::sdata], dwords(t), sdata, out))
      return 0;
    out.reserved |= sdata == code::m0 || sdata >= code::exec;
    if (r.src[1] != Type::None)
      out.data = sdata;
    if (r.dst != Type::None && (!is_atomic(r.access) || out.glc))
      out.dst = sdata;
  }
  if (r.src[0] == Type::None)
    return out.size;
  if (!scalar_register(in, in[smem::sbase] * 2, dwords(r.src[0]), out.src[0], out))
    return 0;
  const bool soffset_en = in.gfx9() && in[smem::soffset_en];
  out.imm_offset = in[smem::imm];
  if (out.imm_offset)
    out.imm = in.gfx9() ? sign_extend(in[smem::offset], 21) : int(in[smem::offset_gfx8]);
  if (soffset_en || !out.imm_offset) {
    const unsigned c = soffset_en ? in[smem::soffset] : in[smem::offset_sgpr];
    if (!scalar_register(in, c, 1, out.src[1], out))
      return 0;
  }
  return out.size;
}

int decode_smrd(const Input& in, Instruction& out) {
  if (!begin(lookup(in.generation, Encoding::SMEM, in[smrd::opcode]), Form::base, 4, out))
    return 0;
  const Row& r = row(out.op);
  if (r.dst != Type::None && !scalar_register(in, in[smrd::sdst], dwords(r.dst), out.dst, out))
    return 0;
  out.reserved |= r.dst != Type::None && (out.dst == code::m0 || out.dst >= code::exec);
  if (r.src[0] == Type::None)
    return out.size;
  if (!scalar_register(in, in[smrd::sbase] * 2, dwords(r.src[0]), out.src[0], out))
    return 0;
  const unsigned offset = in[smrd::offset];
  out.imm_offset = in[smrd::imm];
  if (out.imm_offset) {
    out.imm = int(offset) * 4;
    return out.size;
  }
  if (in.generation == Generation::gfx7)
    return source_or_literal(in, offset, 1, RegisterKind::scalar, out.src[1], out) &&
                   (out.src[1] == code::literal || is_scalar_register(out.src[1]))
               ? out.size
               : 0;
  return scalar_register(in, offset, 1, out.src[1], out) ? out.size : 0;
}

int decode_ds(const Input& in, Instruction& out) {
  if (!begin(lookup(in.generation, Encoding::DS, in.at(ds::opcode, ds::opcode_gfx6)), Form::base, 8, out))
    return 0;
  const Row& r = row(out.op);
  out.gds = in.at(ds::gds, ds::gds_gfx6);
  const bool accumulator = in.gfx90a() && in[ds::acc];
  // LLVM checks the unused bit 25 of those that leave no operand to choose a variant by.
  const bool src2 = r.access != Access::gws && r.src[0] == Type::None && r.dst == Type::None;
  const bool no_operand = r.access == Access::gws && r.src[0] == Type::None;
  if (in.gfx8() && (src2 || no_operand) && in[ds::acc])
    return 0;
  if ((r.access == Access::gws || r.access == Access::ordered_count) && !out.gds)
    return 0;
  if (r.access == Access::nop && (in[ds::offset] != 0 || out.gds))
    return 0;
  if ((r.access == Access::permute || r.access == Access::bpermute) && out.gds)
    return 0;
  const bool two = has_two_addresses(r.access);
  out.imm = int(in[two ? ds::offset0 : ds::offset]);
  if (two)
    out.offset1 = static_cast<uint8_t>(in[ds::offset1]);
  const auto field = [&](bool present, Field where, Type t, uint16_t& f, bool data = true) {
    return present ? data_register(in[where], dwords(t), accumulator && data, f) : in[where] == 0;
  };
  // The operand of the GWS operations is in the address field.
  const bool gws = r.access == Access::gws;
  const Type data0 = gws ? Type::None : r.src[0];
  if (!field(has_lds_address(r.access) || (gws && r.src[0] != Type::None), ds::addr, Type::B32,
             gws ? out.data : out.addr, gws) ||
      !field(data0 != Type::None, ds::data0, data0, out.data) ||
      !field(r.src[1] != Type::None, ds::data1, r.src[1], out.data1) ||
      !field(r.dst != Type::None, ds::vdst, r.dst, out.dst))
    return 0;
  return out.size;
}

int decode_flat(const Input& in, Instruction& out) {
  const unsigned segment = in[flat::seg];
  constexpr Encoding by_segment[] = {Encoding::FLAT, Encoding::SCRATCH, Encoding::GLOBAL};
  if (segment == 3 || (segment != 0 && !in.gfx9()) ||
      !begin(lookup(in.generation, by_segment[segment], in[flat::opcode]), Form::base, 8, out))
    return 0;
  const Row& r = row(out.op);
  if (!returns_as_asked(in, out.op, in[flat::glc], in[flat::scc]))
    return 0;
  out.glc = in[flat::glc];
  out.slc = in[flat::slc];
  const bool accumulator = in.gfx90a() && in[flat::acc];
  out.nv = in[flat::nv] && !in.gfx90a();
  out.scc = in.gfx90a() && in[flat::scc];
  out.reserved |= !in.gfx8() && in[flat::nv]; // TFE there, which LLVM has no name for
  if (out.scc && is_float_atomic(r.access))
    return 0;
  out.lds = in[flat::lds];
  const bool to_lds = segment != 0 && r.access == Access::load && dwords(r.dst) == 1;
  if (out.lds && (!to_lds || in[flat::nv]))
    return 0;
  const unsigned addr = in[flat::addr], saddr = in[flat::saddr];
  if (segment == 0) {
    // LLVM reads 13 bits; gfx9 has 12, gfx8 none.
    out.imm = int(in[flat::offset]);
    out.reserved |= out.imm > (in.gfx9() ? 0xfff : 0);
    if (saddr != 0 || !vgpr(addr, 2, out.addr))
      return 0;
  } else {
    out.imm = sign_extend(in[flat::offset], 13);
    const bool scalar = saddr != flat::no_saddr;
    out.saddr = code::off;
    if (scalar && !scalar_register(in, saddr, segment == 2 ? 2 : 1, out.saddr, out))
      return 0;
    if (segment == 1 && scalar)
      out.addr = code::off;
    else if (!vgpr(addr, segment == 2 && !scalar ? 2 : 1, out.addr))
      return 0;
  }
  if (r.src[0] != Type::None && !data_register(in[flat::data], dwords(r.src[0]), accumulator, out.data))
    return 0;
  const bool returns = !out.lds && r.dst != Type::None && (!is_atomic(r.access) || out.glc);
  if (returns && !data_register(in[flat::vdst], dwords(r.dst), accumulator, out.dst))
    return 0;
  return out.size;
}

namespace {

bool buffer_scalars(const Input& in, Instruction& out) {
  return scalar_register(in, in[buffer::srsrc] * 4, 4, out.srsrc, out) &&
         source(in, in[buffer::soffset], 1, RegisterKind::scalar, out.saddr, out);
}

// Address, resource and soffset of MUBUF and MTBUF.
bool buffer_operands(const Input& in, Instruction& out) {
  out.imm = int(in[buffer::offset]);
  out.offen = in[buffer::offen];
  out.idxen = in[buffer::idxen];
  out.glc = in[buffer::glc];
  out.tfe = in[buffer::tfe] && !in.gfx90a();
  out.addr64 = !in.gfx8() && in[buffer::addr64_gfx6];
  out.addr = code::off;
  if (out.addr64)
    return !out.offen && !out.idxen && vgpr(in[buffer::vaddr], 2, out.addr) && buffer_scalars(in, out);
  if ((out.offen || out.idxen) && !vgpr(in[buffer::vaddr], buffer_address_registers(out), out.addr))
    return false;
  return buffer_scalars(in, out);
}

bool buffer_data(const Input& in, const Row& r, Instruction& out) {
  const bool stores = r.src[0] != Type::None;
  uint16_t vdata;
  if (!data_register(in[buffer::vdata], buffer_data_registers(r, out.target, out.tfe), in.gfx90a() && in[buffer::acc],
                     vdata))
    return false;
  if (stores)
    out.data = vdata;
  if (!stores || (is_atomic(r.access) && out.glc))
    out.dst = vdata;
  return true;
}

// buffer_wbinvl1 and its like have no operands; LLVM lets some set their scope.
bool cache_operation(const Input& in, bool scope_bits) {
  return !in[buffer::offen] && !in[buffer::idxen] && !in[mubuf::lds] && !in[buffer::tfe] &&
         (scope_bits || (!in[buffer::glc] && !in[mubuf::scc]));
}

} // namespace

int decode_mubuf(const Input& in, Instruction& out) {
  if (!begin(lookup(in.generation, Encoding::MUBUF, in[mubuf::opcode]), Form::base, 8, out))
    return 0;
  const Row& r = row(out.op);
  if (r.access == Access::cache)
    return cache_operation(in, shape(out.op).scope_bits) ? out.size : 0;
  if (!returns_as_asked(in, out.op, in[buffer::glc], false))
    return 0;
  out.lds = in[mubuf::lds];
  out.slc = in.at(mubuf::slc, mubuf::slc_gfx6);
  out.scc = in.gfx90a() && in[mubuf::scc];
  if (out.scc && is_float_atomic(r.access))
    return 0;
  if (!buffer_operands(in, out))
    return 0;
  if (r.access == Access::store_from_lds)
    return out.lds && !in[buffer::tfe] && !out.offen && !out.idxen ? out.size : 0;
  if (is_atomic(r.access) && out.tfe)
    return 0;
  if (out.lds) {
    const bool allowed = (r.access == Access::load || r.access == Access::load_format) && dwords(r.dst) == 1;
    return allowed && !in[buffer::tfe] ? out.size : 0;
  }
  return buffer_data(in, r, out) ? out.size : 0;
}

int decode_mtbuf(const Input& in, Instruction& out) {
  if (!begin(lookup(in.generation, Encoding::MTBUF, in.at(mtbuf::opcode, mtbuf::opcode_gfx6)), Form::base, 8, out))
    return 0;
  out.dfmt = static_cast<uint8_t>(in[mtbuf::dfmt]);
  out.nfmt = static_cast<uint8_t>(in[mtbuf::nfmt]);
  out.slc = in[mtbuf::slc];
  out.scc = in.gfx90a() && in[mtbuf::scc];
  if (!buffer_operands(in, out) || out.tfe)
    return 0;
  return buffer_data(in, row(out.op), out) ? out.size : 0;
}

} // namespace crosslane::isa::detail
