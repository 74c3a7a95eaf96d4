// How many registers the data and the address of an image instruction take: what the hardware uses, and what LLVM 19
// prints. Decoder, printer, parser and isa/operands.h share it.
#pragma once
#include "isa/op.h"
#include <algorithm>
#include <bit>

namespace crosslane::isa::detail {

inline bool compares(const Row& r) { return r.access == Access::atomic_cmpswap || r.access == Access::atomic_fcmpswap; }

// Of the variant that LLVM decodes to before it looks at DMASK.
inline int image_base_dwords(const Row& r) { return r.mnemonic.starts_with("image_gather4") ? 4 : compares(r) ? 2 : 1; }

// One per component of DMASK, halved by packed d16, without the status of TFE.
inline int image_components(const Instruction& i, const Row& r) {
  const int n = image_base_dwords(r) == 4 ? 4 : std::max(1, std::popcount(i.dmask));
  return i.d16 && packed_d16(i.target) ? (n + 1) / 2 : n;
}

// The row names the shortest address: what the operation adds (offset, bias, depth) and one coordinate, halves counted
// as LLVM does. The longest has three coordinates, six gradients if there are any, and a level of detail if it is
// named.
inline int longest_image_address(const Row& r) {
  bool gradients = false, level = false;
  for (size_t at = 0; at != std::string_view::npos; at = r.mnemonic.find('_', at + 1)) {
    const std::string_view rest = r.mnemonic.substr(at + 1);
    const std::string_view part = rest.substr(0, rest.find('_'));
    gradients |= part == "d" || part == "cd";
    level |= part == "l" || part == "cl";
  }
  return dwords(r.src[0]) + (gradients ? 7 : 2) + (level ? 1 : 0);
}

// What LLVM names: with the status of TFE. It keeps the base variant when there is none of that size or it would run
// past v255; its variant of image atomics for four components has five registers.
inline int image_dwords(const Instruction& i, const Row& r) {
  const int base = image_base_dwords(r);
  const bool gather4 = base == 4;
  int n = image_components(i, r) + (i.tfe ? 1 : 0);
  if (info(i.target).generation < Generation::gfx8) // where LLVM disassembles nothing
    return n;
  if (gather4 && n == 3)
    n = base;
  if (compares(r))
    n = n == 4 ? 4 : base;
  else if (r.access >= Access::atomic_swap)
    n = n == 2 ? 2 : n == 4 ? 5 : base;
  const uint16_t data = i.data != code::none ? i.data : i.dst;
  return data % 256 + n > 256 ? base : n;
}

} // namespace crosslane::isa::detail
