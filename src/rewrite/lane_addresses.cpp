// Encoding by encoding.
#include "rewrite/lane_addresses.h"
#include "isa/access.h"
#include "isa/classify.h"
#include "isa/table.h"
#include <algorithm>

namespace crosslane::rewrite {

using isa::Encoding;
using isa::Generation;
using isa::Instruction;

namespace {

uint32_t bytes_in_memory(isa::Type t) {
  const bool byte = t == isa::Type::B8 || t == isa::Type::I8 || t == isa::Type::U8;
  return byte ? 1 : isa::is_16bit(t) ? 2 : uint32_t(isa::dwords(t)) * 4;
}

Generation generation(const Instruction& in) { return isa::info(in.target).generation; }

// s_buffer_*: a resource; else a pair.
bool has_resource(const Instruction& in) {
  return isa::row(in.op).src[0] == isa::Type::B128 && isa::row(in.op).encoding == Encoding::SMEM;
}

void add_scalars(AddressOperands& to, uint16_t first, uint8_t n) {
  for (uint8_t i = 0; i < n; ++i)
    to.scalars[to.scalar_count++] = uint16_t(first + i);
}

bool in_lds(const Instruction& in) {
  const isa::Access access = isa::row(in.op).access;
  return !in.gds && isa::has_lds_address(access) && !isa::crosses_lanes(access) &&
         !isa::has_operand_in_lds(isa::row(in.op));
}

// The others have other names, or none, by target; no compiler keeps addresses there.
bool has_a_name(uint16_t scalar) {
  using namespace isa::code;
  return scalar < flat_scratch || scalar == vcc || scalar == vcc + 1 || scalar == m0 || scalar >= exec;
}

std::optional<AddressOperands> operands_of(const Instruction& in) {
  const isa::Row& row = isa::row(in.op);
  AddressOperands out;
  if (isa::memory_use(in).spaces == isa::Space::none || row.memory == isa::Type::None)
    return {};
  switch (row.encoding) {
  case Encoding::SMEM:
    if (isa::is_scalar_scratch(in.op) || !isa::is_scalar_register(in.src[0]))
      return {};
    add_scalars(out, in.src[0], has_resource(in) ? 4 : 2);
    if (isa::is_scalar_register(in.src[1]))
      add_scalars(out, in.src[1], 1);
    return out;
  case Encoding::MUBUF:
    if (isa::is_format(row.access))
      return {};
    add_scalars(out, in.srsrc, 4);
    if (isa::is_scalar_register(in.saddr))
      add_scalars(out, in.saddr, 1);
    out.vgpr = in.addr, out.vectors = uint8_t(in.addr64 ? 2 : in.offen + in.idxen);
    return out;
  case Encoding::FLAT:
  case Encoding::GLOBAL:
    out.vgpr = in.addr, out.vectors = 2;
    if (isa::is_scalar_register(in.saddr) && in.saddr != isa::code::null_)
      add_scalars(out, in.saddr, 2), out.vectors = 1;
    return out;
  case Encoding::DS:
    if (!in_lds(in))
      return {};
    out.vgpr = in.addr, out.vectors = 1;
    return out;
  default: return {};
  }
}

} // namespace

std::optional<AddressOperands> address_operands(const Instruction& in) {
  const auto operands = operands_of(in);
  if (operands && !std::ranges::all_of(std::span(operands->scalars).first(operands->scalar_count), has_a_name))
    return {};
  return operands;
}

namespace {

// A V#, as far as addresses go.
struct Resource {
  uint64_t base;
  uint32_t stride, records, index_stride, element;
  bool swizzle, add_tid;
};

Resource resource(const Instruction& in, std::span<const uint32_t> s) {
  Resource r{uint64_t(s[1] & 0xffff) << 32 | s[0],
             s[1] >> 16 & 0x3fff,
             s[2],
             8u << (s[3] >> 21 & 3),
             generation(in) >= Generation::gfx9 ? 4 : 2u << (s[3] >> 19 & 3),
             bool(s[1] >> 31),
             bool(s[3] >> 23 & 1)};
  if (r.add_tid && generation(in) >= Generation::gfx8) // data format bits are more of the stride
    r.stride |= (s[3] >> 15 & 15) << 14;
  return r;
}

// A scalar offset that is no register.
uint32_t constant(uint16_t code, uint32_t literal) {
  if (code == isa::code::literal)
    return literal;
  if (code >= 129 && code <= 192)
    return code - 128u;
  return code >= 193 && code <= 208 ? 192u - code : 0;
}

void buffer(LaneAddresses& out, const Instruction& in, uint64_t exec, std::span<const uint32_t> s,
            std::span<const uint32_t> v) {
  const Resource r = resource(in, s);
  const uint32_t soffset = s.size() > 4 ? s[4] : constant(in.saddr, in.literal);
  const Generation g = generation(in);
  for (uint32_t lane = 0; lane < 64; ++lane) {
    if (!(exec >> lane & 1))
      continue;
    uint64_t index = 0, offset = uint32_t(in.imm), at = 0;
    bool outside = false;
    if (in.addr64) {
      at = (uint64_t(v[64 + lane]) << 32 | v[lane]) + offset;
    } else {
      if (in.idxen)
        index = v[lane];
      if (in.offen)
        offset += v[(in.idxen ? 64 : 0) + lane];
      if (r.add_tid)
        index += lane;
      const uint64_t linear = index * r.stride + offset;
      at = !r.swizzle ? linear
                      : (index / r.index_stride * r.stride + offset / r.element * r.element) * r.index_stride +
                            index % r.index_stride * r.element + offset % r.element;
      const bool by_index = g >= Generation::gfx9  ? in.idxen && r.stride
                            : g < Generation::gfx8 ? r.stride != 0
                                                   : r.stride && r.swizzle;
      if (r.add_tid && !in.idxen)
        outside = false; // a wave's scratch
      else if (by_index)
        outside =
            index >= r.records || (g < Generation::gfx9 && (g == Generation::gfx8 || in.idxen) && offset >= r.stride);
      else
        outside = (g >= Generation::gfx9 ? offset : at + soffset) + out.bytes > r.records;
    }
    if (outside)
      continue;
    out.lanes |= uint64_t(1) << lane;
    out.address[lane] = r.base + soffset + at;
  }
}

void scalar(LaneAddresses& out, const Instruction& in, std::span<const uint32_t> s) {
  constexpr uint64_t low = 3; // bits that are ignored
  const size_t base = has_resource(in) ? 4 : 2;
  uint64_t offset = in.imm_offset ? uint64_t(int64_t(in.imm)) : 0;
  if (s.size() > base)
    offset += s[base] & ~low;
  else if (in.src[1] == isa::code::literal)
    offset += uint64_t(in.literal) * (generation(in) < Generation::gfx8 ? 4 : 1);
  const uint64_t begin = (uint64_t(base == 4 ? s[1] & 0xffff : s[1]) << 32 | s[0]) & ~low;
  if (base == 4) {
    const uint32_t stride = s[1] >> 16 & 0x3fff;
    if (offset + 4 > uint64_t(s[2]) * (stride ? stride : 1))
      return;
  }
  out.lanes = 1, out.address[0] = begin + offset;
}

void flat(LaneAddresses& out, const Instruction& in, uint64_t exec, std::span<const uint32_t> s,
          std::span<const uint32_t> v) {
  out.lanes = exec;
  const uint64_t base = s.empty() ? 0 : uint64_t(s[1]) << 32 | s[0];
  for (uint32_t lane = 0; lane < 64; ++lane)
    out.address[lane] = base + uint64_t(int64_t(in.imm)) + (s.empty() ? uint64_t(v[64 + lane]) << 32 : 0) + v[lane];
}

void lds(LaneAddresses& out, const Instruction& in, uint64_t exec, std::span<const uint32_t> v) {
  using enum isa::Access;
  const isa::Access access = isa::row(in.op).access;
  out.lanes = exec, out.two = isa::has_two_addresses(access);
  const uint32_t unit =
      !out.two ? 1 : out.bytes * (access == load2_st64 || access == store2_st64 || access == swap2_st64 ? 64 : 1);
  for (uint32_t lane = 0; lane < 64; ++lane) {
    out.address[lane] = uint32_t(v[lane] + uint32_t(in.imm) * unit);
    out.second[lane] = uint32_t(v[lane] + in.offset1 * unit);
  }
}

} // namespace

LaneAddresses lane_addresses(const Instruction& in, uint64_t exec, std::span<const uint32_t> scalars,
                             std::span<const uint32_t> vectors) {
  LaneAddresses out;
  const isa::Row& row = isa::row(in.op);
  out.bytes = bytes_in_memory(row.memory);
  switch (row.encoding) {
  case Encoding::SMEM:
    out.space = "scalar";
    scalar(out, in, scalars);
    break;
  case Encoding::FLAT:
  case Encoding::GLOBAL:
    out.space = row.encoding == Encoding::GLOBAL ? "global" : "flat";
    flat(out, in, exec, scalars, vectors);
    break;
  case Encoding::DS:
    out.space = "lds";
    lds(out, in, exec, vectors);
    break;
  default: // what else has operands
    out.space = "global";
    buffer(out, in, exec, scalars, vectors);
  }
  return out;
}

} // namespace crosslane::rewrite
