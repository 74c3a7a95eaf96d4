// Owns by which calls a wave has come to where it is, as it goes from block to block: the hardware has no stack of
// them, and where compilers put return addresses is theirs. Of calls that nobody returns from, and of deep recursion,
// the last ones are kept.
#pragma once
#include "events/listener.h"
#include "isa/flow.h"
#include <vector>

namespace crosslane::check {

class CallStack {
public:
  // The wave is about to execute it.
  void enter(const events::Block& block) {
    for (size_t n = calls_.size(); n-- > 0;)
      if (calls_[n].back == block.sites.front().pc) {
        calls_.resize(n);
        break;
      }
    const events::Site& last = block.sites.back();
    if (isa::flow(*last.instruction).kind != isa::FlowKind::call)
      return;
    if (calls_.size() == most)
      calls_.erase(calls_.begin());
    calls_.push_back({last.pc, last.pc + last.instruction->size});
  }

  // The calls, the innermost first.
  std::vector<uint64_t> callers() const {
    std::vector<uint64_t> all;
    for (auto call = calls_.rbegin(); call != calls_.rend(); ++call)
      all.push_back(call->pc);
    return all;
  }

private:
  static constexpr size_t most = 64;
  struct Call {
    uint64_t pc = 0, back = 0; // where it returns to
  };
  std::vector<Call> calls_;
};

} // namespace crosslane::check
