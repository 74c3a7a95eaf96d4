// Owns the host's half of `crosslane permute` for several expressions: their plan together, and beside it one by one.
#pragma once
#include <llvm/Support/Error.h>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace crosslane::cli {

struct HostSet {
  struct Costs {
    double latency = 0, throughput = 0, with_stores = 0; // with the results' stores; 0 where none is known to wait
    int instructions = 0, constants = 0, masks = 0;
  };
  std::string cpu, level;
  bool cpu_guessed = false;
  int register_bytes = 64;
  bool shared = false; // the results have more in common than equal instructions of their own plans
  Costs together, one_by_one;
  std::vector<std::vector<std::string>> results; // of each expression, the registers that its result is left in
  std::vector<std::string> steps, assembly;      // the assembly's constants follow its code
};

// The patterns of all expressions, of as many lanes each; the others as for plan_host().
llvm::Expected<HostSet> plan_host_set(const std::vector<std::vector<int>>& from, int element_bits,
                                      const std::string& cpu, const std::string& level);

std::string host_text(const HostSet&);
nlohmann::ordered_json host_json(const HostSet&);

} // namespace crosslane::cli
