// s_nop that no rule about wait states needs, or for so long. What an instruction did is kept, with the s_nop behind
// it, for as long as a later instruction would come too soon without them; each such pair of instructions says how many
// states more than needed lie between, without those of s_waitcnt, which other rules may take away. An s_nop becomes
// shorter by what all pairs around it leave, and what it takes the next one cannot have: all that is advised holds at
// once. Every row counts here, however gravely it is meant, and so do calls, jumps and returns, behind which anything
// may come.
#include "isa/flow.h"
#include "isa/op.h"
#include "lint/checks.h"
#include "lint/checks/clauses.h"
#include "lint/checks/hazard_traces.h"
#include "lint/checks/vcc_alias.h"
#include "lint/forward.h"
#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace crosslane::lint {

namespace {

namespace hazards = isa::hazards;

constexpr size_t most_nops = 6; // between a pair; behind more of them nothing is advised

struct DeedBehindNops {
  Deed deed;
  uint32_t age = 0;           // wait states since, those of s_nop too
  uint32_t waited = 0;        // by s_nop alone
  std::vector<uint64_t> nops; // in turn
};

struct Way {
  std::vector<DeedBehindNops> deeds;
  uint32_t known = ~0u;          // wait states, but for those of s_nop, since nobody knows what was done before
  std::vector<uint64_t> between; // the s_nop since the last other instruction
  bool behind_acc = false;       // that was v_accvgpr_read or _write
  bool flushing = false;         // ... was s_icache_inv
  uint8_t memory = 0;            // ... kinds of runs of memory instructions that it may be part of: bits
  JustWrote vcc;                 // ... what else counts of it
};

class RedundantNops {
public:
  using State = Way;

  RedundantNops(const Subject& subject, Report& report)
      : subject_(subject), report_(report), traces_(subject.generation()), launches_(subject),
        vcc_alias_(subject, launches_, harmed_) {
    for (size_t t = 0; t < traces_.size(); ++t)
      longest_ = std::max(longest_, uint32_t(traces_[t].most));
  }

  State enter(const analysis::Function& f) {
    State s;
    s.known = f.kernel ? longest_ : 0;
    return s;
  }
  State call(const State&, const Step&) { return {.known = 0}; }
  State back(const State&, const State*, const Step&) { return {.known = 0}; }
  void report(const State&, const Step&) {} // what is needed is gathered on the way

  bool join(State& into, const State& from) {
    bool changed = false;
    for (const DeedBehindNops& d : from.deeds) {
      const auto found = std::ranges::find_if(
          into.deeds, [&](const DeedBehindNops& e) { return e.deed.same(d.deed) && e.nops == d.nops; });
      if (found == into.deeds.end()) {
        into.deeds.push_back(d), changed = true;
        continue;
      }
      changed |= d.age < found->age;
      found->age = std::min(found->age, d.age);
    }
    changed |= from.known < into.known || (from.behind_acc && !into.behind_acc) || (from.flushing && !into.flushing);
    into.known = std::min(into.known, from.known);
    into.behind_acc |= from.behind_acc, into.flushing |= from.flushing;
    for (const uint64_t pc : from.between)
      if (std::ranges::find(into.between, pc) == into.between.end())
        into.between.push_back(pc), changed = true;
    changed |= (into.memory | from.memory) != into.memory;
    into.memory |= from.memory;
    changed |= vcc_alias_.join(into.vcc, from.vcc);
    return changed;
  }

  bool step(State& s, const Step& step) {
    if (step.op() == isa::Op::s_nop) {
      wait(s, step);
      return false;
    }
    const hazards::Kinds kinds = step.facts.kinds;
    for (const DeedBehindNops& d : s.deeds)
      if (!d.nops.empty())
        compare(s, d, kinds, step);
    if (leaves(step))
      for (const DeedBehindNops& d : s.deeds)
        need(d.nops, 0, d.deed.pc, step.pc);
    part_neighbours(s, step);
    const uint32_t states = step.op() == isa::Op::s_waitcnt ? 0 : uint32_t(hazards::wait_states(*step.instruction));
    const bool dgemm = kinds.has(hazards::Who::dgemm);
    for (DeedBehindNops& d : s.deeds)
      d.age += states, d.deed.past_dgemm |= dgemm;
    forget(s);
    s.known = s.known < longest_ ? s.known + states : s.known;
    s.behind_acc = is_acc(step);
    s.flushing = step.op() == isa::Op::s_icache_inv;
    traces_.each_begun(step, [&](const Deed& d) { s.deeds.push_back({.deed = d}); });
    return false;
  }

  void finish() {
    std::map<uint64_t, uint32_t> taken;
    for (auto& [pc, nop] : nops_) {
      uint32_t most = nop.states - std::min(nop.kept, nop.states);
      const Need* tightest = nullptr;
      for (const auto& [pair, n] : needs_) {
        const auto times = uint32_t(std::ranges::count(pair, pc));
        if (!times)
          continue;
        uint32_t others = 0;
        for (const uint64_t other : pair)
          others += other == pc ? 0 : taken[other];
        const uint32_t left = (n.spare - std::min(n.spare, others)) / times;
        if (left < most)
          most = left, tightest = &n;
      }
      taken[pc] = most;
      if (most)
        tell(pc, nop, most, tightest);
    }
  }

private:
  struct Nop {
    uint32_t states = 0;
    uint32_t kept = 0; // states that are for something else
  };
  struct Need {
    uint32_t spare = 0;             // states more than needed between
    uint64_t first = 0, second = 0; // instructions
  };

  const Subject& subject_;
  Report& report_;
  const HazardTraces traces_;
  const Launches launches_;
  Report harmed_; // if the s_nop before an instruction were not there
  VccAlias vcc_alias_;
  uint32_t longest_ = 0; // that any row asks for
  std::map<uint64_t, Nop> nops_;
  std::map<std::vector<uint64_t>, Need> needs_; // by the s_nop between

  void wait(State& s, const Step& step) {
    const auto states = uint32_t(hazards::wait_states(*step.instruction));
    Nop& nop = nops_.try_emplace(step.pc, Nop{states}).first->second;
    if (s.known < longest_ || s.flushing)
      nop.kept = states;
    if (std::ranges::find(s.between, step.pc) == s.between.end())
      s.between.push_back(step.pc);
    for (DeedBehindNops& d : s.deeds) {
      d.age += states, d.waited += states, d.nops.push_back(step.pc);
      if (d.nops.size() > most_nops)
        need(d.nops, 0, d.deed.pc, step.pc);
    }
    std::erase_if(s.deeds, [](const DeedBehindNops& d) { return d.nops.size() > most_nops; });
  }

  void forget(State& s) {
    std::erase_if(s.deeds,
                  [&](const DeedBehindNops& d) { return d.age - d.waited >= uint32_t(traces_[d.deed.trace].most); });
  }

  void compare(const State& s, const DeedBehindNops& d, hazards::Kinds kinds, const Step& step) {
    for (const hazards::Hazard* row : traces_[d.deed.trace].rows) {
      if (!kinds.has(row->second))
        continue;
      if (row->relation != hazards::Relation::always &&
          std::ranges::none_of(step.uses, [&](const Use& u) { return meets(*row, d.deed, s.behind_acc, step, u); }))
        continue;
      const auto states = uint32_t(row->states.count);
      need(d.nops, d.age - std::min(d.age, states), d.deed.pc, step.pc);
    }
  }

  void need(const std::vector<uint64_t>& nops, uint32_t spare, uint64_t first, uint64_t second) {
    if (nops.empty())
      return;
    const auto [at, added] = needs_.try_emplace(nops, Need{spare, first, second});
    if (!added && spare < at->second.spare)
      at->second = {spare, first, second};
  }

  static bool leaves(const Step& step) {
    const isa::FlowKind kind = isa::flow(*step.instruction).kind;
    return kind != isa::FlowKind::next && kind != isa::FlowKind::branch && kind != isa::FlowKind::end;
  }

  // What must not follow directly, of whatever length the s_nop between is: memory instructions, which with XNACK make
  // a run, and VCC by another name.
  void part_neighbours(State& s, const Step& step) {
    harmed_.findings.clear();
    vcc_alias_.report(s.vcc, step);
    vcc_alias_.step(s.vcc, step);
    const uint8_t before = s.memory;
    s.memory = subject_.xnack == Feature::off ? uint8_t(0) : run_bit(step);
    if (!harmed_.findings.empty() || (before & s.memory))
      for (const uint64_t pc : s.between)
        nops_[pc].kept = std::max(nops_[pc].kept, 1u);
    s.between.clear();
  }
  static uint8_t run_bit(const Step& step) {
    const Clause::Kind kind = Clause::kind_of(step);
    return kind == Clause::Kind::none ? uint8_t(0) : uint8_t(1u << uint8_t(kind));
  }

  std::string name(uint64_t pc) const {
    isa::Instruction in;
    return isa::decode(subject_.target(), analysis::bytes_at(subject_.code(), pc), in) > 0
               ? std::string(isa::mnemonic(in.op, subject_.target()))
               : std::string();
  }

  void tell(uint64_t pc, const Nop& nop, uint32_t less, const Need* tightest) {
    Finding f{.rule = Rule::redundant_nop, .severity = Severity::note, .said = Said::nobody, .pc = pc};
    const std::string was = fmt::format("s_nop {}", nop.states - 1);
    if (less == nop.states) {
      f.message = fmt::format("no rule about wait states needs this {}", was);
      f.fix = Fix{Fix::Kind::remove, pc, ""};
    } else {
      const std::string enough = fmt::format("s_nop {}", nop.states - less - 1);
      f.message = fmt::format("this {} is longer than any rule about wait states needs: {} is enough", was, enough);
      f.fix = Fix{Fix::Kind::replace, pc, enough};
    }
    if (tightest) {
      f.notes.push_back({tightest->first, fmt::format("{} here is followed", name(tightest->first))});
      f.notes.push_back({tightest->second, fmt::format("by {}, which needs states between", name(tightest->second))});
    }
    report_.findings.push_back(std::move(f));
  }
};

} // namespace

std::unique_ptr<Walk> walk_redundant_nops(const Subject& subject, Report& report) {
  return std::make_unique<WalkOf<RedundantNops>>(subject, report);
}

} // namespace crosslane::lint
