// Registers that the wave does not have: beyond what the kernel's descriptor allocates, or under VCC and its like,
// which lie at the end of the allocated SGPRs. A function must get by with the least that any kernel gives which
// reaches it; functions that no kernel of the file is known to call are not judged.
#pragma once
#include "lint/finding.h"
#include "lint/launches.h"
#include "lint/together.h"

namespace crosslane::lint {

class Counts : public Topic<Nothing> {
public:
  Counts(const Subject&, const Launches&, Report&);
  void look(const Step&);
  void finish(); // what is known when all code has been seen

private:
  // SGPRs by number, and the special ones that lie behind them, of a part.
  struct Scalars {
    uint16_t end = 0;                                   // one more than the highest SGPR that is named
    uint64_t pc = 0;                                    // of that
    uint64_t vcc = 0, flat_scratch = 0, xnack_mask = 0; // where named first; 0: nowhere
  };
  const Subject& subject_;
  const Launches& launches_;
  Report& report_;
  const unsigned first_special_;
  const bool gfx90a_;
  std::vector<Scalars> scalars_; // of each part

  void beyond(const Step&, const Use&, unsigned end, const Least& has);
  void note_special(const Step&, const Use&, Scalars&) const;
  void shift_by_last_vgpr(const Step&, const Launch&);
};

} // namespace crosslane::lint
