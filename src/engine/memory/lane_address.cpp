// The same address rules as the handlers have, out of their way. Not per level.
#include "engine/memory/lane_address.h"
#include "engine/buffer_format.h"
#include "engine/decode/backend.h"
#include "engine/decode/lowering.h"
#include "engine/memory/buffer.h"
#include "engine/memory/image.h"
#include "isa/access.h"
#include "isa/classify.h"
#include "isa/image.h"
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
  case B8:
  case I8:
  case U8: return 1;
  case B16:
  case I16:
  case U16:
  case F16: return 2;
  default: return uint32_t(isa::dwords(t)) * 4;
  }
}

uint32_t scalar(const isa::Instruction& inst, const machine::Wave& w, uint16_t code) {
  if (code == isa::code::none || code == isa::code::off)
    return 0;
  if (isa::is_scalar_register(code))
    return w.s[code];
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
    backend().addresses.offsets(offset, base, ~0u, machine::apertures().private_base, out.address);
  } else if (saddr) {
    backend().addresses.offsets(low, 0, ~0u, w.pair(inst.saddr) + imm, out.address);
  } else {
    const uint32_t* high = low == zeros ? zeros : low + 64;
    backend().addresses.pairs(low, high, imm, out.address);
  }
}

// Of a buffer, loads and stores are judged dword by dword, atomics as a whole.
void smem(const isa::Instruction& inst, const isa::Row& row, const machine::Wave& w, LaneAccesses& out) {
  const bool buffer = row.src[0] == isa::Type::B128, scratch = isa::is_scalar_scratch(inst.op);
  const uint64_t low = 3, imm = inst.imm_offset ? uint64_t(int64_t(inst.imm)) : 0,
                 sgpr = scalar(inst, w, inst.src[1]) * (inst.src[1] == isa::code::literal ? uint64_t(4) : 1);
  uint64_t address = (w.pair(inst.src[0]) & ~low) + (imm & ~low) + ((sgpr & ~low) << (scratch ? 6 : 0));
  if (buffer) {
    const uint32_t* s = &w.s[inst.src[0]];
    const uint32_t stride = s[1] >> 16 & 0x3fff;
    const uint64_t size = uint64_t(s[2]) * (stride ? stride : 1), offset = (imm + sgpr) & ~low;
    const uint64_t there = offset < size ? (size - offset) & ~low : 0;
    if (row.access != Access::load && row.access != Access::store)
      out.lanes = there < out.bytes ? 0 : out.lanes;
    else if (there < out.bytes)
      out.bytes = uint32_t(there);
    if (!out.bytes)
      out.lanes = 0;
    address = (w.pair(inst.src[0]) & 0xfffffffffffc) + offset;
  }
  for (uint64_t left = out.lanes; left; left &= left - 1)
    out.address[std::countr_zero(left)] = address;
}

// Calls f for each of the lanes; those for which it finds no address are taken out.
template <class F> void each_lane(LaneAccesses& out, F f) {
  for (uint64_t left = out.lanes; left; left &= left - 1) {
    const int lane = std::countr_zero(left);
    if (const std::optional<uint64_t> address = f(lane))
      out.address[lane] = *address;
    else
      out.lanes &= ~(uint64_t(1) << lane);
  }
}

void buffer_access(const isa::Instruction& inst, const isa::Row& row, const machine::Wave& w, LaneAccesses& out) {
  const bool formatted = isa::is_format(row.access);
  const uint32_t* s = &w.s[inst.srsrc];
  const uint32_t aux = buffer::flags_of(inst);
  const buffer::Resource r = buffer::read_resource(s, aux, formatted);
  const uint32_t soffset = scalar(inst, w, inst.saddr);
  if (formatted) {
    const bool typed = row.encoding == Encoding::MTBUF;
    const TexelFormat format = typed ? TexelFormat{inst.dfmt, inst.nfmt} : TexelFormat{r.data, r.number};
    out.bytes = uint32_t(format.bytes());
    if (!out.bytes)
      out.lanes = 0; // an unbound resource
  }
  const uint32_t* vaddr = isa::is_vgpr(inst.addr) ? w.v[inst.addr - isa::code::vgpr0] : nullptr;
  const uint32_t first = out.bytes < 4 ? out.bytes : 4; // dwords are checked one by one; the first stands for all
  const bool in_scratch = buffer::is_private(s, aux & buffer::gfx9) && !inst.idxen && !inst.addr64 && w.scratch;
  each_lane(out, [&](int lane) -> std::optional<uint64_t> {
    const buffer::Place p = buffer::place(r, aux, vaddr, uint32_t(inst.imm), lane);
    if (buffer::out_of_range(r, aux, p, soffset, formatted ? out.bytes : first))
      return {};
    if (!in_scratch)
      return r.base + soffset + buffer::buffer_offset(r, p, aux);
    const uint64_t start = r.base + soffset - reinterpret_cast<uint64_t>(w.scratch);
    return machine::apertures().private_base + start / 64 + p.offset;
  });
}

// Addresses are cut down to whole items: all before gfx9, those of atomics ever since.
uint64_t ds_alignment(const isa::Instruction& inst, const isa::Row& row, uint32_t bytes) {
  const uint64_t aligned = ~uint64_t((bytes == 12 ? 16 : bytes) - 1);
  if (isa::info(inst.target).generation < isa::Generation::gfx9)
    return aligned;
  switch (row.access) {
  case Access::load:
  case Access::load_d16:
  case Access::load_d16_hi:
  case Access::store_d16_hi:
  case Access::load2:
  case Access::load2_st64:
  case Access::store2:
  case Access::store2_st64: return ~uint64_t(0);
  case Access::store: return isa::has_operand_in_lds(row) ? aligned : ~uint64_t(0);
  default: return aligned;
  }
}

// Where they find their data: at a distance in dwords that is in the instruction or in the top bits of each address.
void src2_offsets(const isa::Instruction& inst, const uint32_t* vaddr, uint64_t mask, LaneAccesses& out) {
  const uint32_t field = uint32_t(inst.imm), align = uint32_t(mask);
  const bool per_lane = field & 0x8000;
  for (int lane = 0; lane < 64; ++lane) {
    const uint32_t a = (per_lane ? vaddr[lane] & 0x1ffff : vaddr[lane]) & align;
    const int32_t dwords = per_lane ? int32_t(vaddr[lane]) >> 17 : int32_t(field << 17) >> 17;
    out.address[lane] = a;
    out.second[lane] = (a + uint32_t(dwords) * 4) & align;
  }
  out.second_is = Second::operand;
}

void ds_offsets(const isa::Instruction& inst, const isa::Row& row, const machine::Wave& w, LaneAccesses& out) {
  const uint32_t m0 = w.s[isa::code::m0] & 0xffff;
  switch (row.access) {
  case Access::permute:
  case Access::bpermute:
  case Access::swizzle:
  case Access::nop:
  case Access::gws: out.lanes = 0; return;
  case Access::append:
  case Access::consume:
    out.bytes = 4;
    for (uint64_t& address : out.address)
      address = (m0 + uint32_t(inst.imm)) & ~3u;
    return;
  case Access::lds_add_tid_load:
  case Access::lds_add_tid_store:
    out.bytes = 4;
    for (uint32_t lane = 0; lane < 64; ++lane)
      out.address[lane] = m0 + uint32_t(inst.imm) + 4 * lane;
    return;
  default: break;
  }
  const bool store2 = row.access == Access::store2 || row.access == Access::store2_st64;
  const bool two = row.access == Access::load2 || row.access == Access::store2 || row.access == Access::swap2;
  const bool st64 =
      row.access == Access::load2_st64 || row.access == Access::store2_st64 || row.access == Access::swap2_st64;
  const uint32_t unit = two ? out.bytes : st64 ? out.bytes * 64 : 1;
  const uint32_t* vaddr = isa::is_vgpr(inst.addr) ? w.v[inst.addr - isa::code::vgpr0] : zeros;
  const uint64_t align = ds_alignment(inst, row, out.bytes);
  if (isa::has_operand_in_lds(row))
    return src2_offsets(inst, vaddr, align, out);
  const auto from = [&](uint64_t* address, uint32_t offset) {
    backend().addresses.offsets(vaddr, offset * unit, uint32_t(align), 0, address);
  };
  from(out.address, uint32_t(inst.imm));
  // One store where both offsets are the same.
  if ((two || st64) && !(store2 && inst.offset1 == uint8_t(inst.imm))) {
    out.second_is = Second::same;
    from(out.second, inst.offset1);
  }
}

// Dword `lane` from M0 on. The instruction's offset counts on this side too.
void transfer_offsets(const isa::Instruction& inst, const machine::Wave& w, LaneAccesses& out) {
  const uint64_t base = (w.s[isa::code::m0] & 0xffff) + uint64_t(int64_t(inst.imm));
  out.bytes = 4;
  for (uint64_t lane = 0; lane < 64; ++lane)
    out.address[lane] = base + 4 * lane;
}

void image_access(const isa::Instruction& inst, const isa::Row& row, const machine::Wave& w, LaneAccesses& out) {
  if (samples_image(inst)) {
    image::Samples samples;
    image::find_samples(inst, w, out.lanes, samples);
    out.lanes = samples.lanes[0], out.bytes = samples.bytes;
    std::ranges::copy(samples.address[0], out.address);
    return;
  }
  const uint32_t aux = image::flags_of(inst) | (has(isa::image_traits(inst.op), isa::ImageTrait::mip) ? image::mip : 0);
  const image::Image i = image::read_resource(&w.s[inst.srsrc], aux);
  const uint32_t first = inst.addr - isa::code::vgpr0;
  out.bytes = uint32_t(i.format.bytes());
  if (image::refusal(i))
    out.lanes = 0;
  each_lane(out, [&](int lane) -> std::optional<uint64_t> {
    const image::Texel texel = image::locate(i, aux, w.v[first], machine::max_vgprs - first, lane);
    if (texel.where != image::Where::inside)
      return {};
    return reinterpret_cast<uint64_t>(texel.address);
  });
}

} // namespace

bool accesses_memory(const isa::Instruction& inst) {
  const isa::Row& row = isa::row(inst.op);
  switch (row.encoding) {
  case Encoding::MIMG:
    return row.access != Access::none && isa::is_vgpr(inst.addr) &&
           (!samples_image(inst) || isa::is_scalar_register(inst.saddr));
  case Encoding::DS:
    if (inst.gds)
      return false; // no address has it
    [[fallthrough]];
  case Encoding::FLAT:
  case Encoding::GLOBAL:
  case Encoding::SCRATCH:
  case Encoding::MUBUF:
  case Encoding::MTBUF:
  case Encoding::SMEM: return memory_bytes(row.memory) && row.access != Access::none && row.access != Access::time;
  default: return false;
  }
}

bool samples_image(const isa::Instruction& inst) {
  const isa::Row& row = isa::row(inst.op);
  return row.encoding == Encoding::MIMG && row.src[1] != isa::Type::None && row.access != Access::none;
}

bool transfers_lds(const isa::Instruction& inst) {
  const isa::Row& row = isa::row(inst.op);
  const bool can =
      row.encoding == Encoding::MUBUF || row.encoding == Encoding::GLOBAL || row.encoding == Encoding::SCRATCH;
  return can && (inst.lds || row.access == Access::store_from_lds);
}

void lane_accesses(const isa::Instruction& inst, const machine::Wave& w, uint64_t lanes, LaneAccesses& out) {
  const isa::Row& row = isa::row(inst.op);
  out.lanes = accesses_memory(inst) ? lanes : 0;
  out.second_is = Second::none;
  if (!out.lanes)
    return;
  out.bytes = memory_bytes(row.memory);
  switch (row.encoding) {
  case Encoding::FLAT:
  case Encoding::GLOBAL:
  case Encoding::SCRATCH: return flat(inst, w, row.encoding, out);
  case Encoding::MUBUF:
  case Encoding::MTBUF: return buffer_access(inst, row, w, out);
  case Encoding::DS:
    ds_offsets(inst, row, w, out);
    for (uint64_t& address : out.address)
      address += machine::apertures().shared_base;
    return;
  case Encoding::MIMG: return image_access(inst, row, w, out);
  default: return smem(inst, row, w, out);
  }
}

void lds_offsets(const isa::Instruction& inst, const machine::Wave& w, uint64_t lanes, LaneAccesses& out) {
  const isa::Row& row = isa::row(inst.op);
  out.lanes = lanes, out.bytes = memory_bytes(row.memory), out.second_is = Second::none;
  if (!lanes)
    return;
  if (row.encoding == Encoding::DS)
    ds_offsets(inst, row, w, out);
  else
    transfer_offsets(inst, w, out);
}

std::optional<LaneAccess> lane_address(const isa::Instruction& inst, const machine::Wave& w, int lane) {
  LaneAccesses all;
  lane_accesses(inst, w, uint64_t(1) << lane, all);
  if (!all.lanes)
    return {};
  return LaneAccess{all.address[lane], all.bytes};
}

} // namespace crosslane::engine
