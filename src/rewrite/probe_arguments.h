// Owns how a compiled probe (rewrite/probe_function.h) gets its arguments where it stands.
#pragma once
#include "rewrite/function_ir.h"
#include "rewrite/registers.h"
#include <span>

namespace crosslane::rewrite {

// Whether the instruction that a probe stands before, or null: none, has all that it asks for.
bool has_arguments(std::span<const ProbeParameter>, const isa::Instruction*);

struct ArgumentPlace {
  const isa::Instruction* instruction = nullptr;
  uint64_t pc = 0;     // in the code object as it was
  uint32_t number = 0; // of the place
  isa::Target target{};
  std::optional<uint16_t> scc; // SGPR that has what SCC was; none: nobody wants it any more
};
// Moves to SGPRs from `sgpr` and VGPRs from `vgpr` on. SCC is lost.
std::string arguments(std::span<const ProbeParameter>, const ArgumentPlace&, const ProbeRegisters&, uint16_t sgpr,
                      uint16_t vgpr);

} // namespace crosslane::rewrite
