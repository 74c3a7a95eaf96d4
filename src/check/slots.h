// Owns sets of registers, which are named by slots as lint has them (analysis/part_code.h): scalars by code, SCC,
// VGPRs, AccVGPRs.
#pragma once
#include "analysis/part_code.h"
#include <array>
#include <cstdint>

namespace crosslane::check {

namespace slot = analysis::slot;

using Slots = std::array<uint64_t, slot::end / 64>; // 64 a word
constexpr bool holds(const Slots& s, unsigned n) { return s[n / 64] >> n % 64 & 1; }
constexpr void add(Slots& s, unsigned n) { s[n / 64] |= uint64_t(1) << n % 64; }
constexpr void remove(Slots& s, unsigned n) { s[n / 64] &= ~(uint64_t(1) << n % 64); }

} // namespace crosslane::check
