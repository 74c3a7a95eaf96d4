// Owns how faithful a run was: which of its instructions were approximations and how often they ran, as text and as
// JSON.
#pragma once
#include <cstdint>
#include <span>
#include <string>

namespace crosslane::findings {

struct ApproximateUse {
  std::string operation;  // as the target names it
  uint64_t count = 0;     // wave-instructions
  std::string bound, why; // "0.502 ulp", "hardware: ..."
};

struct FidelityReport {
  std::string kernel;
  std::string target;                   // "gfx900"
  std::span<const ApproximateUse> uses; // most frequent first
  uint64_t instructions = 0;            // wave-instructions of the run
};

// A line per approximate operation, or one that says that there were none.
std::string table(const FidelityReport&);
// {"kernel":..., "target":..., "fidelity":{"instructions":..., "approximate":[{...}]}}
std::string json(const FidelityReport&);

} // namespace crosslane::findings
