// Owns what the waves of a kernel with probes of addresses (rewrite/memory_probes.h) have written down: addresses of
// each access, and requests, lanes and cache lines of each instruction.
#pragma once
#include "codeobject/code_object.h"
#include "isa/instruction.h"
#include "rewrite/tally.h"
#include "views/branches.h"
#include <nlohmann/json_fwd.hpp>

namespace crosslane::launch {

class TracedAccesses {
public:
  // The error says that the note does not fit the code. `plan` has a MemoryPlan, and must outlive it.
  static llvm::Expected<TracedAccesses> create(const codeobject::CodeObject&, const rewrite::KernelPlan& plan);
  // `at`: where MemoryPlan::places are.
  std::string text(const rewrite::Tally&, std::span<const views::BranchSite> at) const;
  nlohmann::ordered_json json(const rewrite::Tally&, std::span<const views::BranchSite> at) const; // "memory"

private:
  struct Sum {
    uint64_t requests = 0, lanes = 0, lines = 0;
  };
  struct Sums {
    std::vector<Sum> places; // of MemoryPlan::places
    uint64_t accesses = 0, traced = 0;
  };
  explicit TracedAccesses(const rewrite::KernelPlan& plan) : plan_(&plan) {}
  template <class F> void each_entry(const rewrite::Tally::TracedWave&, F) const;
  Sums sums(const rewrite::Tally&) const;

  const rewrite::KernelPlan* plan_;
  std::vector<isa::Instruction> instructions_; // of MemoryPlan::places
};

} // namespace crosslane::launch
