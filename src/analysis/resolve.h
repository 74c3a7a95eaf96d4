// Owns what a pair of SGPRs can hold where an indirect jump or call reads it: constants made by s_getpc_b64 and
// arithmetic, addresses loaded from constant memory, sets of them where an index is bounded (jump tables), or what the
// function was entered with (a return address). Asked for one site at a time, backwards from it, so that code without
// such sites costs nothing.
//
// assumed: functions keep SGPRs from s30 on, and VGPRs 40 to 47, 56 to 63 ... (LLVM's AMDGPU calling convention), so
// that a return address survives the calls that a function makes. Code that breaks the convention would return
// elsewhere. What they do not write, nor whatever they call, they keep too: compilers know their own functions.
#pragma once
#include "analysis/graph.h"
#include <map>
#include <memory>
#include <set>
#include <vector>

namespace crosslane::analysis {

// Of a 64-bit address.
struct Addresses {
  std::vector<uint64_t> constants; // sorted
  bool entered = false;            // or what the registers held when the function was called: a return
  bool unknown = false;            // or something else
};

class Resolver {
public:
  Resolver(const Code&, const Graph&);
  ~Resolver();

  // The pair that starts with scalar register `low`, before the last instruction of `block`.
  Addresses pair_at_end(BlockId block, uint16_t low);

  // Addresses of code that the block makes and that go elsewhere than into jumps: somebody may call them. To be asked
  // when all jumps and calls were.
  void taken_addresses(BlockId block, std::vector<uint64_t>& out);

private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

} // namespace crosslane::analysis
