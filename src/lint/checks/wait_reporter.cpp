// Texts. The count that a message names is the weakest that will do.
#include "lint/checks/wait_reporter.h"
#include "lint/path.h"
#include "lint/registers.h"
#include <algorithm>
#include <fmt/format.h>

namespace crosslane::lint {

namespace {

using isa::Counter;

constexpr int longest_way = 400; // wait states that a note looks through

isa::WaitCounts least(isa::WaitCounts a, isa::WaitCounts b) {
  return {std::min(a.vm, b.vm), std::min(a.exp, b.exp), std::min(a.lgkm, b.lgkm)};
}

void set(isa::WaitCounts& w, Counter c, uint8_t n) {
  uint8_t& field = c == Counter::vm ? w.vm : c == Counter::exp ? w.exp : w.lgkm;
  field = std::min(field, n);
}

} // namespace

isa::WaitCounts WaitReporter::needed(const Outstanding& outstanding, const Clash& c) const {
  const Operation& o = outstanding.operations()[c.operation];
  isa::WaitCounts counts = rules_.most;
  for (const Counter n : counters)
    if (c.counters & bit(n))
      set(counts, n, outstanding.needed(o, n, rules_, c.strictly || !rules_.flat_is_memory));
  return counts;
}

// In place of the s_waitcnt directly before, where there is one.
Fix WaitReporter::fix(isa::WaitCounts counts, const Before& before, const Step& step) const {
  if (!before.pc || before.block != step.block)
    return {Fix::Kind::insert, step.pc, "s_waitcnt " + wait_text(counts, rules_)};
  return {Fix::Kind::replace, before.pc, "s_waitcnt " + wait_text(least(before.counts, counts), rules_)};
}

void WaitReporter::clashes(const Outstanding& outstanding, const std::vector<Clash>& all, const Before& before,
                           const Step& step) {
  // Of each rule and severity the one that needs most.
  std::vector<Clash> told;
  isa::WaitCounts fatal = rules_.most;
  for (const Clash& c : all) {
    if (c.fatal())
      fatal = least(fatal, needed(outstanding, c));
    const auto same = std::ranges::find_if(told, [&](const Clash& t) { return t.rule == c.rule; });
    if (same == told.end()) {
      told.push_back(c);
      continue;
    }
    const auto order = [&](const Clash& t) {
      const isa::WaitCounts w = needed(outstanding, t);
      return std::tuple(t.severity, w.vm, w.lgkm, w.exp, !t.reads);
    };
    if (order(c) < order(*same))
      *same = c;
  }
  for (const Clash& c : told)
    clash(outstanding, c, fix(c.fatal() ? fatal : least(fatal, needed(outstanding, c)), before, step), step);
}

std::string WaitReporter::why_fooled(const Outstanding& outstanding, const Operation& o) const {
  if (o.stream == Stream::smem)
    return "does not tell: scalar loads come back in any order, only lgkmcnt(0) proves that this one has";
  if (o.stream == Stream::flat)
    return "does not tell: FLAT comes back in any order, only vmcnt(0) and lgkmcnt(0) prove that it has";
  const auto other = std::ranges::find_if(outstanding.operations(), [&](const Operation& p) {
    return p.stream != o.stream && (p.strict & o.strict & result_counters);
  });
  return fmt::format("does not tell: {} on the same counter comes back in another order, only 0 proves that all have",
                     other == outstanding.operations().end() ? "something else" : name(other->op));
}

void WaitReporter::clash(const Outstanding& outstanding, const Clash& c, Fix fix, const Step& step) {
  const Operation& o = outstanding.operations()[c.operation];
  const std::string registers = register_name(subject_.generation(), c.registers.first, c.registers.count);
  const std::string_view verb = o.loads ? "loads" : "writes";
  Finding f{.rule = c.rule, .severity = c.severity, .said = c.said, .pc = step.pc};
  const std::string wait = wait_text(needed(outstanding, c), rules_);
  f.message = c.late
                  ? fmt::format("{} overwrites {} while {} may still read it; s_waitcnt {} is needed", name(step.op()),
                                registers, name(o.op), wait)
                  : fmt::format("{} {} {} while {} that {} it may be outstanding; s_waitcnt {} is needed",
                                name(step.op()), c.reads ? "reads" : "overwrites", registers, name(o.op), verb, wait);
  f.notes.push_back({o.pc, fmt::format("{} {} here", registers, c.late ? "read" : o.loads ? "loaded" : "written")});
  if (o.fooled && !c.late)
    f.notes.push_back({o.fooled, "this s_waitcnt " + why_fooled(outstanding, o)});
  for (Note& n : way_between(subject_, o.pc, step.pc, longest_way))
    f.notes.push_back(std::move(n));
  f.fix = std::move(fix);
  report_.findings.push_back(std::move(f));
}

void WaitReporter::exec(const Operation& o, const Before& before, const Step& step) {
  isa::WaitCounts counts = rules_.most;
  counts.exp = 0;
  report_.findings.push_back(
      {.rule = Rule::exp_exec,
       .severity = Severity::error,
       .said = Said::manual | Said::llvm | Said::aco,
       .pc = step.pc,
       .message = fmt::format("{} writes EXEC while {} may still read it; s_waitcnt expcnt(0) is needed",
                              name(step.op()), name(o.op)),
       .notes = {{o.pc, fmt::format("{} here", name(o.op))}},
       .fix = fix(counts, before, step)});
}

void WaitReporter::entry(const Outstanding& outstanding, const Entry& entry, const Step& step) {
  const Operation* pending = nullptr;
  for (const Operation& o : outstanding.operations())
    if (o.call && o.open && (o.has_results() || (o.open & bit(Counter::exp))))
      pending = pending ? pending : &o;
  isa::WaitCounts counts = rules_.most;
  for (const Counter c : counters)
    if ((entry.unknown & bit(c)) || (pending && (pending->open & bit(c))))
      set(counts, c, 0);
  if (!pending && !entry.unknown)
    return;
  const std::string wait = "s_waitcnt " + wait_text(counts, rules_);
  Finding f{.rule = Rule::call_entry,
            .severity = Severity::warning,
            .said = Said::llvm,
            .pc = step.pc,
            .fix = Fix{Fix::Kind::insert, step.pc, wait}};
  if (pending) {
    f.message =
        fmt::format("{} may be outstanding when this function is called; {} is needed first", name(pending->op), wait);
    f.notes = {{pending->pc, "outstanding since here"}, {pending->call, "called here"}};
  } else {
    // expcnt is for exports and GDS alone, which few callers have.
    const bool little = entry.unknown == bit(Counter::exp) && rules_.generation > isa::Generation::gfx6;
    if (!entry.by_others || little || subject_.callers_wait)
      f.severity = Severity::pedantic;
    f.message =
        fmt::format("callers may have anything outstanding when they call this function; LLVM has {} first", wait);
  }
  report_.findings.push_back(std::move(f));
}

// LLVM waits for stores as well, which no register tells of.
void WaitReporter::returns(const Outstanding& outstanding, const Step& step) {
  const Operation* worst = nullptr;
  isa::WaitCounts counts = rules_.most;
  const auto registers = [](const Operation& o) { return o.open && (o.has_results() || (o.open & bit(Counter::exp))); };
  // What is only strictly outstanding is all for LLVM, but told where there is nothing else.
  for (const bool strictly : {false, true}) {
    for (const Operation& o : outstanding.operations()) {
      const uint8_t open = strictly ? o.strict : o.open;
      if (o.call || !open)
        continue;
      worst = !worst || (registers(o) && !registers(*worst)) ? &o : worst;
      for (const Counter c : counters)
        if (open & bit(c))
          set(counts, c, 0);
    }
    if (worst)
      break;
  }
  if (!worst)
    return;
  const std::string wait = "s_waitcnt " + wait_text(counts, rules_);
  report_.findings.push_back(
      {.rule = Rule::call_entry,
       .severity = registers(*worst) ? Severity::warning : Severity::pedantic,
       .said = Said::llvm,
       .pc = step.pc,
       .message = fmt::format("the function returns while {} may be outstanding; {} is needed", name(worst->op), wait),
       .notes = {{worst->pc, "outstanding since here"}},
       .fix = Fix{Fix::Kind::insert, step.pc, wait}});
}

void WaitReporter::redundant(const Outstanding& outstanding, const Entry& entry, const Step& step) {
  if (entry.any())
    return;
  const isa::WaitCounts counts = isa::wait_counts(rules_.generation, uint32_t(step.instruction->imm));
  Outstanding copy = outstanding;
  for (const Counter c : counters)
    if (const uint8_t n = count_of(counts, c); n < rules_.most_of(c) && copy.wait(c, n, rules_, 0))
      return;
  report_.findings.push_back({.rule = Rule::redundant_wait,
                              .severity = Severity::note,
                              .said = Said::nobody,
                              .pc = step.pc,
                              .message = "this s_waitcnt waits for nothing that may be outstanding",
                              .fix = Fix{Fix::Kind::remove, step.pc, ""}});
}

} // namespace crosslane::lint
