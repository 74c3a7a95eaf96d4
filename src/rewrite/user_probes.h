// Owns where a user's probe (rewrite/user_text.h) stands, and which counters it has at each place.
#pragma once
#include "rewrite/probe_kind.h"
#include "rewrite/user_text.h"

namespace crosslane::rewrite {

class UserProbes final : public ProbeKind {
public:
  UserProbes(const CopiedCode& code, const UserProbe& probe) : code_(code), probe_(probe) {}
  llvm::Error choose(ProbeNeeds&) override;
  void insert(const ProbeRegisters&, Insertions&) override;
  void plan(const CopiedKernel&, KernelPlan&) const override;

private:
  struct Place {
    UserPlace::Kind kind;
    EdgePlace at; // of exit: nowhere
    uint64_t address, target;
  };
  void find(const UserPlace&);
  void find_in_blocks(const UserPlace&);
  void add(UserPlace::Kind, EdgePlace, uint64_t pc, uint64_t target = 0);

  const CopiedCode& code_;
  const UserProbe& probe_;
  UserNeeds needs_;
  std::vector<Place> places_;
  uint32_t first_counter_ = 0, first_vgpr_ = 0;
};

} // namespace crosslane::rewrite
