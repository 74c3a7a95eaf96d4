// Owns which registers functions write, with all that they call: what they do not, their callers may rely on. Each
// function is decoded once, when it is first asked about.
#pragma once
#include "analysis/graph.h"
#include "isa/operands.h"
#include <bitset>
#include <set>
#include <unordered_map>

namespace crosslane::analysis {

class WrittenRegisters {
public:
  WrittenRegisters(const Code& code, const Graph& graph) : code_(code), graph_(graph) {}

  // Whether the function, by its index, may write the register `n` of a file.
  bool by(uint32_t function, isa::RegisterFile file, unsigned n);

private:
  struct Registers {
    std::bitset<128> scalars;
    std::bitset<512> vgprs;
    bool all = false; // it may go, or call, nobody knows where
    std::set<uint32_t> callees;
  };
  const Registers& own(uint32_t function); // without callees
  const Registers& of(uint32_t function);

  const Code& code_;
  const Graph& graph_;
  std::unordered_map<uint32_t, Registers> own_, of_;
};

} // namespace crosslane::analysis
