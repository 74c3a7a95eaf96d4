// The engine as the judge of isa/operands.h. A trial runs one instruction twice on one wave: from a random state, and
// from that state with everything changed that isa::operands() does not call read. Then memory, and all that is
// written, must come out the same, and nothing else may differ from what it was; what a partial write or missing lanes
// leave must be left.
#pragma once
#include "isa/operands.h"
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace crosslane::test {

struct OracleResult {
  uint64_t trials = 0;                 // that ran to their end
  uint64_t faults = 0;                 // ended by the same fault twice: nothing compared
  size_t instructions = 0;             // instances and variants of them
  std::vector<std::string> complaints; // the first of each instruction
  std::vector<std::string> untried;    // rows of which no trial ran to its end
};

class OperandsOracle {
public:
  // Instances of every row that executes alone, and `variants` of each with other registers and modifiers. `account`
  // stands in for isa::operands.
  using Account = std::function<isa::Operands(const isa::Instruction&, isa::Indexing)>;
  OperandsOracle(isa::Target, int variants, uint64_t seed, Account account = isa::operands);
  ~OperandsOracle();
  OracleResult run(uint64_t trials);

private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

} // namespace crosslane::test
