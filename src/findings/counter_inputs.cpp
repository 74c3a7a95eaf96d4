// Sums over instructions.
#include "findings/counter_inputs.h"
#include "isa/access.h"
#include "isa/classify.h"
#include "isa/flow.h"
#include "isa/matrix.h"
#include "timing/issue_cycles.h"

namespace crosslane::findings {

namespace {

bool is_generic(const isa::Row& row) { return row.encoding == isa::Encoding::FLAT; }

enum class Kind : uint8_t { none, read, write, atomic };

// Samples and image_get_* are reads; what invalidates caches is nothing.
Kind kind_of(const isa::Row& row) {
  if (row.access == isa::Access::cache)
    return Kind::none;
  return isa::is_atomic(row.access) ? Kind::atomic : isa::is_store(row.access) ? Kind::write : Kind::read;
}

bool returns(const isa::Instruction& i) { return i.glc; } // atomics

void count(IssuedCounts::Kinds& kinds, Kind kind, uint64_t n) {
  if (kind == Kind::atomic)
    kinds.atomics += n;
  else
    (kind == Kind::read ? kinds.reads : kinds.writes) += n;
}

// assumed: an atomic counts as a read if it returns a value, else as a write, as in the counters of L1's requests.
void count_vector_memory(IssuedCounts& c, const ProfiledInstruction& i, const isa::Row& row) {
  const Kind kind = kind_of(row);
  if (kind == Kind::none)
    return;
  const uint64_t n = i.executions;
  const bool read = kind == Kind::read || (kind == Kind::atomic && returns(i.instruction));
  (read ? c.vmem_reads : c.vmem_writes) += n;
  if (i.kind == InstructionClass::flat)
    count(c.flat_kinds, kind, n);
  else if (row.encoding != isa::Encoding::MIMG)
    count(c.buffer_kinds, kind, n);
}

// CLRX: scalar operations take 4 cycles, s_*_saveexec_b64 and s_setreg 8.
uint64_t scalar_quads(const isa::Instruction& i, const isa::Row& row) {
  return isa::saves_exec(i) || isa::writes_hwreg(row) ? 2 : 1;
}

} // namespace

IssuedCounts issued(const KernelProfile& kernel) {
  IssuedCounts c;
  for (const ProfiledInstruction& i : kernel.instructions) {
    const isa::Row& row = isa::row(i.instruction.op);
    const uint64_t n = i.executions;
    const bool ends = isa::flow(i.instruction).kind == isa::FlowKind::end;
    switch (i.kind) {
    case InstructionClass::valu:
      c.valu += n;
      c.matrix += isa::is_matrix(i.instruction.op) ? n : 0;
      c.valu_quads += n * timing::issue_cycles(i.instruction) / 4;
      break;
    case InstructionClass::salu:
      c.salu += n;
      c.salu_quads += n * scalar_quads(i.instruction, row);
      break;
    case InstructionClass::smem: c.smem += n; break;
    case InstructionClass::lds: (i.instruction.gds ? c.gds : c.lds) += n; break;
    case InstructionClass::flat:
      c.flat += n;
      c.lds += is_generic(row) ? n : 0;
      count_vector_memory(c, i, row);
      break;
    case InstructionClass::vmem: count_vector_memory(c, i, row); break;
    case InstructionClass::branch: c.branches += n; break;
    case InstructionClass::message: c.messages += isa::unit(i.instruction) == isa::Unit::message || ends ? n : 0; break;
    case InstructionClass::export_: break;
    }
    if (ends)
      c.ended += n;
  }
  return c;
}

Value thread_quads(const KernelProfile& kernel, const Views& views) {
  if (!views.divergence)
    return Value::none("needs --profile divergence");
  uint64_t sum = 0;
  for (const ProfiledInstruction& i : kernel.instructions)
    if (i.kind == InstructionClass::valu && i.active)
      sum += i.active->lanes() * timing::issue_cycles(i.instruction) / 4;
  return sum;
}

// An instruction that reached LDS in some executions and memory in others, or both in one, needs the executions in
// which no lane was active at all to be told apart.
Value flat_lds_only(const KernelProfile& kernel, const Views& views) {
  uint64_t sum = 0;
  for (const ProfiledInstruction& i : kernel.instructions) {
    if (i.executions == 0 || i.kind != InstructionClass::flat || !is_generic(isa::row(i.instruction.op)))
      continue;
    if (!views.lds || !views.memory)
      return Value::none("needs --profile memory,lds: FLAT instructions ran");
    if (!i.lds)
      continue;
    if (i.memory.empty())
      sum += i.lds->counts.accesses;
    else if (i.memory.size() > 1)
      return Value::none("FLAT instructions reached LDS, scratch and other memory at once");
    else if (!i.active)
      return Value::none("needs --profile divergence: FLAT instructions reached LDS and other memory");
    else
      sum += i.executions - i.active->waves[0] - i.memory[0].counts.requests;
  }
  return sum;
}

MemorySums memory(const KernelProfile& kernel) {
  MemorySums m;
  for (const ProfiledInstruction& i : kernel.instructions)
    for (const views::MemorySite& site : i.memory) {
      if (site.space == events::Space::scalar)
        continue;
      m.requests += site.counts.requests;
      // The view counts no clock for 16 lanes of which none is active.
      uint64_t groups = 0;
      for (const uint64_t n : site.counts.l1_groups)
        groups += n;
      m.clocks += site.counts.clocks + 4 * site.counts.requests - groups;
      if (site.kind == events::AccessKind::load)
        m.read_lines += site.counts.lines;
      else if (site.kind == events::AccessKind::store)
        m.written_lines += site.counts.lines;
      else {
        m.atomic_lines += site.counts.lines;
        (returns(i.instruction) ? m.atomics_with_return : m.atomics) += site.counts.l2_operations;
      }
    }
  return m;
}

LdsSums lds(const KernelProfile& kernel) {
  LdsSums sums;
  for (const ProfiledInstruction& i : kernel.instructions)
    if (i.lds) {
      sums.cycles += i.lds->counts.cycles;
      sums.bank_conflict_cycles += i.lds->counts.bank_conflict_cycles();
      sums.same_address_cycles += i.lds->counts.same_address_cycles;
    }
  return sums;
}

} // namespace crosslane::findings
