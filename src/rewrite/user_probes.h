// Owns where a user's probe stands - lines of assembly (rewrite/user_text.h), or a compiled function
// (rewrite/probe_function.h) -, and which counters it has at each place.
#pragma once
#include "rewrite/probe_function.h"
#include "rewrite/probe_kind.h"
#include "rewrite/user_text.h"

namespace crosslane::rewrite {

class UserProbes final : public ProbeKind {
public:
  // `function`: null if it is assembly.
  UserProbes(const CopiedCode& code, const UserProbe& probe, const ProbeFunction* function)
      : code_(code), probe_(probe), function_(function) {}
  llvm::Error choose(ProbeNeeds&) override;
  void insert(const ProbeRegisters&, Insertions&) override;
  void plan(const CopiedKernel&, KernelPlan&) const override;

private:
  struct Place {
    UserPlace::Kind kind;
    EdgePlace at; // of exit: nowhere
    uint64_t address, target;
    std::optional<isa::Instruction> before; // what it stands before
    const isa::Instruction* instruction() const { return before ? &*before : nullptr; }
  };
  void find(const UserPlace&);
  void find_in_blocks(const UserPlace&);
  analysis::BlockId first_block(const CopiedKernel*) const;
  void add(Place);
  llvm::Error check_places();
  llvm::Error check_reads(uint32_t sgprs, uint32_t vgprs) const;
  llvm::Error choose_function(ProbeNeeds&);
  struct FunctionRegisters {
    uint16_t sgpr, vgpr;          // the function's first
    uint16_t exec, vcc, m0, link; // of the program, while it runs
  };
  FunctionRegisters function_registers(const ProbeRegisters&) const;
  void insert_function(const ProbeRegisters&, Insertions&) const;
  bool is_inlined(bool some_lanes) const;
  void add_callee(const FunctionRegisters&, Insertions&) const;
  std::vector<Item> call(const ProbeRegisters&, size_t place, uint32_t counter, Label callee, bool some_lanes) const;
  std::string keep(const FunctionRegisters&, bool vcc) const;
  std::string restore(const FunctionRegisters&, bool vcc) const;

  const CopiedCode& code_;
  const UserProbe& probe_;
  const ProbeFunction* function_;
  UserNeeds needs_;
  std::vector<Place> places_;
  uint32_t first_counter_ = 0, first_sgpr_ = 0, first_vgpr_ = 0, left_out_ = 0;
};

} // namespace crosslane::rewrite
