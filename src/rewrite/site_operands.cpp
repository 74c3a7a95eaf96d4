// From the one account of operands, and constants from the instruction itself.
#include "rewrite/site_operands.h"
#include "isa/access.h"
#include "isa/print.h"
#include "isa/table.h"
#include "rewrite/lane_addresses.h"
#include <fmt/format.h>

namespace crosslane::rewrite {

namespace {

constexpr uint16_t file_begin(isa::RegisterFile file) {
  return file == isa::RegisterFile::vgpr   ? isa::code::vgpr0
         : file == isa::RegisterFile::agpr ? isa::code::agpr0
                                           : uint16_t(0);
}

std::string constant(const SiteOperand& o) {
  static constexpr const char* floats[] = {"0.5", "-0.5", "1.0", "-1.0", "2.0", "-2.0", "4.0", "-4.0", "0.15915494"};
  if (o.code == isa::code::literal)
    return fmt::format("{:#x}", o.literal);
  if (o.code >= isa::code::inline_float0)
    return floats[o.code - isa::code::inline_float0];
  return fmt::format("{}", o.code <= 192 ? o.code - 128 : 192 - o.code);
}

bool is_constant(uint16_t code) { return code == isa::code::literal || isa::is_inline_constant(code); }

std::string registers(uint16_t code, uint16_t dwords, isa::Target target) {
  isa::Operand o{.first = code, .dwords = dwords};
  if (code >= isa::code::agpr0)
    o.file = isa::RegisterFile::agpr, o.first = uint16_t(code - isa::code::agpr0);
  else if (code >= isa::code::vgpr0)
    o.file = isa::RegisterFile::vgpr, o.first = uint16_t(code - isa::code::vgpr0);
  return isa::print_registers(o, target);
}

} // namespace

std::optional<SiteOperand> site_operand(const isa::Instruction& in, isa::Role role) {
  for (const isa::Operand& o : isa::operands(in))
    if (o.role == role && o.extent == isa::Extent::exact && o.file != isa::RegisterFile::special)
      return SiteOperand{uint16_t(file_begin(o.file) + o.first), o.dwords, 0};
  const isa::Encoding encoding = isa::row(in.op).encoding;
  if (role < isa::Role::src0 || role > isa::Role::src2 || encoding == isa::Encoding::SMEM)
    return std::nullopt;
  const uint16_t code = in.src[size_t(role) - size_t(isa::Role::src0)];
  return is_constant(code) ? std::optional(SiteOperand{code, 1, in.literal}) : std::nullopt;
}

std::string text_of(const SiteOperand& o, isa::Target target) {
  return is_constant(o.code) ? constant(o) : registers(o.code, o.dwords, target);
}

std::string dword_of(const SiteOperand& o, uint16_t dword, isa::Target target) {
  return is_constant(o.code) ? constant(o) : registers(uint16_t(o.code + dword), 1, target);
}

std::optional<SiteAddress> site_address(const isa::Instruction& in) {
  const auto operands = address_operands(in);
  if (!operands)
    return std::nullopt;
  const auto is_register = [](uint16_t c) { return isa::is_scalar_register(c) && c != isa::code::null_; };
  SiteAddress a{.constant = in.imm};
  switch (isa::row(in.op).encoding) {
  case isa::Encoding::SMEM:
    if (operands->scalar_count > 3) // by a resource
      return std::nullopt;
    a.base = in.src[0], a.constant = in.imm_offset ? in.imm : 0;
    if (is_register(in.src[1]))
      a.offset = in.src[1];
    else if (in.src[1] == isa::code::literal)
      a.constant = int32_t(in.literal * (isa::info(in.target).generation < isa::Generation::gfx8 ? 4 : 1));
    return a;
  case isa::Encoding::FLAT:
  case isa::Encoding::GLOBAL:
    if (operands->scalar_count)
      a.base = in.saddr;
    a.lanes = in.addr, a.lane_dwords = operands->vectors;
    return a;
  case isa::Encoding::DS: {
    using enum isa::Access;
    const isa::Access access = isa::row(in.op).access;
    if (isa::has_two_addresses(access))
      return std::nullopt;
    a.lanes = in.addr, a.lane_dwords = 1;
    return a;
  }
  case isa::Encoding::MUBUF: // where each lane has an address of its own
    if (!in.addr64)
      return std::nullopt;
    a.base = in.srsrc, a.base_of_buffer = true;
    a.lanes = in.addr, a.lane_dwords = 2;
    if (is_register(in.saddr))
      a.offset = in.saddr;
    else if (in.saddr != isa::code::inline_int0)
      return std::nullopt;
    return a;
  default: return std::nullopt;
  }
}

} // namespace crosslane::rewrite
