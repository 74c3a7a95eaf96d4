// The same address rules as the handlers have, one lane at a time and out of their way. Not per level.
#include "engine/lane_address.h"
#include "engine/buffer.h"
#include "engine/buffer_format.h"
#include "engine/image.h"
#include "engine/lowering.h"
#include "isa/op.h"
#include "machine/memory.h"

namespace crosslane::engine {
namespace {

using isa::Access;
using isa::Encoding;

uint32_t memory_bytes(isa::Type t) {
  using enum isa::Type;
  switch (t) {
  case None: return 0;
  case B8: case I8: case U8: return 1;
  case B16: case I16: case U16: case F16: return 2;
  default: return uint32_t(isa::dwords(t)) * 4;
  }
}

uint32_t scalar(const isa::Instruction& inst, const machine::Wave& w, uint16_t code) {
  if (code == isa::code::none || code == isa::code::off) return 0;
  if (isa::is_scalar_register(code)) return w.s[code];
  return is_plain_scalar(code) ? uint32_t(scalar_operand(inst, code, isa::Type::B32).k) : 0;
}

uint32_t vector(const machine::Wave& w, uint16_t code, int lane, int next = 0) {
  return isa::is_vgpr(code) ? w.v[code - isa::code::vgpr0 + next][lane] : 0;
}

uint64_t flat(const isa::Instruction& inst, const machine::Wave& w, int lane, Encoding encoding) {
  const uint64_t imm = uint64_t(int64_t(inst.imm));
  const bool saddr = isa::is_scalar_register(inst.saddr);
  if (encoding == Encoding::SCRATCH)
    return machine::apertures().private_base + uint32_t((saddr ? w.s[inst.saddr] : vector(w, inst.addr, lane)) + inst.imm);
  if (saddr) return w.pair(inst.saddr) + vector(w, inst.addr, lane) + imm;
  return (uint64_t(vector(w, inst.addr, lane, 1)) << 32 | vector(w, inst.addr, lane)) + imm;
}

uint64_t smem(const isa::Instruction& inst, const isa::Row& row, const machine::Wave& w) {
  const bool buffer = row.src[0] == isa::Type::B128, scratch = row.mnemonic.starts_with("s_scratch");
  const uint64_t low = 3, imm = inst.imm_offset ? uint64_t(int64_t(inst.imm)) : 0, sgpr = scalar(inst, w, inst.src[1]) * (inst.src[1] == isa::code::literal ? uint64_t(4) : 1);
  if (buffer) return (w.pair(inst.src[0]) & 0xfffffffffffc) + ((imm + sgpr) & ~low);
  return (w.pair(inst.src[0]) & ~low) + (imm & ~low) + ((sgpr & ~low) << (scratch ? 6 : 0));
}

std::optional<LaneAccess> buffer_access(const isa::Instruction& inst, const isa::Row& row, const machine::Wave& w, int lane) {
  const bool formatted = row.access >= Access::load_format && row.access <= Access::store_format_d16_hi;
  const uint32_t* s = &w.s[inst.srsrc];
  const uint32_t aux = buffer::flags_of(inst);
  const buffer::Resource r = buffer::read_resource(s, aux, formatted);
  const uint32_t soffset = scalar(inst, w, inst.saddr);
  uint32_t bytes = memory_bytes(row.memory);
  if (formatted) {
    const bool typed = row.encoding == Encoding::MTBUF;
    const TexelFormat format = typed ? TexelFormat{inst.dfmt, inst.nfmt} : TexelFormat{r.data, r.number};
    bytes = uint32_t(format.bytes());
  }
  const uint32_t* vaddr = isa::is_vgpr(inst.addr) ? w.v[inst.addr - isa::code::vgpr0] : nullptr;
  const buffer::Place p = buffer::place(r, aux, vaddr, uint32_t(inst.imm), lane);
  const uint32_t first = bytes < 4 ? bytes : 4;  // dwords are checked one by one; the first stands for all
  if (buffer::out_of_range(r, aux, p, soffset, formatted ? bytes : first)) return {};
  if (buffer::is_private(s, aux & buffer::gfx9) && !inst.idxen && !inst.addr64 && w.scratch) {
    const uint64_t start = r.base + soffset - reinterpret_cast<uint64_t>(w.scratch);
    return LaneAccess{machine::apertures().private_base + start / 64 + p.offset, bytes};
  }
  return LaneAccess{r.base + soffset + buffer::buffer_offset(r, p, aux), bytes};
}

std::optional<LaneAccess> ds_access(const isa::Instruction& inst, const isa::Row& row, const machine::Wave& w, int lane) {
  if (inst.gds) return {};  // no address has it
  const uint32_t bytes = memory_bytes(row.memory);
  const uint64_t base = machine::apertures().shared_base;
  const uint32_t m0 = w.s[isa::code::m0] & 0xffff;
  switch (row.access) {
  case Access::permute: case Access::bpermute: case Access::swizzle: case Access::nop: case Access::gws: return {};
  case Access::append: case Access::consume: return LaneAccess{base + m0 + uint32_t(inst.imm), 4};
  case Access::lds_add_tid_load: case Access::lds_add_tid_store:
    return LaneAccess{base + m0 + uint32_t(inst.imm) + 4 * uint32_t(lane), 4};
  default: break;
  }
  const bool two = row.access == Access::load2 || row.access == Access::store2 || row.access == Access::swap2;
  const bool st64 = row.access == Access::load2_st64 || row.access == Access::store2_st64 || row.access == Access::swap2_st64;
  const uint32_t unit = two ? bytes : st64 ? bytes * 64 : 1;
  return LaneAccess{base + uint32_t(vector(w, inst.addr, lane) + uint32_t(inst.imm) * unit), bytes};
}

std::optional<LaneAccess> image_access(const isa::Instruction& inst, const isa::Row& row, const machine::Wave& w, int lane) {
  if (row.src[1] != isa::Type::None || row.access == Access::none || !isa::is_vgpr(inst.addr)) return {};
  const uint32_t aux = image::flags_of(inst) | (row.mnemonic.find("_mip") != std::string_view::npos ? image::mip : 0);
  const image::Image i = image::read_resource(&w.s[inst.srsrc], aux);
  const uint32_t first = inst.addr - isa::code::vgpr0;
  if (image::refusal(i)) return {};
  const image::Texel texel = image::locate(i, aux, w.v[first], machine::max_vgprs - first, lane);
  if (texel.where != image::Where::inside) return {};
  return LaneAccess{reinterpret_cast<uint64_t>(texel.address), uint32_t(i.format.bytes())};
}

}  // namespace

std::optional<LaneAccess> lane_address(const isa::Instruction& inst, const machine::Wave& w, int lane) {
  const isa::Row& row = isa::row(inst.op);
  if (row.encoding == Encoding::MIMG) return image_access(inst, row, w, lane);
  const uint32_t bytes = memory_bytes(row.memory);
  if (!bytes || row.access == Access::none || row.access == Access::time) return {};
  switch (row.encoding) {
  case Encoding::FLAT: case Encoding::GLOBAL: case Encoding::SCRATCH:
    return LaneAccess{flat(inst, w, lane, row.encoding), bytes};
  case Encoding::MUBUF: case Encoding::MTBUF: return buffer_access(inst, row, w, lane);
  case Encoding::SMEM: return LaneAccess{smem(inst, row, w), bytes};
  case Encoding::DS: return ds_access(inst, row, w, lane);
  default: return {};
  }
}

}  // namespace crosslane::engine
