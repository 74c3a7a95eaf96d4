// The table of processors. Every number that LLVM 19 can write is here, also those that crosslane does not execute:
// a code object for another GPU is then named instead of called damaged.
#include "codeobject/processor.h"
#include <algorithm>
#include <array>
#include <llvm/BinaryFormat/ELF.h>

namespace crosslane::codeobject {
namespace {

enum Modifier : uint8_t { none = 0, xnack = 1, sramecc = 2, unified = 4 };

struct Row {
  uint16_t machine;
  std::string_view name;
  uint8_t major;
  int modifiers;
};

// number suffix, name, generation, what its target id may carry
#define P(NUMBER, NAME, MAJOR, MODIFIERS)                                                                              \
  Row { llvm::ELF::EF_AMDGPU_MACH_AMDGCN_##NUMBER, NAME, MAJOR, MODIFIERS }
constexpr Row rows[] = {
    P(GFX600, "gfx600", 6, none),
    P(GFX601, "gfx601", 6, none),
    P(GFX602, "gfx602", 6, none),
    P(GFX700, "gfx700", 7, none),
    P(GFX701, "gfx701", 7, none),
    P(GFX702, "gfx702", 7, none),
    P(GFX703, "gfx703", 7, none),
    P(GFX704, "gfx704", 7, none),
    P(GFX705, "gfx705", 7, none),
    P(GFX801, "gfx801", 8, xnack),
    P(GFX802, "gfx802", 8, none),
    P(GFX803, "gfx803", 8, none),
    P(GFX805, "gfx805", 8, none),
    P(GFX810, "gfx810", 8, xnack),
    P(GFX900, "gfx900", 9, xnack),
    P(GFX902, "gfx902", 9, xnack),
    P(GFX904, "gfx904", 9, xnack),
    P(GFX906, "gfx906", 9, xnack | sramecc),
    P(GFX908, "gfx908", 9, xnack | sramecc),
    P(GFX909, "gfx909", 9, xnack),
    P(GFX90A, "gfx90a", 9, xnack | sramecc | unified),
    P(GFX90C, "gfx90c", 9, xnack),
    P(GFX940, "gfx940", 9, xnack | sramecc | unified),
    P(GFX941, "gfx941", 9, xnack | sramecc | unified),
    P(GFX942, "gfx942", 9, xnack | sramecc | unified),
    P(GFX9_GENERIC, "gfx9-generic", 9, xnack),
    P(GFX1010, "gfx1010", 10, xnack),
    P(GFX1011, "gfx1011", 10, xnack),
    P(GFX1012, "gfx1012", 10, xnack),
    P(GFX1013, "gfx1013", 10, xnack),
    P(GFX10_1_GENERIC, "gfx10-1-generic", 10, xnack),
    P(GFX1030, "gfx1030", 10, none),
    P(GFX1031, "gfx1031", 10, none),
    P(GFX1032, "gfx1032", 10, none),
    P(GFX1033, "gfx1033", 10, none),
    P(GFX1034, "gfx1034", 10, none),
    P(GFX1035, "gfx1035", 10, none),
    P(GFX1036, "gfx1036", 10, none),
    P(GFX10_3_GENERIC, "gfx10-3-generic", 10, none),
    P(GFX1100, "gfx1100", 11, none),
    P(GFX1101, "gfx1101", 11, none),
    P(GFX1102, "gfx1102", 11, none),
    P(GFX1103, "gfx1103", 11, none),
    P(GFX1150, "gfx1150", 11, none),
    P(GFX1151, "gfx1151", 11, none),
    P(GFX1152, "gfx1152", 11, none),
    P(GFX11_GENERIC, "gfx11-generic", 11, none),
    P(GFX1200, "gfx1200", 12, none),
    P(GFX1201, "gfx1201", 12, none),
    P(GFX12_GENERIC, "gfx12-generic", 12, none),
};
#undef P

constexpr auto make_table() {
  std::array<Processor, std::size(rows)> table{};
  for (size_t i = 0; i < std::size(rows); ++i)
    table[i] = {rows[i].machine,
                rows[i].name,
                rows[i].major,
                (rows[i].modifiers & xnack) != 0,
                (rows[i].modifiers & sramecc) != 0,
                (rows[i].modifiers & unified) != 0};
  return table;
}
constexpr auto processors = make_table();

std::string_view modifier_v4(uint32_t bits) { // unsupported, any, off, on
  constexpr std::string_view text[] = {"", "", "-", "+"};
  return text[bits & 3];
}

} // namespace

const Processor* find_processor(uint32_t e_flags) {
  const auto* found = std::find_if(processors.begin(), processors.end(), [&](const Processor& processor) {
    return processor.machine == (e_flags & llvm::ELF::EF_AMDGPU_MACH);
  });
  return found == processors.end() ? nullptr : found;
}

const Processor* find_processor(std::string_view name) {
  const auto* found =
      std::find_if(processors.begin(), processors.end(), [&](const Processor& p) { return p.name == name; });
  return found == processors.end() ? nullptr : found;
}

std::string make_target_id(const Processor& processor, uint32_t e_flags, int version) {
  std::string_view sramecc_sign, xnack_sign;
  if (version <= 3) { // one bit each, so that "any" cannot be told from "off"
    if (processor.sramecc)
      sramecc_sign = e_flags & llvm::ELF::EF_AMDGPU_FEATURE_SRAMECC_V3 ? "+" : "-";
    if (processor.xnack)
      xnack_sign = e_flags & llvm::ELF::EF_AMDGPU_FEATURE_XNACK_V3 ? "+" : "-";
  } else {
    sramecc_sign = modifier_v4(e_flags >> 10);
    xnack_sign = modifier_v4(e_flags >> 8);
  }
  std::string id(processor.name);
  if (!sramecc_sign.empty())
    id.append(":sramecc").append(sramecc_sign);
  if (!xnack_sign.empty())
    id.append(":xnack").append(xnack_sign);
  return id;
}

} // namespace crosslane::codeobject
