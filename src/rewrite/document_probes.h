// Owns Wu's probes of branches ("Efficient Binary Instrumentation for GPU Profiling", Scalable Tools Workshop 2022), so
// that his method can be measured beside ours. Counters are in memory, not in registers: each wave's own, in LDS until
// it ends, or in its record from the start. Behind each s_and_saveexec_b64 and its like: EXEC is saved and becomes 1,
// the address of the wave's counters of this branch is computed anew, two comparisons and the execution are added, EXEC
// comes back. Different from the original, for counts that are right (docs/instrumentation.md, "The document's
// probes").
#pragma once
#include "rewrite/exec_lanes.h"
#include "rewrite/found_sites.h"
#include "rewrite/probe_kind.h"

namespace crosslane::rewrite {

enum class DocumentHome : uint8_t { lds, global };

class DocumentProbes final : public ProbeKind {
public:
  DocumentProbes(const CopiedCode& code, DocumentHome home) : code_(code), home_(home) {}
  llvm::Error choose(ProbeNeeds&) override;
  void insert(const ProbeRegisters&, Insertions&) override;
  void plan(const CopiedKernel&, KernelPlan&) const override;

private:
  struct Place { // of a probe (PlannedSite::per_lane), or a branch behind one
    FoundSite site;
    PlannedSite planned;
    uint32_t first = 0; // of its counters: what its tests say, one after the other; then executions
  };
  struct Registers {
    uint16_t wave, base, record;      // SGPRs: numbers and addresses of the wave
    uint16_t data, address, one;      // VGPRs: 2, 1, 1
    uint16_t exec, scratch, m0, rsrc; // SGPRs: 2, 2, 1, 4
  };

  // The branch on EXEC or VCCZ that follows a probe in its block, and so has run as often.
  bool follows(const FoundSite&) const;
  llvm::Error choose_lds(ProbeNeeds&);
  Registers registers(const ProbeRegisters&) const;
  std::string prologue(const ProbeRegisters&) const;
  std::string epilogue(const Registers&) const;
  std::string store(const Registers&, uint32_t counter) const;
  void put(const ProbeRegisters&, Insertions&, const Place&) const;
  // `tests` leave what is to be added in SCC, with EXEC as it was in Registers::exec.
  std::string probe(const Registers&, uint32_t first, std::span<const std::string> tests) const;
  std::string address(const Registers&, uint32_t counter) const;
  std::string add(const Registers&, uint16_t data, uint32_t offset) const;
  std::string one_lane(const Registers&, const std::string& text) const;
  std::string some(const Registers&, const std::string& pair) const;
  bool lds() const { return home_ == DocumentHome::lds; }
  uint32_t dwords() const; // from one wave's counters to the next one's

  const CopiedCode& code_;
  const DocumentHome home_;
  std::vector<Place> places_;
  EdgeCounts graph_;
  uint32_t counters_ = 0, first_sgpr_ = 0, first_vgpr_ = 0, lds_bytes_ = 0;
};

} // namespace crosslane::rewrite
