// Barriers that some waves of a workgroup go around. Only what is sure: the branch compares the work-item's id with a
// constant, the kernel's metadata says how large a workgroup is, one side has the barrier on all its ways, and the
// other side joins it again behind that. (A wave that ends counts as having arrived, so a way that ends is right.)
#pragma once
#include "lint/finding.h"
#include "lint/launches.h"
#include "lint/together.h"
#include <bitset>

namespace crosslane::lint {

// What is a function of the work-item's id in its row.
struct ById {
  std::bitset<256> ids; // VGPRs that hold it
  uint8_t mask = 0;     // of which the SGPR pair `mask_pair` has a bit for each lane: what to compare by, 0: nothing
  uint8_t pair = 0;
  uint64_t pc = 0;   // of the comparison
  bool exec = false; // EXEC has only those lanes, of all
  isa::Op op{};
  uint32_t value = 0;
  bool constant_first = true;
};

class Barriers : public Topic<ById> {
public:
  Barriers(const Subject& subject, const Launches& launches, Report& report)
      : subject_(subject), launches_(launches), report_(report) {}
  State enter(const analysis::Function&);
  void look(const Step&);
  bool step(State&, const Step&);
  bool join(State& into, const State& from);
  void report(const State&, const Step&);
  void finish();

private:
  struct Branch {
    analysis::BlockId block = analysis::none;
    uint64_t pc = 0, compared = 0;
  };
  const Subject& subject_;
  const Launches& launches_;
  Report& report_;
  std::vector<Branch> branches_;                                 // that waves go differently
  std::vector<std::pair<analysis::BlockId, uint64_t>> barriers_; // by block

  uint32_t row_of_items(analysis::BlockId) const;
  bool differs(const State&, uint32_t items) const;
  uint64_t unavoidable(analysis::BlockId from, analysis::BlockId to) const;
};

} // namespace crosslane::lint
