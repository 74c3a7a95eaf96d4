// Owns what the waves of a kernel with probes of addresses (rewrite/memory_probes.h) have written down: addresses of
// each access, and requests, lanes and cache lines of each instruction.
#pragma once
#include "rewrite/trace_reader.h"
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
  TracedAccesses(const rewrite::KernelPlan& plan, rewrite::TraceReader reader)
      : plan_(&plan), reader_(std::move(reader)) {}
  Sums sums(const rewrite::Tally&) const;

  const rewrite::KernelPlan* plan_;
  rewrite::TraceReader reader_;
};

} // namespace crosslane::launch
