// Owns the probes that trace addresses: before each access a wave writes down, behind the counters of its record, which
// one it is, EXEC, and the registers that its addresses follow from (rewrite/lane_addresses.h); who reads the trace
// computes them. What has no room any more is counted, and not written.
#pragma once
#include "rewrite/lane_addresses.h"
#include "rewrite/probe_kind.h"

namespace crosslane::rewrite {

class MemoryProbes final : public ProbeKind {
public:
  // `record_bytes`: of a wave's record, trace and all; becomes a power of two. Its counters end where the trace begins,
  // so it is the last kind that chooses.
  MemoryProbes(const CopiedCode& code, uint32_t record_bytes) : code_(code), record_bytes_(record_bytes) {}
  llvm::Error choose(ProbeNeeds&) override;
  void insert(const ProbeRegisters&, Insertions&) override;
  void plan(const CopiedKernel&, KernelPlan&) const override;

private:
  struct Place {
    analysis::BlockId block;
    uint32_t instruction; // in its block
    AddressOperands operands;
  };
  struct Registers {
    uint16_t position, record; // SGPRs: offsets from the first record on, of what is written next, and of the record
    uint16_t lane, head, at;   // VGPRs: the lane; the head of an entry; where the lane writes
  };
  Registers registers(const ProbeRegisters&) const;
  std::string prologue(const ProbeRegisters&) const;
  std::string text(const ProbeRegisters&, uint32_t number, const Place&) const;

  const CopiedCode& code_;
  uint32_t record_bytes_;
  std::vector<Place> places_;
  MemoryPlan plan_;
  uint32_t first_sgpr_ = 0, first_vgpr_ = 0;
};

} // namespace crosslane::rewrite
