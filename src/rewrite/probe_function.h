// Owns a user's probe that was compiled (rewrite/function_ir.h): its instructions, with the registers of whoever runs
// it, and what they touch besides the probe's own.
#pragma once
#include "isa/instruction.h"
#include "rewrite/copier.h"
#include "rewrite/function_ir.h"

namespace crosslane::rewrite {

class ProbeFunction {
public:
  // What clang made of FunctionIr::text. The error says what probes cannot do.
  static llvm::Expected<ProbeFunction> read(const FunctionIr&, std::span<const uint8_t> code, isa::Target,
                                            const std::string& name);
  const std::vector<ProbeParameter>& parameters() const { return parameters_; }
  uint32_t counters() const { return counters_; }
  uint32_t sgprs() const { return sgprs_; } // from s0 on, arguments and results among them
  uint32_t vgprs() const { return vgprs_; }
  bool vector() const { return vector_; }     // there are vector instructions
  bool straight() const { return straight_; } // no branches
  bool writes_exec() const { return writes_exec_; }
  bool writes_vcc() const { return writes_vcc_; }
  bool writes_m0() const { return writes_m0_; }
  bool writes_scc() const { return writes_scc_; }

  // With SGPR and VGPR 0 at these. Branches lead to `first_block` on; one behind the last block to the block behind it.
  std::vector<FunctionBlock> blocks(uint16_t sgpr, uint16_t vgpr, Label first_block) const;

private:
  struct Block {
    std::vector<isa::Instruction> instructions;
    uint32_t target = 0; // block, of a branch at the end
    bool falls = true;
  };
  llvm::Error add(const isa::Instruction&);
  llvm::Error split(std::span<const isa::Instruction>, std::span<const uint64_t> at, uint64_t size);

  isa::Target target_{};
  std::vector<ProbeParameter> parameters_;
  uint32_t counters_ = 0, sgprs_ = 0, vgprs_ = 0;
  bool straight_ = true, vector_ = false;
  bool writes_exec_ = false, writes_vcc_ = false, writes_m0_ = false, writes_scc_ = false;
  std::vector<Block> blocks_;
};

} // namespace crosslane::rewrite
