// A forward walk over the control flow with the masks that SGPRs hold.
#include "findings/guards.h"
#include "isa/classify.h"
#include "isa/flow.h"
#include <deque>
#include <map>
#include <optional>

namespace crosslane::findings {

using isa::Op;
namespace code = isa::code;

namespace {

constexpr int most_visits = 8; // of one instruction: loops settle after one visit for each level of nesting

} // namespace

class GuardBuilder {
public:
  GuardBuilder(const std::vector<ProfiledInstruction>& instructions, Guards& out)
      : code_(instructions), out_(out), state_(instructions.size()), visits_(instructions.size()) {
    out_.at_.assign(instructions.size(), 0);
  }

  void run() {
    for (size_t i = 0; i < code_.size(); ++i)
      if (arrive_anew(i)) // a function's entry, or what is only reached by an indirect branch
        for (work_.push_back(i); !work_.empty();) {
          const size_t from = work_.front();
          work_.pop_front();
          walk(from);
        }
  }

private:
  // What EXEC is, and the nodes that stood when the masks in SGPR pairs were saved.
  struct State {
    int node = 0;
    std::map<uint16_t, int> saved;
  };

  const std::vector<ProfiledInstruction>& code_;
  Guards& out_;
  std::vector<std::optional<State>> state_; // before each instruction
  std::map<std::pair<int, int>, int> children_;
  std::vector<int> visits_;
  std::deque<size_t> work_;

  // Whether `inner` has all guards of `outer`, in their order, and more.
  bool is_deeper(int outer, int inner) const {
    bool more = false;
    for (; inner > 0; inner = parent(inner))
      if (outer > 0 && guard(outer) == guard(inner))
        outer = parent(outer);
      else
        more = true;
    return outer == 0 && more;
  }
  int parent(int node) const { return out_.nodes_[static_cast<size_t>(node)].parent; }
  int guard(int node) const { return out_.nodes_[static_cast<size_t>(node)].guard; }

  int child(int node, int guard) {
    // Shared, so that walks of one place agree on its node.
    const auto [entry, added] = children_.emplace(std::pair(node, guard), static_cast<int>(out_.nodes_.size()));
    if (added)
      out_.nodes_.push_back({guard, node});
    return entry->second;
  }

  bool arrive_anew(size_t i) { return !state_[i] && arrive(i, {}); }

  // Whether this changes what is known: the first to arrive counts, but who comes round a loop with fewer lanes tells
  // that they left it.
  bool arrive(size_t i, const State& state) {
    auto& known = state_[i];
    if (!known) {
      known = state;
    } else if (is_deeper(known->node, state.node) && visits_[i] < most_visits) {
      known->node = state.node;
      for (const auto& [sgpr, node] : state.saved)
        known->saved[sgpr] = node;
    } else {
      return false;
    }
    ++visits_[i];
    return true;
  }

  void walk(size_t i) {
    for (;; ++i) {
      const auto& instruction = code_[i];
      if (!state_[i])
        return; // nobody has arrived
      State state = *state_[i];
      out_.at_[i] = state.node;
      const auto target = static_cast<size_t>(instruction.target);
      if (instruction.target >= 0 && target < code_.size() && arrive(target, state))
        work_.push_back(target);
      if (!isa::flow(instruction.instruction).falls_through || i + 1 >= code_.size() ||
          code_[i + 1].function != instruction.function)
        return;
      step(static_cast<int>(i), instruction.instruction, state);
      if (!arrive(i + 1, state))
        return;
    }
  }

  void narrow(int i, State& state, std::optional<uint16_t> restores) {
    for (int node = state.node; node > 0; node = parent(node))
      if (guard(node) == i) { // round a loop
        if (restores)
          state.saved[*restores] = parent(node);
        return;
      }
    if (restores)
      state.saved[*restores] = state.node;
    state.node = child(state.node, i);
  }

  // The guard of the `if` whose mask `outer` was EXEC before: its `else` is behind the same.
  int guard_below(int outer, int node, int otherwise) const {
    for (; node > 0; node = parent(node))
      if (parent(node) == outer)
        return guard(node);
    return otherwise;
  }

  void step(int i, const isa::Instruction& in, State& state) {
    const auto saved = [&](uint16_t sgpr) -> std::optional<int> {
      const auto found = state.saved.find(sgpr);
      return found == state.saved.end() ? std::nullopt : std::optional(found->second);
    };
    const uint16_t dst = in.dst;
    if (isa::saves_exec(in)) {
      const auto outer = saved(in.src[0]);
      const isa::MaskOp op = isa::exec_mask_op(in.op);
      const bool grows = op == isa::MaskOp::or_ || op == isa::MaskOp::orn1 || op == isa::MaskOp::orn2;
      if (outer && (grows || op == isa::MaskOp::andn2)) {
        const int same = guard_below(*outer, state.node, i);
        state.saved[dst] = *outer;
        state.node = child(*outer, same);
      } else if (grows) {
        state.saved[dst] = state.node; // whole wave mode
      } else {
        narrow(i, state, dst);
      }
      return;
    }
    if (dst == code::exec) {
      write_exec(i, in, state);
      return;
    }
    if (in.op == Op::s_mov_b64)
      if (const auto node = in.src[0] == code::exec ? std::optional(state.node) : saved(in.src[0])) {
        state.saved[dst] = *node;
        return;
      }
    if (in.op == Op::s_xor_b64 || in.op == Op::s_andn2_b64) { // the lanes of the `else`
      const auto outer = in.src[0] == code::exec   ? saved(in.src[1])
                         : in.src[1] == code::exec ? saved(in.src[0])
                                                   : std::nullopt;
      if (outer) {
        state.saved[dst] = *outer;
        return;
      }
    }
    if (isa::has(isa::row(in.op).implicit, isa::Implicit::exec_w)) { // v_cmpx and relatives
      narrow(i, state, std::nullopt);
      return;
    }
    for (const uint16_t written : {in.dst, in.sdst})
      if (isa::is_scalar_register(written)) {
        state.saved.erase(written);
        if (written % 2)
          state.saved.erase(static_cast<uint16_t>(written - 1));
      }
  }

  void write_exec(int i, const isa::Instruction& in, State& state) {
    const auto saved = [&](uint16_t sgpr) { return state.saved.find(sgpr); };
    const uint16_t other = in.src[0] == code::exec ? in.src[1] : in.src[0];
    const bool combines = in.src[0] == code::exec || in.src[1] == code::exec;
    const auto found = saved(other);
    switch (in.op) {
    case Op::s_or_b64:
      if (found != state.saved.end())
        state.node = found->second;
      else if (combines)
        state.node = parent(state.node);
      break;
    case Op::s_mov_b64:
      if (found != state.saved.end())
        state.node = found->second;
      else if (isa::is_scalar_register(other))
        narrow(i, state, std::nullopt);
      break;
    case Op::s_and_b64:
    case Op::s_andn2_b64:
    case Op::s_cselect_b64:
      narrow(i, state, combines && isa::is_scalar_register(other) ? std::optional(other) : std::nullopt);
      break;
    default: // s_xor_b64 exec, exec, saved: the `else` of the region that is open
      break;
    }
  }
};

Guards::Guards(const std::vector<ProfiledInstruction>& instructions) { GuardBuilder(instructions, *this).run(); }

} // namespace crosslane::findings
