// The same address rules as the handlers have, out of their way. Not per level.
#include "engine/lane_address.h"
#include "engine/buffer.h"
#include "engine/buffer_format.h"
#include "engine/image.h"
#include "engine/lowering.h"
#include "isa/op.h"
#include "machine/memory.h"
#include <algorithm>
#include <bit>

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

constexpr uint32_t zeros[64] = {};

void flat(const isa::Instruction& inst, const machine::Wave& w, Encoding encoding, LaneAccesses& out) {
  const uint64_t imm = uint64_t(int64_t(inst.imm));
  const bool saddr = isa::is_scalar_register(inst.saddr);
  const uint32_t* low = isa::is_vgpr(inst.addr) ? w.v[inst.addr - isa::code::vgpr0] : zeros;
  if (encoding == Encoding::SCRATCH) {
    const uint32_t* offset = saddr ? zeros : low;
    const uint32_t base = (saddr ? w.s[inst.saddr] : 0) + uint32_t(inst.imm);
    for (int lane = 0; lane < 64; ++lane) out.address[lane] = machine::apertures().private_base + uint32_t(base + offset[lane]);
  } else if (saddr) {
    const uint64_t base = w.pair(inst.saddr) + imm;
    for (int lane = 0; lane < 64; ++lane) out.address[lane] = base + low[lane];
  } else {
    const uint32_t* high = low == zeros ? zeros : low + 64;
    for (int lane = 0; lane < 64; ++lane) out.address[lane] = (uint64_t(high[lane]) << 32 | low[lane]) + imm;
  }
}

uint64_t smem(const isa::Instruction& inst, const isa::Row& row, const machine::Wave& w) {
  const bool buffer = row.src[0] == isa::Type::B128, scratch = row.mnemonic.starts_with("s_scratch");
  const uint64_t low = 3, imm = inst.imm_offset ? uint64_t(int64_t(inst.imm)) : 0, sgpr = scalar(inst, w, inst.src[1]) * (inst.src[1] == isa::code::literal ? uint64_t(4) : 1);
  if (buffer) return (w.pair(inst.src[0]) & 0xfffffffffffc) + ((imm + sgpr) & ~low);
  return (w.pair(inst.src[0]) & ~low) + (imm & ~low) + ((sgpr & ~low) << (scratch ? 6 : 0));
}

// Calls f for each of the lanes; those for which it finds no address are taken out.
template <class F> void each_lane(LaneAccesses& out, F f) {
  for (uint64_t left = out.lanes; left; left &= left - 1) {
    const int lane = std::countr_zero(left);
    if (const std::optional<uint64_t> address = f(lane)) out.address[lane] = *address;
    else out.lanes &= ~(uint64_t(1) << lane);
  }
}

void buffer_access(const isa::Instruction& inst, const isa::Row& row, const machine::Wave& w, LaneAccesses& out) {
  const bool formatted = row.access >= Access::load_format && row.access <= Access::store_format_d16_hi;
  const uint32_t* s = &w.s[inst.srsrc];
  const uint32_t aux = buffer::flags_of(inst);
  const buffer::Resource r = buffer::read_resource(s, aux, formatted);
  const uint32_t soffset = scalar(inst, w, inst.saddr);
  if (formatted) {
    const bool typed = row.encoding == Encoding::MTBUF;
    const TexelFormat format = typed ? TexelFormat{inst.dfmt, inst.nfmt} : TexelFormat{r.data, r.number};
    out.bytes = uint32_t(format.bytes());
  }
  const uint32_t* vaddr = isa::is_vgpr(inst.addr) ? w.v[inst.addr - isa::code::vgpr0] : nullptr;
  const uint32_t first = out.bytes < 4 ? out.bytes : 4;  // dwords are checked one by one; the first stands for all
  const bool in_scratch = buffer::is_private(s, aux & buffer::gfx9) && !inst.idxen && !inst.addr64 && w.scratch;
  each_lane(out, [&](int lane) -> std::optional<uint64_t> {
    const buffer::Place p = buffer::place(r, aux, vaddr, uint32_t(inst.imm), lane);
    if (buffer::out_of_range(r, aux, p, soffset, formatted ? out.bytes : first)) return {};
    if (!in_scratch) return r.base + soffset + buffer::buffer_offset(r, p, aux);
    const uint64_t start = r.base + soffset - reinterpret_cast<uint64_t>(w.scratch);
    return machine::apertures().private_base + start / 64 + p.offset;
  });
}

void ds_offsets(const isa::Instruction& inst, const isa::Row& row, const machine::Wave& w, LaneAccesses& out) {
  const uint32_t m0 = w.s[isa::code::m0] & 0xffff;
  switch (row.access) {
  case Access::permute: case Access::bpermute: case Access::swizzle: case Access::nop: case Access::gws: out.lanes = 0; return;
  case Access::append: case Access::consume:
    out.bytes = 4;
    for (uint64_t& address : out.address) address = m0 + uint32_t(inst.imm);
    return;
  case Access::lds_add_tid_load: case Access::lds_add_tid_store:
    out.bytes = 4;
    for (uint32_t lane = 0; lane < 64; ++lane) out.address[lane] = m0 + uint32_t(inst.imm) + 4 * lane;
    return;
  default: break;
  }
  const bool two = row.access == Access::load2 || row.access == Access::store2 || row.access == Access::swap2;
  const bool st64 = row.access == Access::load2_st64 || row.access == Access::store2_st64 || row.access == Access::swap2_st64;
  const uint32_t unit = two ? out.bytes : st64 ? out.bytes * 64 : 1;
  const uint32_t* vaddr = isa::is_vgpr(inst.addr) ? w.v[inst.addr - isa::code::vgpr0] : zeros;
  const auto from = [&](uint64_t* address, uint32_t offset) {
    for (int lane = 0; lane < 64; ++lane) address[lane] = vaddr[lane] + offset * unit;
  };
  from(out.address, uint32_t(inst.imm));
  out.two_addresses = two || st64;
  if (out.two_addresses) from(out.second, inst.offset1);
}

void image_access(const isa::Instruction& inst, const isa::Row& row, const machine::Wave& w, LaneAccesses& out) {
  const uint32_t aux = image::flags_of(inst) | (row.mnemonic.find("_mip") != std::string_view::npos ? image::mip : 0);
  const image::Image i = image::read_resource(&w.s[inst.srsrc], aux);
  const uint32_t first = inst.addr - isa::code::vgpr0;
  out.bytes = uint32_t(i.format.bytes());
  if (image::refusal(i)) out.lanes = 0;
  each_lane(out, [&](int lane) -> std::optional<uint64_t> {
    const image::Texel texel = image::locate(i, aux, w.v[first], machine::max_vgprs - first, lane);
    if (texel.where != image::Where::inside) return {};
    return reinterpret_cast<uint64_t>(texel.address);
  });
}

}  // namespace

bool accesses_memory(const isa::Instruction& inst) {
  const isa::Row& row = isa::row(inst.op);
  switch (row.encoding) {
  case Encoding::MIMG: return row.src[1] == isa::Type::None && row.access != Access::none && isa::is_vgpr(inst.addr);
  case Encoding::DS: if (inst.gds) return false;  // no address has it
    [[fallthrough]];
  case Encoding::FLAT: case Encoding::GLOBAL: case Encoding::SCRATCH: case Encoding::MUBUF: case Encoding::MTBUF: case Encoding::SMEM:
    return memory_bytes(row.memory) && row.access != Access::none && row.access != Access::time;
  default: return false;
  }
}

void lane_accesses(const isa::Instruction& inst, const machine::Wave& w, uint64_t lanes, LaneAccesses& out) {
  const isa::Row& row = isa::row(inst.op);
  out.lanes = accesses_memory(inst) ? lanes : 0;
  out.two_addresses = false;
  if (!out.lanes) return;
  out.bytes = memory_bytes(row.memory);
  switch (row.encoding) {
  case Encoding::FLAT: case Encoding::GLOBAL: case Encoding::SCRATCH: return flat(inst, w, row.encoding, out);
  case Encoding::MUBUF: case Encoding::MTBUF: return buffer_access(inst, row, w, out);
  case Encoding::DS:
    ds_offsets(inst, row, w, out);
    for (uint64_t& address : out.address) address += machine::apertures().shared_base;
    if (out.two_addresses)
      for (uint64_t& address : out.second) address += machine::apertures().shared_base;
    return;
  case Encoding::MIMG: return image_access(inst, row, w, out);
  default: std::fill_n(out.address, 64, smem(inst, row, w));
  }
}

void lds_offsets(const isa::Instruction& inst, const machine::Wave& w, uint64_t lanes, LaneAccesses& out) {
  const isa::Row& row = isa::row(inst.op);
  out.lanes = lanes, out.bytes = memory_bytes(row.memory), out.two_addresses = false;
  if (lanes) ds_offsets(inst, row, w, out);
}

std::optional<LaneAccess> lane_address(const isa::Instruction& inst, const machine::Wave& w, int lane) {
  LaneAccesses all;
  lane_accesses(inst, w, uint64_t(1) << lane, all);
  if (!all.lanes) return {};
  return LaneAccess{all.address[lane], all.bytes};
}

}  // namespace crosslane::engine
