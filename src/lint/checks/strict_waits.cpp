// s_waitcnt that waits for more than is needed. Nothing is taken as done when an s_waitcnt proves it; it is marked with
// that s_waitcnt, the last before its use, and with the most that this one may say to prove it still. What uses the
// registers, or may rely on the order of memory, then says what that s_waitcnt is needed for. All that is advised
// holds at once: each use is proved by its own mark, and whether a count above 0 tells anything is judged with all that
// may be outstanding when every s_waitcnt has become as weak as this allows.
#include "isa/access.h"
#include "isa/flow.h"
#include "lint/checks.h"
#include "lint/checks/clashes.h"
#include "lint/checks/memory_order.h"
#include "lint/forward.h"
#include <fmt/format.h>
#include <map>

namespace crosslane::lint {

namespace {

using isa::Counter;

constexpr std::array counted = {Counter::vm, Counter::lgkm}; // expcnt is left as it is
static_assert(size_t(Counter::vm) == 0 && size_t(Counter::lgkm) == 1);

struct Proof {
  uint64_t wait = 0; // the s_waitcnt; 0: none yet
  uint8_t left = 0;  // the most that it may say
};

// What may be outstanding when no s_waitcnt stronger than needed has been there: operations[n] with proofs[n].
struct Way {
  std::vector<Operation> operations;
  std::vector<std::array<Proof, 2>> proofs;
  uint8_t unknown = 0; // counters on which callers or callees may have left something
};

class StrictWaits {
public:
  using State = Way;

  StrictWaits(const Subject& subject, Report& report)
      : subject_(subject), rules_(CountingRules::of(subject)), report_(report) {}

  State enter(const analysis::Function& function) {
    State s;
    s.unknown = function.kernel ? 0 : result_counters;
    return s;
  }
  State call(const State&, const Step&) { return {.unknown = result_counters}; }
  State back(const State&, const State*, const Step&) { return {.unknown = result_counters}; }
  void report(const State&, const Step&) {} // what is needed is gathered on the way

  bool join(State& into, const State& from) {
    bool grown = (into.unknown | from.unknown) != into.unknown;
    into.unknown |= from.unknown;
    for (size_t n = 0; n < from.operations.size(); ++n) {
      const size_t at = find(into, from.operations[n], from.proofs[n]);
      if (at == into.operations.size()) {
        into.operations.push_back(from.operations[n]), into.proofs.push_back(from.proofs[n]), grown = true;
        continue;
      }
      Operation& o = into.operations[at];
      const Operation& f = from.operations[n];
      const Operation before = o;
      o.strict |= f.strict, o.open |= f.open;
      for (const Counter c : counted) {
        uint8_t &age = o.age[size_t(c)], &left = into.proofs[at][size_t(c)].left;
        const uint8_t other = from.proofs[n][size_t(c)].left;
        grown |= f.age[size_t(c)] < age || other < left;
        age = std::min(age, f.age[size_t(c)]), left = std::min(left, other);
      }
      grown |= o.strict != before.strict || o.open != before.open;
    }
    return grown;
  }

  bool step(State& s, const Step& step) {
    if (step.op() == isa::Op::s_waitcnt) {
      wait(s, step);
      return false;
    }
    if (!s.operations.empty())
      use(s, step);
    if (auto o = operation_of(step, rules_))
      issue(s, *o);
    return false;
  }

  void finish() {
    for (const auto& [pc, wait] : waits_)
      tell(pc, wait);
  }

private:
  // What is known of an s_waitcnt.
  struct Wait {
    isa::WaitCounts counts{};
    std::array<bool, 2> proves{};                                 // something that none before it has
    std::array<uint8_t, 2> needed = {255, 255};                   // the most that each counter may say
    std::array<uint64_t, 2> operation{}, user{};                  // that need it: instructions. 0: none
    void keep() { needed = {counts.vm, counts.lgkm}, user = {}; } // as it is
  };

  const Subject& subject_;
  const CountingRules rules_;
  Report& report_;
  std::map<uint64_t, Wait> waits_;
  std::vector<Clash> clashes_;

  static size_t find(const State& s, const Operation& o, const std::array<Proof, 2>& p) {
    size_t n = 0;
    while (n < s.operations.size() &&
           !(s.operations[n].pc == o.pc && s.proofs[n][0].wait == p[0].wait && s.proofs[n][1].wait == p[1].wait))
      ++n;
    return n;
  }

  static void drop_done(State& s) {
    size_t kept = 0;
    for (size_t n = 0; n < s.operations.size(); ++n)
      if (s.operations[n].strict) {
        if (kept != n)
          s.operations[kept] = s.operations[n], s.proofs[kept] = s.proofs[n];
        ++kept;
      }
    s.operations.resize(kept), s.proofs.resize(kept);
  }

  static void done(State& s, size_t n, Counter c) {
    s.operations[n].strict &= uint8_t(~bit(c));
    s.operations[n].open &= s.operations[n].strict;
  }

  // Whether all of a counter that `takes(n)` comes back in one order.
  bool in_order(const State& s, Counter c, auto takes) const {
    int only = -1;
    for (size_t n = 0; n < s.operations.size(); ++n) {
      if (!(s.operations[n].strict & bit(c)) || !takes(n))
        continue;
      const Stream order = order_of(s.operations[n], c, rules_.flat_is_memory);
      if (order == Stream::smem || order == Stream::flat || (only >= 0 && only != int(order)))
        return false;
      only = int(order);
    }
    return true;
  }

  // The operation has to be done here. What no s_waitcnt has proved stays, unless it is missing here (`settled`).
  void demand(State& s, size_t n, Counter c, const Step& step, bool settled = false) {
    if (!(s.operations[n].strict & bit(c)))
      return;
    const Proof proof = s.proofs[n][size_t(c)];
    if (!proof.wait && !settled)
      return;
    done(s, n, c);
    if (!proof.wait)
      return;
    Wait& w = waits_[proof.wait];
    if (proof.left < w.needed[size_t(c)])
      w.needed[size_t(c)] = proof.left, w.operation[size_t(c)] = s.operations[n].pc, w.user[size_t(c)] = step.pc;
    for (size_t other = 0; other < s.operations.size(); ++other) // what it proves with this
      if (const Proof& p = s.proofs[other][size_t(c)]; p.wait == proof.wait && p.left >= proof.left)
        done(s, other, c);
  }
  void demand_all(State& s, const Step& step, auto takes) {
    for (size_t n = 0; n < s.operations.size(); ++n)
      for (const Counter c : counted)
        if (takes(s.operations[n], s.proofs[n][size_t(c)], c))
          demand(s, n, c, step);
  }

  void wait(State& s, const Step& step) {
    const isa::WaitCounts counts = isa::wait_counts(rules_.generation, uint32_t(step.instruction->imm));
    Wait& w = waits_.try_emplace(step.pc, Wait{.counts = counts}).first->second;
    bool stays = false, proves = false;
    for (const Counter c : counted) {
      const uint8_t count = count_of(counts, c);
      if (count >= rules_.most_of(c))
        continue;
      stays |= (s.unknown & bit(c)) != 0;
      if (count == 0)
        s.unknown &= uint8_t(~bit(c));
      const auto open = [&](size_t n) { return s.proofs[n][size_t(c)].wait == 0; };
      if (count && !in_order(s, c, [](size_t) { return true; })) {
        // It tells something only if others before it are as strong as they are.
        demand_all(s, step, [&](const Operation&, const Proof&, Counter of) { return of == c; });
        stays |= !in_order(s, c, open);
      }
      for (size_t n = 0; n < s.operations.size(); ++n)
        if (s.operations[n].strict & bit(c) && open(n) && s.operations[n].age[size_t(c)] >= count)
          w.proves[size_t(c)] = proves = true;
    }
    if (stays)
      w.keep();
    drop_done(s);
    if (!proves) // others prove it all: redundant-wait
      return;
    for (const Counter c : counted) {
      const uint8_t count = count_of(counts, c);
      if (count >= rules_.most_of(c))
        continue;
      const bool ordered = in_order(s, c, [](size_t) { return true; });
      if (count && !ordered)
        continue;
      for (size_t n = 0; n < s.operations.size(); ++n) {
        const Operation& o = s.operations[n];
        if ((o.strict & bit(c)) && o.age[size_t(c)] >= count)
          s.proofs[n][size_t(c)] = {step.pc, ordered ? std::min(o.age[size_t(c)], rules_.most_of(c)) : uint8_t(0)};
      }
    }
    merge(s);
  }

  // Operations whose marks have become the same.
  static void merge(State& s) {
    for (size_t n = 0; n < s.operations.size(); ++n) {
      const size_t first = find(s, s.operations[n], s.proofs[n]);
      if (first == n)
        continue;
      for (const Counter c : counted) {
        uint8_t &age = s.operations[first].age[size_t(c)], &left = s.proofs[first][size_t(c)].left;
        age = std::min(age, s.operations[n].age[size_t(c)]), left = std::min(left, s.proofs[n][size_t(c)].left);
      }
      s.operations[first].strict |= s.operations[n].strict, s.operations[first].open |= s.operations[n].open;
      s.operations[n].strict = 0;
    }
    drop_done(s);
  }

  void use(State& s, const Step& step) {
    clashes_.clear();
    find_clashes(subject_, s.operations, rules_, step, clashes_);
    for (const Clash& clash : clashes_)
      for (const Counter c : counted)
        demand(s, clash.operation, c, step, clash.fatal());
    if (waits_for_all(step)) {
      demand_all(s, step, [](const Operation&, const Proof&, Counter) { return true; });
    } else {
      if (spoils_vccz(step))
        demand_all(s, step, [](const Operation& o, const Proof&, Counter) { return o.stream == Stream::smem; });
      order_memory(s, step);
    }
    drop_done(s);
  }

  // Where others may look at all that the wave did, or nobody knows who does. Clocks are read to time what was waited
  // for.
  bool waits_for_all(const Step& step) const {
    const isa::Instruction& in = *step.instruction;
    const isa::Access access = isa::row(in.op).access;
    switch (step.facts.unit) {
    case isa::Unit::smem: return !isa::is_load(access) && !isa::is_store(access) && !isa::is_atomic(access);
    case isa::Unit::vmem: return access == isa::Access::cache;
    case isa::Unit::gds:
    case isa::Unit::export_:
    case isa::Unit::message: return true;
    case isa::Unit::branch: {
      const isa::FlowKind kind = isa::flow(in).kind;
      return kind != isa::FlowKind::branch && kind != isa::FlowKind::next;
    }
    case isa::Unit::internal:
      return has(isa::row(in.op).implicit, isa::Implicit::barrier) || in.op == isa::Op::s_sethalt ||
             in.op == isa::Op::s_icache_inv;
    default: return false;
    }
  }

  bool spoils_vccz(const Step& step) const {
    return rules_.generation <= isa::Generation::gfx7 && std::ranges::any_of(step.uses, [](const Use& u) {
             return (u.written && u.overlaps(slot::vcc, slot::vcc + 2)) || (u.read && u.first == slot::vccz);
           });
  }

  // A wait between accesses may be there for their order: behind stores, atomics and loads past the caches (GLC, as
  // those that are volatile are), and, if it was for 0, between any load and what is stored later (a release). At the
  // end of the wave as well, where what it was meant for is not seen.
  void order_memory(State& s, const Step& step) {
    const isa::Instruction& in = *step.instruction;
    const isa::MemoryUse use = isa::memory_use(in);
    const bool access = use.loads || use.stores, ends = isa::flow(in).kind == isa::FlowKind::end;
    if (!access && !ends)
      return;
    const bool lds = step.facts.unit == isa::Unit::lds;
    demand_all(s, step, [&](const Operation& o, const Proof& p, Counter c) {
      if (o.ordered || o.writes_lds)
        return true;
      // Who waits for memory waits for 0 before a store that others look for in memory, not in LDS.
      const bool seen = !lds || c == Counter::lgkm || rules_.generation >= isa::Generation::gfx90a;
      return use.stores && seen && p.wait && count_of(waits_[p.wait].counts, c) == 0;
    });
  }

  void issue(State& s, Operation o) {
    o.strict &= result_counters, o.open &= result_counters, o.sources = {};
    if (!o.strict)
      return;
    for (const Counter c : counted) {
      if (!(o.strict & bit(c)))
        continue;
      const bool ordered = in_order(s, c, [](size_t) { return true; });
      for (size_t n = 0; n < s.operations.size(); ++n) {
        Operation& older = s.operations[n];
        if (!(older.strict & bit(c)) ||
            order_of(older, c, rules_.flat_is_memory) != order_of(o, c, rules_.flat_is_memory))
          continue;
        uint8_t& age = older.age[size_t(c)];
        age = uint8_t(std::min(age + 1, 255));
        if (ordered && age >= rules_.most_of(c)) // a full counter held this one back
          done(s, n, c);
      }
    }
    // The same instruction of an earlier round is done before this one, if they come back in order.
    if (o.stream != Stream::smem && o.stream != Stream::flat)
      for (Operation& older : s.operations)
        if (older.pc == o.pc)
          older.strict = 0;
    drop_done(s);
    s.operations.push_back(o), s.proofs.emplace_back();
    merge(s);
  }

  void tell(uint64_t pc, const Wait& w) {
    isa::WaitCounts enough = w.counts;
    Finding f{.rule = Rule::strict_wait, .severity = Severity::note, .said = Said::nobody, .pc = pc};
    std::string needed;
    for (const Counter c : counted) {
      const uint8_t n = w.needed[size_t(c)], count = count_of(w.counts, c);
      // Of a counter that is all but full, compilers do not know that what is older is done.
      if (!w.proves[size_t(c)] || n <= count || count + 1 >= rules_.most_of(c))
        continue;
      (c == Counter::vm ? enough.vm : enough.lgkm) = std::min(n, rules_.most_of(c));
      if (w.user[size_t(c)]) {
        f.notes.push_back({w.operation[size_t(c)], "the last that has to be done by then"});
        f.notes.push_back({w.user[size_t(c)], "needed here"});
      }
    }
    if (enough == w.counts)
      return;
    const std::string text = wait_text(enough, rules_), was = wait_text(w.counts, rules_);
    f.message =
        text.empty()
            ? fmt::format("nothing needs what {} waits for before another s_waitcnt proves it, if ever", was)
            : fmt::format("{} waits for more than is needed before the next s_waitcnt: {} is enough", was, text);
    f.fix = text.empty() ? Fix{Fix::Kind::remove, pc, ""} : Fix{Fix::Kind::replace, pc, "s_waitcnt " + text};
    report_.findings.push_back(std::move(f));
  }
};

} // namespace

std::unique_ptr<Walk> walk_strict_waits(const Subject& subject, Report& report) {
  if (subject.graph.skips_vectors) // checks/waits.cpp says so
    return nullptr;
  return std::make_unique<WalkOf<StrictWaits>>(subject, report);
}

} // namespace crosslane::lint
