// Owns the GPU's half of `crosslane permute`: the ways of cross_lane/planner.h for a pattern, as text and as JSON.
#pragma once
#include "cross_lane/planner.h"
#include <llvm/Support/Error.h>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace crosslane::cli {

struct GcnPlan {
  isa::Target target{};
  int element_bits = 32;
  cross_lane::Situation situation;
  std::vector<cross_lane::Way> ways; // the cheapest first
};

// `from` as in cli/permute/lane_expression.h, one element a lane; a pattern of fewer than 64 lanes is repeated. The
// situation's dwords follow from the element.
GcnPlan plan_gcn(const std::vector<int>& from, int element_bits, isa::Target, cross_lane::Situation);

// The first way's assembly and a table of them all; with `all`, the assembly of each.
std::string gcn_text(const GcnPlan&, bool all);
nlohmann::ordered_json gcn_json(const GcnPlan&);

} // namespace crosslane::cli
