// Owns the estimate of a kernel as text and JSON, with addresses of the code object.
#pragma once
#include "timing/whole.h"
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>

namespace crosslane::cli {

struct TimingKernel {
  const timing::AnalysedObject& in;
  const gpu::Machine& machine;
  timing::EstimateOptions options;
  std::string workgroup_from; // who says how large workgroups are
  std::string latency_from;   // "a hit of L2", "--latency"
  timing::KernelEstimate estimate;
  struct Run {
    std::string file; // the profile
    double launches = 0;
    timing::LaunchCounts launch;
    timing::WholeEstimate whole;
    std::map<uint64_t, timing::Counted> counts; // of a launch, by address of the code object
  };
  std::optional<Run> run;
  std::function<std::optional<codeobject::SourceLine>(uint64_t)> source; // of an address of the code object
};

// Disassembly, with labels.
std::string instruction_text(const TimingKernel&, uint64_t address, const isa::Instruction&,
                             std::span<const codeobject::Function>);
std::string timing_text(const TimingKernel&, bool instructions);
nlohmann::ordered_json timing_json(const TimingKernel&, bool instructions);

// The parameters that were used and are assumed, a line each; empty: none.
std::string assumed_text(const gpu::Used&, const gpu::Machine&);
nlohmann::ordered_json assumed_json(const gpu::Used&, const gpu::Machine&);

} // namespace crosslane::cli
