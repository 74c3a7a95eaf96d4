// Owns the host's half of `crosslane permute`: the plan of lanes/plan for a pattern, as text and as JSON.
#pragma once
#include <llvm/Support/Error.h>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace crosslane::cli {

struct HostPlan {
  std::string cpu, level;   // "zen4", "avx512_gfni"
  bool cpu_guessed = false; // "host" is a CPU that is in no table: this is the nearest
  // Registers of the result whose plans differ only in the registers that they read.
  struct Part {
    std::vector<int> registers;
    std::vector<std::vector<int>> inputs; // per register, the registers of the source it reads
    bool found = true;                    // false: the planner has no plan
    std::string kind;                     // "in-lane immediate"
    double latency = 0, throughput = 0;
    int instructions = 0, constants = 0, masks = 0;
    std::vector<std::string> steps, assembly; // the assembly's constants follow its code
  };
  int register_bytes = 64;
  std::vector<Part> parts;
};

// `from` as in cli/permute/lane_expression.h; `element_bits` 8, 16, 32 or 64. "host" as CPU or level is this machine's;
// an empty level is the highest one that the CPU has.
llvm::Expected<HostPlan> plan_host(const std::vector<int>& from, int element_bits, const std::string& cpu,
                                   const std::string& level);

// "4 instructions, 1 constant"
std::string cost_text(int instructions, int constants, int masks);
std::string host_text(const HostPlan&);
nlohmann::ordered_json host_json(const HostPlan&);

} // namespace crosslane::cli
