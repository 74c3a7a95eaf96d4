// A register that a load will write may be neither read nor written before; one that an export, GDS or a store of gfx6
// still reads may not be written.
#include "lint/checks/clashes.h"
#include <algorithm>

namespace crosslane::lint {

namespace {

using isa::Counter;

constexpr Said everyone = Said::manual | Said::llvm | Said::aco;

Range shared(const Range& a, const Range& b) {
  const uint16_t first = std::max(a.first, b.first), end = std::min(a.end(), b.end());
  return first < end ? Range{first, uint16_t(end - first)} : Range{};
}

class Finder {
public:
  Finder(const Subject& subject, std::span<const Operation> operations, const CountingRules& rules, const Step& step)
      : subject_(subject), operations_(operations), rules_(rules), step_(step) {
    const isa::Unit u = isa::unit(*step.instruction);
    memory_ = u == isa::Unit::vmem || (u == isa::Unit::flat && step.instruction->encoding != isa::Encoding::FLAT);
    flat_ = step.instruction->encoding == isa::Encoding::FLAT;
    lds_ = u == isa::Unit::lds;
    sampler_ = std::ranges::any_of(step.uses, [](const Use& use) { return use.role == isa::Role::sampler; });
  }

  // `claims(range)`: whether any of the operations may have a register of it.
  void run(std::vector<Clash>& out, auto claims) {
    const size_t before = out.size();
    for (const Use& u : step_.uses) {
      if (!u.read && !u.written)
        continue;
      const Range range = sure_range(step_, u);
      if (!range.count || !claims(range))
        continue;
      for (size_t n = 0; n < operations_.size(); ++n)
        compare(n, u, range, out, before);
    }
  }

private:
  const Subject& subject_;
  std::span<const Operation> operations_;
  const CountingRules& rules_;
  const Step& step_;
  bool memory_ = false, flat_ = false, lds_ = false, sampler_ = false;

  void compare(size_t n, const Use& u, Range range, std::vector<Clash>& out, size_t before) {
    const Operation& o = operations_[n];
    Clash c;
    c.operation = n;
    if (o.strict & result_counters)
      for (const Range& r : o.results)
        if (const Range both = shared(r, range); both.count) {
          c.registers = both, c.reads = u.read;
          if (judge_result(o, c, keeps(u)))
            keep(c, out, before);
        }
    if ((o.strict & bit(Counter::exp)) && u.written)
      for (const Range& r : o.sources)
        if (const Range both = shared(r, range); both.count) {
          c.registers = both, c.reads = false, c.late = true;
          judge_source(o, c);
          keep(c, out, before);
        }
  }

  // A load of 16 bits keeps the other half of its register, but where SRAM has ECC: compilers call that a read.
  bool keeps(const Use& u) const {
    return u.written && u.partial && (memory_ || flat_ || lds_) && u.role == isa::Role::dst &&
           subject_.sramecc != Feature::on;
  }

  // Whether it is one.
  bool judge_result(const Operation& o, Clash& c, bool keeps_half) const {
    c.severity = Severity::error, c.said = everyone;
    c.strictly = (o.open & result_counters) == 0;
    c.counters = (c.strictly ? o.strict : o.open) & result_counters;
    switch (o.stream) {
    case Stream::smem: c.rule = c.reads ? Rule::smem_raw : Rule::smem_waw; break;
    case Stream::flat: judge_flat(c); break;
    case Stream::lds:
    case Stream::gds:
      c.rule = c.reads ? Rule::lds_raw : Rule::lds_waw;
      if (!c.reads && lds_ && o.stream == Stream::lds)
        c.severity = Severity::pedantic, c.said = Said::llvm; // the later one is written later
      break;
    default:
      if (!c.reads && memory_ && o.sampler == sampler_) {
        if (!keeps_half)
          return false;
        c.reads = true, c.severity = Severity::pedantic, c.said = Said::llvm | Said::aco; // both halves come in order
      }
      c.rule = c.reads ? Rule::vm_raw : Rule::vm_waw;
      if (!c.reads && flat_ && rules_.flat_is_memory)
        c.severity = Severity::warning, c.said = Said::llvm;
    }
    if (!(o.sure() & result_counters)) {
      c.severity = Severity::pedantic, c.said = Said::llvm;
    } else if (c.strictly && o.stream != Stream::flat) {
      c.rule = Rule::flat_poisons;
      c.severity = rules_.flat_is_memory ? Severity::pedantic : Severity::warning;
    } else if (o.fooled && (c.rule == Rule::lds_raw || c.rule == Rule::lds_waw) && c.fatal()) {
      c.rule = Rule::lgkm_mixed;
    }
    return true;
  }

  void judge_flat(Clash& c) const {
    c.rule = Rule::flat_raw;
    if (c.strictly)
      c.severity = Severity::pedantic, c.said = Said::manual | Said::llvm; // LLVM, unless its IR knows better
    else if (!c.reads && memory_)
      c.severity = Severity::note, c.said = Said::manual; // LLVM takes it to come back in order
    else if (!c.reads && flat_ && rules_.flat_is_memory)
      c.severity = Severity::warning, c.said = Said::llvm;
  }

  static void judge_source(const Operation& o, Clash& c) {
    c.counters = bit(Counter::exp);
    c.severity = Severity::error, c.said = everyone;
    if (o.llvm & c.counters)
      c.strictly = true, c.severity = Severity::pedantic, c.said = Said::llvm;
    c.rule = o.stream == Stream::vmem  ? Rule::store_data_war
             : o.stream == Stream::gds ? Rule::gds_src_war
                                       : Rule::exp_src_war;
  }

  // Reads before writes, errors before the rest.
  static void keep(const Clash& c, std::vector<Clash>& out, size_t before) {
    for (size_t n = before; n < out.size(); ++n)
      if (out[n].operation == c.operation) {
        if (std::pair(c.severity, !c.reads) < std::pair(out[n].severity, !out[n].reads))
          out[n] = c;
        return;
      }
    out.push_back(c);
  }
};

} // namespace

void find_clashes(const Subject& subject, const Outstanding& outstanding, const CountingRules& rules, const Step& step,
                  std::vector<Clash>& out) {
  if (std::ranges::none_of(step.uses, [&](const Use& u) { return outstanding.claims(u.first, u.count); }))
    return;
  Finder(subject, outstanding.operations(), rules, step).run(out, [&](const Range& r) {
    return outstanding.claims(r.first, r.count);
  });
}

void find_clashes(const Subject& subject, std::span<const Operation> operations, const CountingRules& rules,
                  const Step& step, std::vector<Clash>& out) {
  Finder(subject, operations, rules, step).run(out, [](const Range&) { return true; });
}

} // namespace crosslane::lint
