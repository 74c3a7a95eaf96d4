// Owns where vector instructions of probes would mean other registers than they name: where VGPR indexing
// (s_set_gpr_idx_on) may be on. Compilers turn it on for one move and off again, so probes seldom stand there.
#pragma once
#include "rewrite/copied_code.h"

namespace crosslane::rewrite {

class VgprIndexing {
public:
  explicit VgprIndexing(const lint::Subject&);
  // Before instruction n of a block.
  bool may_be_on(analysis::BlockId, uint32_t n) const;
  // A vector instruction of probes stands there.
  bool is_in_the_way(const CopiedCode&, Insertions&) const;
  bool is_in_the_way(analysis::BlockId, uint32_t n, std::span<const Item>) const;

private:
  const lint::Subject& subject_;
  std::vector<bool> blocks_; // where it may be on when they begin; empty: nowhere
};

} // namespace crosslane::rewrite
