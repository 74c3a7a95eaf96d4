// Owns the records of an instrumented kernel (rewrite/plan.h): memory for them, the Control that tells waves of it, and
// what they say when a run is over.
#pragma once
#include "launch/session.h"
#include "launch/traced_accesses.h"
#include "rewrite/tally.h"
#include <nlohmann/json_fwd.hpp>

namespace crosslane::launch {

class Counters {
public:
  // The error says why nothing of the kernel is counted. All must outlive it.
  static llvm::Expected<std::unique_ptr<Counters>> create(const codeobject::CodeObject&, const codeobject::Kernel&,
                                                          Session&, Wording = Wording::command);
  // Behind a run: for each site and block, over all waves and of each wave.
  void take();
  std::string text() const;            // for a person
  nlohmann::ordered_json json() const; // the keys of --profile branches, "blocks", "lanes", "time",
                                       // "user", "memory"; docs/profile-format.md

private:
  Counters(const codeobject::CodeObject& object, const codeobject::Kernel& kernel, Session& session)
      : object_(object), kernel_(kernel), session_(session) {}
  void locate(std::vector<views::BranchSite>&) const;
  std::string time_text() const;
  nlohmann::ordered_json time_json() const;
  std::string user_text() const;
  nlohmann::ordered_json user_json() const;

  const codeobject::CodeObject& object_;
  const codeobject::Kernel& kernel_;
  Session& session_;
  rewrite::KernelPlan plan_;
  std::unique_ptr<rewrite::Tally> tally_; // of plan_
  std::vector<views::BranchSite> sites_;
  std::vector<views::BranchSite> loops_, places_; // where they are; of TimePlan::loops, UserPlan::places
  std::vector<views::BranchSite> accesses_;       // of MemoryPlan::places
  std::optional<TracedAccesses> traced_;          // likewise
};

} // namespace crosslane::launch
