// Wait states between instructions: every row of isa/rows/hazards.inc. On the way of a wave, what an instruction did
// that a later one must not come too soon behind is kept for as many wait states as any row asks for; where ways meet,
// the younger age counts. A write by something harmless ends it, but for LLVM, whose search looks past such writes.
#include "isa/hazards.h"
#include "isa/op.h"
#include "lint/checks.h"
#include "lint/checks/hazard_traces.h"
#include "lint/follow.h"
#include "lint/forward.h"
#include "lint/path.h"
#include "lint/registers.h"
#include <fmt/format.h>
#include <map>

namespace crosslane::lint {

namespace {

namespace hazards = isa::hazards;
using hazards::Relation;

struct Way {
  std::vector<Deed> deeds;
  bool behind_acc = false; // v_accvgpr_read or _write was the last instruction
  bool operator==(const Way&) const = default;
};

class WaitStates {
public:
  using State = Way;

  WaitStates(const Subject& subject, Report& report)
      : subject_(subject), report_(report), traces_(subject.generation()) {}

  // Where nobody comes in and goes out, only what something in it could come too soon behind.
  void part(const Steps& steps, bool alone) {
    std::array<hazards::Registers, hazards::who_count> read{}, written{}; // by each kind that is there
    uint64_t there = 0;
    for (const Step& step : steps.all())
      for (uint64_t who = step.facts.kinds.bits() & traces_.seconds(); who; who &= who - 1) {
        const auto n = size_t(std::countr_zero(who));
        there |= uint64_t(1) << n;
        read[n] = read[n] | step.facts.read, written[n] = written[n] | step.facts.written;
      }
    const auto may_meet = [&](const hazards::Hazard* row) {
      const hazards::Which& which = row->which_of_second;
      const auto n = size_t(row->second);
      return (there >> n & 1) &&
             (row->relation == Relation::always || has(which.registers, which.written ? written[n] : read[n]));
    };
    traces_.watch([&](const Trace& t) { return !alone || std::ranges::any_of(t.rows, may_meet); });
  }

  State enter(const analysis::Function&) { return {}; }

  bool step(State& s, const Step& step) {
    bool found = false;
    if (!s.deeds.empty()) {
      found = any_found(s, step);
      pass(s, step);
    }
    s.behind_acc = is_acc(step);
    traces_.each_begun(step, [&](const Deed& d) { s.deeds.push_back(d); });
    return found;
  }

  bool join(State& into, const State& from) {
    bool changed = false;
    for (const Deed& d : from.deeds) {
      const auto found = std::ranges::find_if(into.deeds, [&](const Deed& e) { return e.same(d); });
      if (found == into.deeds.end()) {
        into.deeds.push_back(d), changed = true;
        continue;
      }
      changed |= d.age < found->age;
      found->age = std::min(found->age, d.age);
    }
    changed |= !into.behind_acc && from.behind_acc;
    into.behind_acc |= from.behind_acc;
    return changed;
  }

  State call(const State& s, const Step& call) {
    State in = s;
    for (Deed& d : in.deeds)
      if (!d.call)
        d.call = call.pc;
    return in;
  }

  // What was done before a call has gone through the callee, and comes back to that call alone.
  // What bears the mark of a call further out goes on with it, if it went in here.
  State back(const State& before, const State* out, const Step& call) {
    State s;
    if (!out)
      return s;
    s = *out;
    const auto went_in = [&](const Deed& d) {
      return std::ranges::any_of(before.deeds, [&](const Deed& b) {
        return b.pc == d.pc && b.call == d.call && b.trace == d.trace && b.first == d.first;
      });
    };
    std::erase_if(s.deeds, [&](const Deed& d) { return d.call && d.call != call.pc && !went_in(d); });
    for (Deed& d : s.deeds)
      if (d.call == call.pc)
        d.call = 0;
    return s;
  }

  void report(const State& s, const Step& step) {
    found_.clear();
    each_found(s, step, [&](const Found& f) { return keep(f), false; });
    for (const auto& [rule, found] : found_)
      tell(rule, found, step);
  }

private:
  struct Found {
    Deed deed;
    const hazards::Hazard* row = nullptr;
    uint16_t first = 0, count = 0; // the registers of the second instruction
    Severity severity{};
    Said said{};
    int missing() const { return row->states.count - deed.age; }
  };

  const Subject& subject_;
  Report& report_;
  HazardTraces traces_;
  std::map<Rule, Found> found_;

  // What there is gets older, and what is overwritten does not count any more.
  void pass(State& s, const Step& step) {
    const int states = hazards::wait_states(*step.instruction);
    const bool dgemm = step.facts.kinds.has(hazards::Who::dgemm);
    std::erase_if(s.deeds, [&](Deed& d) {
      d.age = uint8_t(std::min(d.age + states, 255));
      return d.age >= traces_[d.trace].most;
    });
    for (Deed& d : s.deeds) {
      d.past_dgemm |= dgemm;
      if (!d.count || !traces_[d.trace].which.written || !may_write(step, d.first))
        continue;
      for (const Use& u : step.uses)
        if (u.written && !u.partial && u.exact && u.overlaps(d.first, uint16_t(d.first + d.count)))
          for (uint16_t r = std::max(u.first, d.first); r < u.end() && r < d.first + d.count; ++r)
            d.overwritten |= uint32_t(1) << (r - d.first);
    }
  }

  // Anything in the file of this slot.
  static bool may_write(const Step& step, uint16_t first) {
    return first < slot::scc     ? step.facts.writes_scalar
           : first >= slot::vgpr ? has(step.facts.written, hazards::Registers::vector)
                                 : true;
  }

  bool any_found(const State& s, const Step& step) const {
    return each_found(s, step, [](const Found&) { return true; });
  }

  // Until f says that it is enough.
  template <class F> bool each_found(const State& s, const Step& step, F f) const {
    const hazards::Kinds kinds = step.facts.kinds;
    for (const Deed& d : s.deeds)
      if (traces_[d.trace].seconds & kinds.bits())
        for (const hazards::Hazard* row : traces_[d.trace].rows)
          if (d.age < row->states.count && kinds.has(row->second) && compare(s, d, *row, step, f))
            return true;
    return false;
  }

  template <class F>
  bool compare(const State& s, const Deed& d, const hazards::Hazard& row, const Step& step, F f) const {
    if (row.relation == Relation::always)
      return f({d, &row, 0, 0, row.severity, row.said});
    for (const Use& u : step.uses) {
      if (!meets(row, d, s.behind_acc, step, u))
        continue;
      Found found{d, &row, u.first, u.count, row.severity, row.said};
      bool whole = true; // all that they share has been overwritten
      for (uint16_t r = std::max(u.first, d.first); r < u.end() && r < d.first + d.count; ++r)
        whole = whole && (d.overwritten >> (r - d.first) & 1);
      if (whole) {
        if (!has(row.said, Said::llvm))
          continue;
        found.severity = Severity::pedantic, found.said = Said::llvm;
      }
      if (f(found))
        return true;
    }
    return false;
  }

  // Of each rule the gravest, and of those the one that lacks most.
  void keep(const Found& f) {
    const auto [at, added] = found_.try_emplace(*find_rule(f.row->rule), f);
    Found& best = at->second;
    if (!added &&
        std::tuple(f.severity, -f.missing(), f.deed.pc) < std::tuple(best.severity, -best.missing(), best.deed.pc))
      best = f;
  }

  static std::string states_text(int n) {
    constexpr std::string_view words[] = {"no wait state", "one wait state", "two wait states"};
    return n < 3 ? std::string(words[n]) : fmt::format("{} wait states", n);
  }

  void tell(Rule rule, const Found& f, const Step& step) {
    const isa::Generation g = subject_.generation();
    const bool reads_first = !f.row->which_of_first.written;
    std::string second(isa::mnemonic(step.op(), subject_.target()));
    if (step.instruction->form == isa::Form::dpp)
      second += "_dpp"; // what some rules are about
    const std::string first(isa::mnemonic(f.deed.op, subject_.target()));
    const std::string deed_name = f.deed.count ? register_name(g, f.deed.first, f.deed.count) : "";
    Finding finding{.rule = rule, .severity = f.severity, .said = f.said, .pc = step.pc};
    const std::string target(isa::info(subject_.target()).name);
    std::string act, deed;
    if (f.row->relation == Relation::always) {
      act = "comes";
      deed = f.deed.count ? fmt::format("{} {} {}", first, reads_first ? "read" : "wrote", deed_name) : first;
    } else {
      act =
          fmt::format("{} {}", f.row->which_of_second.written ? "writes" : "reads", register_name(g, f.first, f.count));
      deed = fmt::format("{} {} it", first, reads_first ? "read" : "wrote");
      if (f.first != f.deed.first || f.count != f.deed.count)
        deed = fmt::format("{} {} {}", first, reads_first ? "read" : "wrote", deed_name);
    }
    finding.message = fmt::format("{} {} {} after {}; {} needs {}", second, act, states_text(f.deed.age), deed, target,
                                  f.row->states.count);
    if (f.deed.age == 0)
      finding.message = fmt::format("{} {} directly after {}; {} needs {} between", second, act, deed, target,
                                    states_text(f.row->states.count));
    finding.notes.push_back({f.deed.pc, deed_name.empty()
                                            ? first + " here"
                                            : fmt::format("{} {} here", deed_name, reads_first ? "read" : "written")});
    for (Note& n : way_between(subject_, f.deed.pc, step.pc, f.deed.age))
      finding.notes.push_back(std::move(n));
    finding.fix = Fix{Fix::Kind::insert, step.pc, nops(f.missing())};
    report_.findings.push_back(std::move(finding));
  }

  // s_nop of 8 states at most, as all manuals and compilers have it.
  static std::string nops(int states) {
    std::string text;
    for (; states > 0; states -= 8)
      text += fmt::format("{}s_nop {}", text.empty() ? "" : "\n", std::min(states, 8) - 1);
    return text;
  }
};

} // namespace

std::unique_ptr<Walk> walk_wait_states(const Subject& subject, Report& report) {
  return std::make_unique<WalkOf<WaitStates>>(subject, report);
}

std::unique_ptr<Follower> follow_wait_states(const Subject& subject, Report& report) {
  return std::make_unique<Following<WaitStates>>(subject, report);
}

} // namespace crosslane::lint
