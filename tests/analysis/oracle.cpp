// Steps come before each instruction, with the wave as the one before left it; the listener may write to it here.
#include "tests/analysis/oracle.h"
#include "engine/context.h"
#include "isa/classify.h"
#include "isa/print.h"
#include "isa/target.h"
#include <algorithm>
#include <bit>
#include <fmt/format.h>

namespace crosslane::test {

using analysis::BlockId;
using analysis::Exit;
namespace slot = analysis::slot;

Findings::Findings(const analysis::Code& code)
    : graph(analysis::build(code)), liveness(analysis::liveness(code, graph)),
      facts(analysis::value_facts(code, graph)),
      facts_of_whole_rows(analysis::value_facts(code, graph, {.whole_rows = true})),
      definitions(analysis::definitions(code, graph)) {}

Counts& Counts::operator+=(const Counts& c) {
  executed += c.executed, steps += c.steps, calls += c.calls, unresolved += c.unresolved, blocks += c.blocks;
  registers += c.registers, values += c.values, with_stride += c.with_stride, definitions += c.definitions;
  return *this;
}

std::string Counts::text() const {
  return fmt::format("{} instructions, {} different steps, {} calls and returns, {} at an unknown, {} beginnings of "
                     "blocks, {} registers overwritten, {} values, {} with a stride, {} reads of a definition",
                     executed, steps, calls, unresolved, blocks, registers, values, with_stride, definitions);
}

Counts Oracle::take_counts() {
  std::lock_guard lock(mutex_);
  return std::exchange(counts_, {});
}

std::vector<std::string> Oracle::take_deviations() {
  std::lock_guard lock(mutex_);
  return std::exchange(deviations_, {});
}

void Oracle::deviates(uint64_t pc, std::string what) {
  if (known_.emplace(pc, what).second)
    deviations_.push_back(fmt::format("{:#x}: {}", pc - image_.bias, what));
}

// In a whole row, work-items that follow each other are lanes that do.
static bool has_whole_rows(const machine::Workgroup& group) {
  const engine::AqlPacket& p = *static_cast<const engine::DispatchContext*>(group.dispatch)->packet;
  const bool one_row = p.workgroup_size[1] * p.workgroup_size[2] == 1;
  return p.workgroup_size[0] % 64 == 0 && (one_row || p.grid_size[0] % p.workgroup_size[0] == 0);
}

void Oracle::began(const events::Began& event) {
  std::lock_guard lock(mutex_);
  for (const machine::Wave* wave : event.waves)
    waves_[wave] = {0, has_whole_rows(*event.group), std::vector<uint64_t>(slot::end)};
}

void Oracle::step(const events::Step& step) {
  std::lock_guard lock(mutex_);
  Wave& wave = waves_[step.wave];
  ++counts_.executed;
  if (!wave.pc)
    check_begin(step);
  else if (steps_.emplace(wave.pc, step.site.pc).second)
    check_step(wave.pc, step);
  wave.pc = step.site.pc;
  check_values(step, wave.whole_rows);
  check_definitions(step, wave);
  overwrite(step);
}

void Oracle::check_begin(const events::Step& step) {
  const uint32_t f = findings_.graph.function_at(step.site.pc);
  if (f == analysis::none || !findings_.graph.functions[f].kernel)
    deviates(step.site.pc, "a wave begins elsewhere than at a kernel");
}

// Under MODE.VSKIP there are no steps of vector instructions.
bool Oracle::leads_to(uint64_t pc, uint64_t to) const {
  isa::Instruction in;
  while (pc != to && findings_.graph.skips_vectors) {
    const int size = isa::decode(findings_.graph.target, analysis::bytes_at(image_.code, pc), in);
    if (size <= 0 || !isa::is_vector(in.encoding))
      break;
    pc += uint64_t(size);
  }
  return pc == to;
}

void Oracle::check_step(uint64_t from, const events::Step& step) {
  const analysis::Graph& graph = findings_.graph;
  const uint64_t to = step.site.pc;
  ++counts_.steps;
  // Blocks may overlap where code jumps into an instruction: the one that has this as an instruction, if any.
  const BlockId block = graph.block_around(from);
  if (block == analysis::none)
    return deviates(from, "lies outside of all blocks");
  const analysis::Block& b = graph.blocks[block];
  if (from != b.last) {
    isa::Instruction in;
    const int size = isa::decode(graph.target, analysis::bytes_at(image_.code, from), in);
    return size > 0 && leads_to(from + uint64_t(size), to) ? void() : deviates(from, "leaves the middle of a block");
  }
  for (const auto& edge : graph.successors(block))
    if (leads_to(graph.blocks[edge.to].begin, to) && edge.kind != analysis::EdgeKind::after_call)
      return;
  if (const auto* call = graph.call_of(block))
    for (const uint32_t f : graph.callees_of(*call))
      if (leads_to(graph.functions[f].address, to)) {
        ++counts_.calls, counts_.unresolved += call->unknown;
        return;
      }
  if (b.exit == Exit::returns)
    for (const auto& call : graph.calls)
      if (leads_to(graph.blocks[call.block].end, to)) {
        ++counts_.calls;
        return;
      }
  for (const auto& unknown : graph.unknowns)
    if (unknown.pc == from &&
        (unknown.kind == analysis::UnknownKind::indirect_jump || unknown.kind == analysis::UnknownKind::trap_return)) {
      ++counts_.unresolved;
      return;
    }
  deviates(from, fmt::format("goes to {:#x} by an edge that the graph does not have", to - image_.bias));
}

void Oracle::check_values(const events::Step& step, bool whole_rows) {
  const auto& facts = whole_rows ? findings_.facts_of_whole_rows : findings_.facts;
  auto& wave = const_cast<machine::Wave&>(*step.wave);
  const uint64_t exec = wave.exec();
  if (!exec)
    return;
  const int first = std::countr_zero(exec);
  for (auto fact = std::ranges::lower_bound(facts, step.site.pc, {}, &analysis::ValueFact::pc);
       fact != facts.end() && fact->pc == step.site.pc; ++fact) {
    const uint32_t* v = wave.vgpr(fact->vgpr);
    ++counts_.values, counts_.with_stride += fact->stride != 0;
    bool holds = !fact->has_base || v[first] == fact->base + uint32_t(fact->stride) * uint32_t(first);
    for (int lane = first; lane < 64; ++lane)
      if (exec >> lane & 1)
        holds &= v[lane] == v[first] + uint32_t(fact->stride) * uint32_t(lane - first);
    if (!holds)
      deviates(step.site.pc, fmt::format("v{} of {} is not base + {} * lane", fact->vgpr,
                                         isa::print(*step.site.instruction), fact->stride));
  }
}

void Oracle::check_definitions(const events::Step& step, Wave& wave) {
  const auto& all = findings_.definitions;
  const uint64_t pc = step.site.pc;
  wave.writers.resize(slot::end);
  for (auto d = std::ranges::lower_bound(all, pc, {}, &analysis::Definition::pc); d != all.end() && d->pc == pc; ++d) {
    // What a function was entered with somebody else may have written.
    if (d->writer == 0)
      continue;
    ++counts_.definitions;
    if (wave.writers[d->slot] != d->writer)
      deviates(pc, fmt::format("register {} of {} was not written by its definition, {:#x} before it", d->slot,
                               isa::print(*step.site.instruction), pc - d->writer));
  }
  for (const auto& o : isa::operands(*step.site.instruction)) {
    const unsigned base = o.file == isa::RegisterFile::scalar ? slot::scalar
                          : o.file == isa::RegisterFile::vgpr ? slot::vgpr
                          : o.file == isa::RegisterFile::agpr ? slot::accvgpr
                                                              : slot::scc;
    if (o.written && (o.file != isa::RegisterFile::special || o.first == isa::special::scc))
      for (unsigned n = 0; n < o.dwords; ++n)
        wave.writers[base + o.first + n] = pc;
  }
}

void Oracle::overwrite(const events::Step& step) {
  const BlockId block = findings_.graph.block_at(step.site.pc);
  if (block == analysis::none)
    return;
  ++counts_.blocks;
  const auto& live = findings_.liveness.begin[block];
  auto& wave = const_cast<machine::Wave&>(*step.wave);
  const uint32_t junk = 0x7fa5a5a5u ^ uint32_t(step.site.pc); // a NaN, a wild address, an odd number
  uint64_t count = 0;
  for (uint32_t s = 0; s < 102; ++s)
    if (!live.has(s))
      wave.s[s] = junk + s, ++count;
  for (const uint32_t s : {slot::vcc + 0u, slot::vcc + 1u, slot::m0 + 0u})
    if (!live.has(s))
      wave.s[s] = junk + s, ++count;
  if (!live.has(slot::exec) && !live.has(slot::exec + 1u))
    wave.set_pair(126, uint64_t(junk) << 32 | junk), ++count;
  if (!live.has(slot::scc))
    wave.scc = junk & 1, ++count;
  const auto& target = isa::info(step.site.instruction->target);
  const bool accvgprs = target.generation >= isa::Generation::gfx908;
  for (uint32_t v = 0; v < (accvgprs ? 512u : std::min(wave.vgpr_count, 256u)); ++v)
    if (!live.has(slot::vgpr + v)) {
      std::fill_n(wave.vgpr(v), 64, junk + v);
      ++count;
    }
  counts_.registers += count;
}

} // namespace crosslane::test
