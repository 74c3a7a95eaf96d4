// Source: LLVM 19, GCNHazardRecognizer::checkSoftClauseHazards.
#include "lint/checks/clauses.h"
#include "isa/classify.h"
#include "lint/registers.h"
#include <algorithm>
#include <fmt/format.h>

namespace crosslane::lint {

namespace {

// How far LLVM looks back, in instructions; what is further than that gets a note, as nobody says how long a run may
// be.
constexpr int llvm_looks_back = 5, longest = 32;

bool is_general(const Use& u) { return u.first < slot::m0 || u.first >= slot::vgpr; }

bool overlap(const Clause::Touched& a, const Use& u) { return u.overlaps(a.first, uint16_t(a.first + a.count)); }

} // namespace

Clause::Kind Clause::kind_of(const Step& step) {
  switch (step.facts.unit) {
  case isa::Unit::smem: return Clause::Kind::scalar;
  case isa::Unit::vmem:
  case isa::Unit::flat: return Clause::Kind::vector;
  default: return Clause::Kind::none;
  }
}

bool Clause::step(const Step& step) {
  const Kind k = kind_of(step);
  const bool harmed = harm(step).has_value();
  if (k != kind || k == Kind::none || harmed) // behind what is harmed, as if the run had ended before it
    touched.clear(), kind = k, start = step.pc, length = 0;
  if (k == Kind::none)
    return harmed;
  for (const Use& u : step.uses)
    if (is_general(u)) {
      if (u.read)
        touched.push_back({step.pc, u.first, u.count, length, false});
      if (u.written)
        touched.push_back({step.pc, u.first, u.count, length, true});
    }
  ++length;
  if (!touched.empty() && touched.front().index + longest < length)
    std::erase_if(touched, [&](const Touched& t) { return t.index + longest < length; });
  return harmed;
}

bool Clause::join(const Clause& from) {
  if (from.kind == Kind::none || (kind != Kind::none && kind != from.kind))
    return false; // two runs of different kinds that meet: either may go on, the first is kept
  bool grown = kind != from.kind;
  kind = from.kind, start = start ? start : from.start;
  grown |= length < from.length;
  length = std::max(length, from.length);
  for (const Touched& t : from.touched)
    if (std::ranges::find(touched, t) == touched.end())
      touched.push_back(t), grown = true;
  return grown;
}

std::optional<Clause::Harm> Clause::harm(const Step& step) const {
  const Kind k = kind_of(step);
  if (k == Kind::none || k != kind || std::ranges::none_of(touched, &Touched::written))
    return std::nullopt;
  Harm h;
  for (const Use& u : step.uses)
    for (const Touched& t : touched)
      if (is_general(u) && overlap(t, u) && ((u.read && t.written) || (u.written && !t.written)) &&
          (!h.with.pc || h.index < t.index)) {
        h.with = t, h.index = t.index, h.writes = !t.written;
        h.first = std::max(u.first, t.first), h.count = uint16_t(std::min<int>(u.end(), t.first + t.count) - h.first);
      }
  // A register of its own that it overwrites harms too, once it is not the first of the run.
  for (const Use& u : step.uses)
    for (const Use& w : step.uses)
      if (!h.with.pc && u.read && w.written && is_general(u) && is_general(w) && u.overlaps(w.first, w.end()))
        h = {touched.back(), touched.back().index, w.first, w.count, true};
  if (h.with.pc)
    return h;
  // What the first has overwritten of its own address it reads again when one behind it is replayed.
  for (const Touched& r : touched)
    for (const Touched& w : r.index == 0 && !r.written ? std::span(touched) : std::span<const Touched>())
      if (r.pc == w.pc && w.written && r.first < w.first + w.count && w.first < r.first + r.count)
        return Harm{r, r.index, w.first, w.count, false, true};
  if (!isa::memory_use(*step.instruction).stores)
    return std::nullopt;
  for (const Touched& t : touched)
    if (t.written)
      h.index = std::max<int>(h.index, t.index);
  return h;
}

void Clause::report(const Step& step, const Subject& subject, std::vector<Finding>& out) const {
  const std::optional<Harm> h = harm(step);
  if (!h)
    return;
  const bool near = length - h->index <= llvm_looks_back;
  const std::string name(isa::mnemonic(step.op(), subject.target()));
  Finding f{.rule = kind == Kind::scalar ? Rule::xnack_smem_clause : Rule::xnack_vmem_clause,
            .severity = subject.xnack == Feature::on && near ? Severity::error : Severity::note,
            .said = Said::llvm,
            .pc = step.pc};
  if (h->with.pc) {
    const std::string registers = register_name(subject.generation(), h->first, h->count);
    f.message = h->replays  ? fmt::format("{} stands in one run with a memory instruction that overwrites {}, which it "
                                           "reads itself, and with XNACK may be replayed",
                                          name, registers)
                : h->writes ? fmt::format("{} overwrites {}, which its run of memory instructions reads and with XNACK "
                                          "may have to read again",
                                          name, registers)
                            : fmt::format("{} reads {}, which a memory instruction of the same run writes; with XNACK "
                                          "the run may be replayed",
                                          name, registers);
    f.notes.push_back({h->with.pc, registers + (h->writes ? " read in this run" : " written here")});
  } else {
    f.message = fmt::format("{} stores in one run with loads, which with XNACK may be replayed behind it", name);
    f.notes.push_back({start, "the run starts here"});
  }
  f.fix = Fix{Fix::Kind::insert, step.pc, "s_nop 0"};
  out.push_back(std::move(f));
}

} // namespace crosslane::lint
