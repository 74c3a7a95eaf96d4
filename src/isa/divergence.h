// Owns which instructions divide a wavefront's lanes and which decide for all: where a profile counts, and a probe
// would. Divergence site: each lane decides for itself. All that may leave lanes out of EXEC by a condition
// (s_and_saveexec and its family, s_and_b64 and s_andn2_b64 of EXEC, v_cmpx, s_mov_b64 of a computed mask), forks, and
// branches on VCC. Decision site: the wavefront decides as a whole. Branches on SCC and on EXEC. No site: what only
// gives lanes back (s_or_b64 of EXEC), what takes the lanes of an `else`, whose condition its `if` has had (s_xor_b64
// of EXEC), constants (s_mov_b64 exec, -1; s_or_saveexec_b64 s[2:3], -1), and what restores an EXEC that was saved
// straight before (SiteFinder).
#pragma once
#include "isa/flow.h"
#include <bitset>

namespace crosslane::isa {

enum class SiteKind : uint8_t {
  none,
  decision, // by the branch's condition
  vcc,      // divergence sites: a branch on VCC; the lanes whose bit is set
  fork,     // s_cbranch_*_fork; the lanes of its mask
  exec,     // EXEC is what it leaves: the lanes whose condition holds
};

constexpr bool is_divergence(SiteKind k) { return k >= SiteKind::vcc; }

// Of branches and forks on it.
SiteKind site_kind(Condition);
// Of an instruction by itself: s_mov_b64 of any SGPR pair to EXEC is a site.
SiteKind site_kind(const Instruction&);

// Goes through code in its order, from an entry on, and remembers which SGPR pairs hold an EXEC of before. Moving one
// of those back ends a region, such as whole wave mode around a spill, and is no site.
class SiteFinder {
public:
  SiteKind next(const Instruction&);

private:
  void remember(const Instruction&);
  std::bitset<128> saved_; // by the pair's first register
};

} // namespace crosslane::isa
