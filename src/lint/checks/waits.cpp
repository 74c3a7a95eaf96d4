// Everything about s_waitcnt: what is outstanding is followed along the ways of a wave (outstanding.h), and each
// instruction is held against it (clashes.h, memory_order.h, vccz.h, clauses.h). Behind a missing wait the walk goes on
// as if it had been there, so that one missing wait is told once.
#include "isa/flow.h"
#include "lint/checks.h"
#include "lint/checks/clashes.h"
#include "lint/checks/clauses.h"
#include "lint/checks/memory_order.h"
#include "lint/checks/vccz.h"
#include "lint/checks/wait_reporter.h"
#include "lint/follow.h"
#include "lint/forward.h"

namespace crosslane::lint {

namespace {

using isa::Counter;

struct Way {
  Outstanding outstanding;
  Vccz vccz;
  Clause clause;
  MemoryOrder order;
  Before before;
  Entry entry;
  bool operator==(const Way&) const = default;
};

class Waits {
public:
  using State = Way;

  Waits(const Subject& subject, Report& report)
      : subject_(subject), rules_(CountingRules::of(subject)), reporter_(subject, rules_, report),
        order_(subject, rules_), report_(report), callees_(subject.graph.callees) {
    std::ranges::sort(callees_);
  }

  State enter(const analysis::Function& function) {
    State s;
    if (function.kernel) {
      const codeobject::Kernel* kernel = subject_.kernel_at(function.address);
      s.order.one_wave = kernel && waves_of(*kernel) == 1;
      return s;
    }
    if (!function.given) // an address that code makes: where a symbol is missing it is wrong
      return s;
    const auto index = uint32_t(&function - subject_.graph.functions.data());
    s.entry.at = function.address;
    s.entry.unknown = rules_.generation < isa::Generation::gfx90a ? 7 : 7 & ~bit(Counter::exp);
    s.entry.by_others = function.address_taken || !std::ranges::binary_search(callees_, index);
    return s;
  }

  bool step(State& s, const Step& step) {
    const isa::Instruction& in = *step.instruction;
    bool found = s.vccz.looked_at(step);
    s.vccz.step(step, s.outstanding, rules_.generation);
    if (subject_.xnack != Feature::off)
      found |= s.clause.step(step);
    if (in.op == isa::Op::s_waitcnt)
      return wait(s, step) || found;
    s.before = {};
    if (in.op != isa::Op::s_nop)
      found |= s.entry.any(), s.entry = {};
    found |= s.order.step(step, s.outstanding, rules_);
    if (!s.outstanding.empty())
      found |= settle(s, step);
    s.outstanding.issue(step, rules_);
    return found;
  }

  bool join(State& into, const State& from) {
    bool grown = into.outstanding.join(from.outstanding);
    grown |= into.vccz.join(from.vccz);
    grown |= subject_.xnack != Feature::off && into.clause.join(from.clause);
    grown |= into.order.join(from.order);
    grown |= into.entry.join(from.entry);
    into.before = {};
    return grown;
  }

  State call(const State& s, const Step& call) {
    State in;
    in.outstanding = s.outstanding, in.vccz = s.vccz, in.order = s.order;
    for (Operation& o : in.outstanding.operations())
      if (!o.call)
        o.call = call.pc;
    in.entry.called = true;
    return in;
  }

  // Callees that are not known wait before they return, as LLVM's calling convention has it.
  State back(const State& before, const State* out, const Step& call) {
    State s;
    s.order.one_wave = before.order.one_wave;
    if (!out)
      return s;
    s = *out;
    s.order.one_wave = before.order.one_wave;
    s.before = {}, s.entry = {}, s.clause = {};
    for (Operation& o : s.outstanding.operations()) {
      if (!o.call)
        continue;
      if (o.call == call.pc)
        o.call = 0;
      else if (std::ranges::none_of(before.outstanding.operations(), [&](const Operation& b) { return b.same(o); }))
        o.strict = o.open = 0; // of another caller
    }
    s.outstanding.changed();
    return s;
  }

  void report(const State& s, const Step& step) {
    const isa::Instruction& in = *step.instruction;
    if (in.op == isa::Op::s_waitcnt)
      return reporter_.redundant(s.outstanding, s.entry, step);
    if (s.entry.any() && in.op != isa::Op::s_nop)
      reporter_.entry(s.outstanding, s.entry, step);
    s.vccz.report(step, s.outstanding, subject_, report_.findings);
    if (subject_.xnack != Feature::off)
      s.clause.report(step, subject_, report_.findings);
    order_.report(step, s.order, s.outstanding, report_.findings);
    if (s.outstanding.empty())
      return;
    clashes_.clear();
    find_clashes(subject_, s.outstanding, rules_, step, clashes_);
    if (!clashes_.empty())
      reporter_.clashes(s.outstanding, clashes_, s.before, step);
    if (const Operation* o = read_under_exec(s.outstanding, step))
      reporter_.exec(*o, s.before, step);
    if (isa::flow(in).kind == isa::FlowKind::jump)
      if (const auto& block = subject_.graph.blocks[step.block]; block.exit == analysis::Exit::returns)
        reporter_.returns(s.outstanding, step);
  }

private:
  const Subject& subject_;
  const CountingRules rules_;
  WaitReporter reporter_;
  OrderReporter order_;
  Report& report_;
  std::vector<uint32_t> callees_;
  std::vector<Clash> clashes_;

  static int waves_of(const codeobject::Kernel& k) {
    const uint32_t* r = k.reqd_workgroup_size;
    const uint32_t items = r[0] && r[1] && r[2] ? r[0] * r[1] * r[2] : k.max_flat_workgroup_size;
    return items && items <= 64 ? 1 : 0; // 0: any number
  }

  // Whether it is for nothing.
  bool wait(State& s, const Step& step) {
    const bool entering = s.entry.any();
    bool any = false;
    const isa::WaitCounts counts = isa::wait_counts(rules_.generation, uint32_t(step.instruction->imm));
    for (const Counter c : counters) {
      const uint8_t n = count_of(counts, c);
      if (n < rules_.most_of(c))
        any |= s.outstanding.wait(c, n, rules_, step.pc);
      if (n == 0)
        s.entry.unknown &= uint8_t(~bit(c));
      if (n == 0 && c == Counter::vm)
        s.order.write_back = 0;
    }
    s.before = {step.pc, step.block, counts};
    return !any && !entering;
  }

  // As if what the instruction lacks had been waited for. Whether it lacks anything.
  bool settle(State& s, const Step& step) {
    const isa::Instruction& in = *step.instruction;
    const isa::FlowKind kind = step.facts.unit == isa::Unit::branch ? isa::flow(in).kind : isa::FlowKind::next;
    if (kind == isa::FlowKind::trap) {
      s.outstanding.trap();
      return true;
    }
    clashes_.clear();
    find_clashes(subject_, s.outstanding, rules_, step, clashes_);
    std::array<int, 3> needed = {-1, -1, -1};
    bool loose = false;
    for (const Clash& clash : clashes_) {
      Operation& o = s.outstanding.operations()[clash.operation];
      if (!clash.fatal() || clash.strictly) {
        o.strict = clash.strictly ? 0 : o.strict, loose |= clash.strictly;
        continue;
      }
      for (const Counter c : counters)
        if (clash.counters & bit(c)) {
          const int n = s.outstanding.needed(o, c, rules_, !rules_.flat_is_memory);
          needed[size_t(c)] = needed[size_t(c)] < 0 ? n : std::min(n, needed[size_t(c)]);
        }
    }
    if (loose)
      s.outstanding.changed();
    const bool exec = read_under_exec(s.outstanding, step) != nullptr;
    if (exec)
      needed[size_t(Counter::exp)] = 0;
    for (const Counter c : counters)
      if (const int n = needed[size_t(c)]; n >= 0)
        s.outstanding.wait(c, uint8_t(n), rules_, 0);
    if (reads_lds(in, rules_))
      for (Operation& o : s.outstanding.operations())
        o.writes_lds = o.writes_lds && o.stream != Stream::vmem;
    return exec || !clashes_.empty() || kind == isa::FlowKind::jump;
  }

  // EXEC decides late which lanes an export or GDS has.
  static const Operation* read_under_exec(const Outstanding& outstanding, const Step& step) {
    if (!outstanding.any(Stream::export_color) && !outstanding.any(Stream::export_position) &&
        !outstanding.any(Stream::export_parameter) && !outstanding.any(Stream::gds))
      return nullptr;
    if (!step.facts.writes_exec())
      return nullptr;
    for (const Operation& o : outstanding.operations())
      if (o.stream != Stream::vmem && (o.open & bit(Counter::exp)))
        return &o;
    return nullptr;
  }
};

} // namespace

std::unique_ptr<Walk> walk_waits(const Subject& subject, Report& report) {
  if (subject.graph.skips_vectors) {
    report.not_judged.push_back({subject.code().entries.empty() ? 0 : subject.code().entries.front().address,
                                 "VSKIP may be set: which memory instructions count for s_waitcnt is not known"});
    return nullptr;
  }
  return std::make_unique<WalkOf<Waits>>(subject, report);
}

std::unique_ptr<Follower> follow_waits(const Subject& subject, Report& report) {
  return std::make_unique<Following<Waits>>(subject, report);
}

} // namespace crosslane::lint
