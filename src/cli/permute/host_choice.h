// Owns what --cpu and --level mean: the CPU whose costs decide, and the instruction set.
#pragma once
#include "cli/permute/lane_expression.h"
#include "lanes/plan/host.h"
#include "lanes/plan/pattern.h"
#include <llvm/Support/Error.h>
#include <string>

namespace crosslane::cli {

struct HostChoice {
  lanes::Cpu cpu;
  bool guessed; // "host" is a CPU that is in no table: this is the nearest
  lanes::Isa isa;
};
// "host" is this machine's; an empty level is the highest one that the CPU has.
llvm::Expected<HostChoice> choose_host(const std::string& cpu, const std::string& level);

// A lane as a pattern of lanes/ says it.
inline int element_of(int from) { return from == lane_zero ? lanes::zero : from == lane_any ? lanes::dont_care : from; }

} // namespace crosslane::cli
