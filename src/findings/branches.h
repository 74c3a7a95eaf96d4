// Owns branch counts as a table for the terminal and as JSON.
#pragma once
#include "views/branches.h"
#include <span>
#include <string>

namespace crosslane::findings {

struct BranchReport {
  std::string kernel;
  std::string target; // "gfx900"
  std::span<const views::BranchSite> sites;
  std::span<const views::WaveBranch> waves; // may be empty
  bool lanes = true;                        // were counted, of those that arrive and those that hold the condition
};

// One line per site: place, instruction, executions, agreements, divergences, percentage of divergences, mean of lanes
// that arrive and that hold the condition. Ends with the sum of the sites where lanes decide for themselves.
std::string table(const BranchReport&);
// {"kernel":..., "target":..., "branches":[{...}], "waves":[{...}]}; keys as in views/branches.h. A wave
// names its site by the index in "branches".
std::string json(const BranchReport&);

} // namespace crosslane::findings
