// Sources: LLVM 19, SIInsertWaitcnts and SIMemoryLegalizer; GCN3 and Vega ISA manuals, chapters on scalar memory.
#include "lint/checks/memory_order.h"
#include "isa/access.h"
#include "isa/flow.h"
#include <algorithm>
#include <fmt/format.h>

namespace crosslane::lint {

namespace {

using isa::Counter;

bool is_scalar_store(const isa::Instruction& in) {
  return in.encoding == isa::Encoding::SMEM && isa::is_store(isa::row(in.op).access);
}

bool is_barrier(const isa::Instruction& in) { return has(isa::row(in.op).implicit, isa::Implicit::barrier); }

// A message by its number: what geometry shaders say when they are done.
bool is_gs_done(const isa::Instruction& in) {
  constexpr int gs_done = 3;
  return isa::unit(in) == isa::Unit::message && in.op != isa::Op::s_sendmsghalt && (in.imm & 15) == gs_done;
}

const Operation* pending_write(const Outstanding& outstanding) {
  for (const Operation& o : outstanding.operations())
    if (o.writes_lds && (o.open & result_counters))
      return &o;
  return nullptr;
}

} // namespace

bool reads_lds(const isa::Instruction& in, const CountingRules& rules) {
  if (in.encoding != isa::Encoding::DS && in.encoding != isa::Encoding::FLAT)
    return false;
  const isa::MemoryUse use = isa::memory_use(in);
  if (in.lds || !has(use.spaces, isa::Space::lds) || !use.loads)
    return false;
  return in.encoding == isa::Encoding::DS || !rules.flat_is_memory;
}

bool MemoryOrder::step(const Step& step, const Outstanding& outstanding, const CountingRules& rules) {
  const isa::Instruction& in = *step.instruction;
  switch (step.facts.unit) {
  case isa::Unit::valu:
  case isa::Unit::salu:
  case isa::Unit::export_: return false;
  case isa::Unit::smem:
    if (is_scalar_store(in))
      scalar_store = step.pc;
    else if (in.op == isa::Op::s_dcache_wb || in.op == isa::Op::s_dcache_wb_vol)
      scalar_store = 0;
    return write_back != 0;
  case isa::Unit::lds:
  case isa::Unit::flat:
  case isa::Unit::vmem: {
    const bool found = barrier || write_back || isa::row(in.op).access == isa::Access::cache ||
                       (reads_lds(in, rules) && pending_write(outstanding));
    if (barrier && reads_lds(in, rules))
      barrier = barrier_write = 0;
    if (write_back && isa::memory_use(in).stores)
      write_back = 0;
    if (in.op == isa::Op::buffer_wbl2)
      write_back = step.pc;
    return found;
  }
  case isa::Unit::internal:
    if (is_barrier(in)) {
      const Operation* write = pending_write(outstanding);
      barrier = write ? step.pc : 0, barrier_write = write ? write->pc : 0;
      return scalar_store || !outstanding.empty();
    }
    return scalar_store != 0;
  default: return scalar_store || write_back || step.facts.unit == isa::Unit::message;
  }
}

bool MemoryOrder::join(const MemoryOrder& from) {
  const bool grown = (!scalar_store && from.scalar_store) || (!write_back && from.write_back) ||
                     (!barrier && from.barrier) || (one_wave && !from.one_wave);
  scalar_store = scalar_store ? scalar_store : from.scalar_store;
  write_back = write_back ? write_back : from.write_back;
  if (!barrier)
    barrier = from.barrier, barrier_write = from.barrier_write;
  one_wave = one_wave && from.one_wave;
  return grown;
}

void OrderReporter::report(const Step& step, const MemoryOrder& order, const Outstanding& outstanding,
                           std::vector<Finding>& out) {
  const isa::Instruction& in = *step.instruction;
  if (order.barrier && !order.one_wave && reads_lds(in, rules_) && barriers_.insert(order.barrier).second)
    out.push_back({.rule = Rule::lds_before_barrier,
                   .severity = Severity::warning,
                   .said = Said::llvm,
                   .pc = order.barrier,
                   .message = fmt::format("s_barrier while a write to LDS may be outstanding, and {} reads LDS behind "
                                          "it: other waves may read what was there before",
                                          name(step.op())),
                   .notes = {{order.barrier_write, "LDS written here"}, {step.pc, "LDS read here"}},
                   .fix = Fix{Fix::Kind::insert, order.barrier, "s_waitcnt lgkmcnt(0)"}});
  if (order.write_back && isa::memory_use(in).stores && isa::unit(in) != isa::Unit::lds)
    out.push_back({.rule = Rule::wbl2,
                   .severity = Severity::note,
                   .said = Said::llvm,
                   .pc = step.pc,
                   .message = fmt::format("{} may be seen before buffer_wbl2 has written back what it publishes; "
                                          "s_waitcnt vmcnt(0) is needed between",
                                          name(step.op())),
                   .notes = {{order.write_back, "buffer_wbl2 here"}},
                   .fix = Fix{Fix::Kind::insert, step.pc, "s_waitcnt vmcnt(0)"}});
  if (order.scalar_store && isa::flow(in).kind == isa::FlowKind::end)
    out.push_back({.rule = Rule::scalar_store_end,
                   .severity = Severity::warning,
                   .said = Said::manual | Said::llvm | Said::aco,
                   .pc = step.pc,
                   .message = fmt::format("{} without s_dcache_wb: what scalar stores wrote may be lost with the cache",
                                          name(step.op())),
                   .notes = {{order.scalar_store, "stored here"}},
                   .fix = Fix{Fix::Kind::insert, step.pc, "s_dcache_wb"}});
  if (outstanding.empty())
    return;
  if (reads_lds(in, rules_))
    behind_dma(step, outstanding, out);
  switch (isa::unit(in)) {
  case isa::Unit::internal:
    if (is_barrier(in))
      at_barrier(step, outstanding, out);
    break;
  case isa::Unit::message:
    if (is_gs_done(in) && rules_.generation <= isa::Generation::gfx906)
      pending_memory(step, outstanding, Rule::gs_done, Severity::warning, Said::llvm | Said::aco,
                     "tells that the shader is done", out);
    break;
  case isa::Unit::vmem:
    if (isa::row(in.op).access == isa::Access::cache && !isa::waits(in).raises(Counter::vm))
      pending_memory(step, outstanding, Rule::cache_inv, Severity::note, Said::llvm,
                     "invalidates the cache that others expect it to have gone through", out);
    break;
  default: break;
  }
}

// gfx90a alone lets a wave of a workgroup take an exception in a barrier.
void OrderReporter::at_barrier(const Step& step, const Outstanding& outstanding, std::vector<Finding>& out) const {
  if (rules_.generation >= isa::Generation::gfx90a)
    return;
  isa::WaitCounts counts = rules_.most;
  const Operation* first = nullptr;
  for (const Operation& o : outstanding.operations()) {
    first = first ? first : &o;
    counts.vm = o.strict & bit(Counter::vm) ? 0 : counts.vm;
    counts.lgkm = o.strict & bit(Counter::lgkm) ? 0 : counts.lgkm;
    counts.exp = o.strict & bit(Counter::exp) ? 0 : counts.exp;
  }
  if (!first)
    return;
  const std::string wait = "s_waitcnt " + wait_text(counts, rules_);
  out.push_back(
      {.rule = Rule::barrier_wait,
       .severity = Severity::note,
       .said = Said::llvm,
       .pc = step.pc,
       .message = fmt::format("s_barrier while {} may be outstanding; LLVM has {} before it", name(first->op), wait),
       .notes = {{first->pc, "outstanding since here"}},
       .fix = Fix{Fix::Kind::insert, step.pc, wait}});
}

// Addresses are not known: any read of LDS may be of what comes from memory.
void OrderReporter::behind_dma(const Step& step, const Outstanding& outstanding, std::vector<Finding>& out) const {
  const Operation* last = nullptr;
  for (const Operation& o : outstanding.operations())
    if (o.stream == Stream::vmem && o.writes_lds && (o.open & bit(Counter::vm)))
      last = !last || o.age[0] < last->age[0] ? &o : last;
  if (!last)
    return;
  isa::WaitCounts counts = rules_.most;
  counts.vm = outstanding.needed(*last, Counter::vm, rules_, !rules_.flat_is_memory);
  const std::string wait = "s_waitcnt " + wait_text(counts, rules_);
  out.push_back({.rule = Rule::lds_dma,
                 .severity = Severity::warning,
                 .said = Said::manual | Said::llvm | Said::aco,
                 .pc = step.pc,
                 .message = fmt::format("{} reads LDS while {} that fills it may be outstanding; {} is needed",
                                        name(step.op()), name(last->op), wait),
                 .notes = {{last->pc, "LDS filled from memory here"}},
                 .fix = Fix{Fix::Kind::insert, step.pc, wait}});
}

void OrderReporter::pending_memory(const Step& step, const Outstanding& outstanding, Rule rule, Severity severity,
                                   Said said, std::string_view why, std::vector<Finding>& out) const {
  for (const Operation& o : outstanding.operations())
    if (o.open & bit(Counter::vm)) {
      out.push_back({.rule = rule,
                     .severity = severity,
                     .said = said,
                     .pc = step.pc,
                     .message = fmt::format("{} {} while {} may be outstanding; s_waitcnt vmcnt(0) is needed",
                                            name(step.op()), why, name(o.op)),
                     .notes = {{o.pc, "outstanding since here"}},
                     .fix = Fix{Fix::Kind::insert, step.pc, "s_waitcnt vmcnt(0)"}});
      return;
    }
}

} // namespace crosslane::lint
