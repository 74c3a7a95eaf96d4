// Owns BlockState: all that a block can see or change; and the question which NaNs of it are free
// (docs/decisions/0023-nan-payloads.md).
#pragma once
#include "isa/operands.h"
#include "machine/fault.h"
#include <algorithm>
#include <cstdint>
#include <iterator>
#include <vector>

namespace crosslane::test {

// All that a block can see or change.
struct BlockState {
  static constexpr size_t lanes = 64, vectors = 512; // VGPRs, then AccVGPRs
  static constexpr uint32_t lds_bytes = 8192, buffer_bytes = 16384, scratch_per_lane = 256;

  uint32_t s[128] = {}, scc = 0, mode = 0, status = 0, trapsts = 0;
  std::vector<uint32_t> v = std::vector<uint32_t>(vectors * lanes);
  std::vector<uint8_t> lds = std::vector<uint8_t>(lds_bytes), buffer = std::vector<uint8_t>(buffer_bytes),
                       scratch = std::vector<uint8_t>(scratch_per_lane * lanes);
  int64_t executed = 0;
  machine::FaultKind fault = machine::FaultKind::none;
  int fault_lane = -1;
  uint64_t fault_address = 0;
  uint32_t fault_pc = 0; // from the block's beginning

  uint64_t exec() const { return uint64_t(s[127]) << 32 | s[126]; }
  bool operator==(const BlockState&) const = default;
  // What shows of a wave that a fault has ended. Compiled code does not keep registers for it that nobody reads.
  void forget_registers() {
    std::fill(std::begin(s), std::end(s), 0), std::fill(v.begin(), v.end(), 0);
    scc = 0;
  }
};

// Whether the result of an instruction is of floating point, and several NaNs met in a lane (or, of lane 0, in LDS).
bool has_free_payload(const isa::Instruction&, const BlockState& before, size_t lane);
// Whether a lane of a register differs only by the payload of a NaN that an instruction has made of several.
bool differs_by_payload(const isa::Instruction&, const BlockState& before, const BlockState& a, const BlockState& b,
                        size_t reg, size_t lane);
// ... and what an atomic of floats in LDS has made of several, there and in its result: `b` becomes what `a` is.
void excuse_payloads_in_lds(const isa::Instruction&, const BlockState& before, const BlockState& a, BlockState& b);

} // namespace crosslane::test
