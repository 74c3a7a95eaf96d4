// Owns what it takes to know an access's addresses: which registers hold them, and what follows from these by the rules
// of the ISA manuals (Vega ISA, 8.1.5 "Buffer addressing", 9.3 "FLAT", 7 "Scalar memory", 10 "LDS"; GCN3 ISA likewise).
#pragma once
#include "isa/instruction.h"
#include <array>
#include <optional>
#include <span>
#include <string_view>

namespace crosslane::rewrite {

struct AddressOperands {
  std::array<uint16_t, 5> scalars{}; // codes of SGPRs, a pair or a resource, then an offset
  uint8_t scalar_count = 0;
  uint16_t vgpr = 0;   // code of the first of
  uint8_t vectors = 0; // that many
};
// None: it accesses nothing, or what nobody here can tell the address of: images, buffers with formats, GDS, the
// instructions that access scratch and LDS by themselves, addresses in FLAT_SCRATCH and other special registers.
std::optional<AddressOperands> address_operands(const isa::Instruction&);

struct LaneAddresses {
  std::string_view space; // "global", "scalar", "lds", or "flat": that one's addresses decide
  uint32_t bytes = 0;     // of a lane, at each address
  uint64_t lanes = 0;     // that have one; of scalar accesses 1, of buffers those in bounds
  std::array<uint64_t, 64> address{};
  bool two = false; // DS with two addresses
  std::array<uint64_t, 64> second{};
};
// `scalars` and `vectors` (64 lanes each) as AddressOperands has them. In LDS from the workgroup's start on.
LaneAddresses lane_addresses(const isa::Instruction&, uint64_t exec, std::span<const uint32_t> scalars,
                             std::span<const uint32_t> vectors);

} // namespace crosslane::rewrite
