// How many registers the data of an image instruction takes, as LLVM 19 counts them. Decoder and printer share it.
#pragma once
#include "isa/op.h"
#include <algorithm>
#include <bit>

namespace crosslane::isa::detail {

inline bool compares(const Row& r) { return r.access == Access::atomic_cmpswap || r.access == Access::atomic_fcmpswap; }

// Of the variant that LLVM decodes to before it looks at DMASK.
inline int image_base_dwords(const Row& r) { return r.mnemonic.starts_with("image_gather4") ? 4 : compares(r) ? 2 : 1; }

// One per component of DMASK, halved by packed d16, and one for the status of TFE. LLVM keeps the base variant when
// there is none of that size or it would run past v255; its variant of image atomics for four components has five
// registers.
inline int image_dwords(const Instruction& i, const Row& r) {
  const int base = image_base_dwords(r);
  const bool gather4 = base == 4;
  int n = gather4 ? 4 : std::max(1, std::popcount(i.dmask));
  if (i.d16 && packed_d16(i.target))
    n = (n + 1) / 2;
  n += i.tfe ? 1 : 0;
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
