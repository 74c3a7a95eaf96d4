// Addresses as instructions have them: events tell of those that hardware made of them.
#include "check/misaligned.h"
#include "isa/access.h"
#include "isa/classify.h"
#include <algorithm>
#include <bit>

namespace crosslane::check {

namespace {

using events::Access;
using events::AccessKind;

// LDS takes any byte since gfx9, but for what changes it in one step. ds_*_src2_* are left out.
uint32_t lds_alignment(const Access& e, const isa::Row& row) {
  const bool newer = isa::info(e.site.instruction->target).generation >= isa::Generation::gfx9;
  if (row.encoding != isa::Encoding::DS || !isa::has_lds_address(row.access) || isa::has_operand_in_lds(row) ||
      (newer && e.kind != AccessKind::atomic))
    return 1;
  return std::bit_ceil(e.bytes);
}

Misaligned lds(const Access& e) {
  const isa::Instruction& in = *e.site.instruction;
  const isa::Row& row = isa::row(in.op);
  const uint32_t alignment = lds_alignment(e, row);
  if (alignment == 1 || !isa::is_vgpr(in.addr))
    return {};
  const uint32_t* base = e.wave->v[in.addr - isa::code::vgpr0];
  // Offsets of two addresses count items.
  const uint32_t offset = isa::has_two_addresses(row.access) ? 0 : uint32_t(in.imm);
  uint32_t any = 0;
  for (int n = 0; n < machine::lanes_per_wave; ++n)
    any |= base[n] + offset;
  if (!(any & (alignment - 1)))
    return {};
  Misaligned found{.alignment = alignment};
  for (uint64_t left = e.lanes; left; left &= left - 1)
    if (const uint32_t address = base[std::countr_zero(left)] + offset; address & (alignment - 1)) {
      found.address = found.lanes ? found.address : address;
      found.lanes |= left & -left;
    }
  return found;
}

// A lane's dwords lie apart from each other, and nothing goes from one into the next.
Misaligned scratch(const Access& e) {
  const uint32_t alignment = std::min(std::bit_ceil(e.bytes), 4u);
  if (!has_aligned_scratch(isa::info(e.site.instruction->target).generation) || alignment == 1)
    return {};
  Misaligned found{.alignment = alignment};
  for (uint64_t left = e.lanes; left; left &= left - 1)
    if (const uint64_t address = e.address[std::countr_zero(left)]; address & (alignment - 1)) {
      const uint64_t there = address - reinterpret_cast<uint64_t>(e.wave->scratch);
      found.address = found.lanes ? found.address : there / 256 * 4 + there % 4;
      found.lanes |= left & -left;
    }
  return found;
}

// Both the base and the offset lose two bits.
Misaligned scalar(const Access& e) {
  const isa::Instruction& in = *e.site.instruction;
  if (!isa::is_scalar_register(in.src[0]) || isa::is_scalar_scratch(in.op))
    return {};
  uint64_t offset = in.imm_offset ? uint64_t(int64_t(in.imm)) : 0;
  if (isa::is_scalar_register(in.src[1]))
    offset += e.wave->s[in.src[1]];
  const uint64_t base = e.wave->pair(in.src[0]);
  if (!((base | offset) & 3))
    return {};
  return {.lanes = 1, .alignment = 4, .address = base + offset};
}

} // namespace

Misaligned misaligned(const Access& e) {
  switch (e.space) {
  case events::Space::lds: return lds(e);
  case events::Space::scratch: return scratch(e);
  case events::Space::scalar: return scalar(e);
  case events::Space::global: break;
  }
  return {};
}

} // namespace crosslane::check
