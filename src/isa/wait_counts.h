// Owns the fields of s_waitcnt: how many operations of each kind may be outstanding behind it.
// Source: GCN3 ISA manual and Vega ISA manual, S_WAITCNT.
#pragma once
#include "isa/target.h"
#include <cstdint>

namespace crosslane::isa {

struct WaitCounts {
  uint8_t vm = 0;   // vector memory
  uint8_t exp = 0;  // exports, GDS
  uint8_t lgkm = 0; // LDS, GDS, scalar memory, messages
  bool operator==(const WaitCounts&) const = default;
};

// What the counters hold at most: so many is no wait.
constexpr WaitCounts most_waits(Generation g) { return {uint8_t(g >= Generation::gfx9 ? 63 : 15), 7, 15}; }

// The immediate of s_waitcnt.
constexpr WaitCounts wait_counts(Generation g, uint32_t imm) {
  const uint32_t vm_high = g >= Generation::gfx9 ? imm >> 14 & 3 : 0;
  return {uint8_t((imm & 15) | vm_high << 4), uint8_t(imm >> 4 & 7), uint8_t(imm >> 8 & 15)};
}

constexpr uint32_t wait_immediate(Generation g, WaitCounts counts) {
  const uint32_t vm_high = g >= Generation::gfx9 ? counts.vm >> 4 & 3u : 0;
  return (counts.vm & 15u) | uint32_t(counts.exp) << 4 | uint32_t(counts.lgkm) << 8 | vm_high << 14;
}

} // namespace crosslane::isa
