// Steps come before each instruction, with the wave as the one before left it; the listener may write to it here.
#include "tests/analysis/oracle.h"
#include "isa/print.h"
#include "isa/target.h"
#include <algorithm>
#include <bit>
#include <fmt/format.h>

namespace crosslane::test {

using analysis::BlockId;
using analysis::Exit;
namespace slot = analysis::slot;

Subject::Subject(const codeobject::CodeObject& object, const engine::Code& code)
    : image(analysis::describe_image(object, code.target(), reinterpret_cast<const uint8_t*>(code.base()))),
      graph(analysis::build(image->code)) {}

void Watched::step(const events::Step& step) {
  std::lock_guard lock(mutex_);
  const machine::Workgroup& group = *step.wave->workgroup;
  const uint64_t who = group.number << 16 | step.wave->id;
  auto& [pc, whose] = last_[step.wave];
  if (pc && whose == who && !edges_.contains({pc, step.site.pc})) {
    edges_.insert({pc, step.site.pc});
    check(pc, step.site.pc);
  }
  pc = step.site.pc, whose = who;
}

void Watched::check(uint64_t from, uint64_t to) {
  const analysis::Graph& graph = subject_.graph;
  const auto wrong = [&](const char* what) {
    deviations_.push_back({from - subject_.image->bias, to - subject_.image->bias, what});
  };
  BlockId block = graph.block_around(from);
  if (block == analysis::none)
    return wrong("starts outside of all blocks");
  // Blocks may overlap where code jumps into an instruction: the one that has this as an instruction, if any.
  const analysis::Block& b = graph.blocks[block];
  if (from == b.last && b.exit == Exit::ends) { // another wave in the same place
    const uint32_t f = graph.function_at(to);
    return f != analysis::none && graph.functions[f].kernel ? void() : wrong("begins elsewhere than at a kernel");
  }
  if (from != b.last) {
    bool next = false;
    uint64_t before = 0;
    analysis::each_instruction(subject_.image->code, b, [&](uint64_t pc, const isa::Instruction&) {
      next |= before == from && pc == to;
      before = pc;
    });
    return next ? void() : wrong("leaves the middle of a block");
  }
  for (const auto& edge : graph.successors(block))
    if (graph.blocks[edge.to].begin == to && edge.kind != analysis::EdgeKind::after_call)
      return;
  if (const auto* call = graph.call_of(block))
    for (const uint32_t f : graph.callees_of(*call))
      if (graph.functions[f].address == to) {
        ++calls_, unresolved_ += call->unknown;
        return;
      }
  if (b.exit == Exit::returns)
    for (const auto& call : graph.calls)
      if (graph.blocks[call.block].end == to) {
        ++calls_;
        return;
      }
  for (const auto& unknown : graph.unknowns)
    if (unknown.pc == from &&
        (unknown.kind == analysis::UnknownKind::indirect_jump || unknown.kind == analysis::UnknownKind::trap_return)) {
      ++unresolved_;
      return;
    }
  wrong("takes an edge that the graph does not have");
}

std::vector<Deviation> Watched::deviations() const { return deviations_; }

void Poisoner::step(const events::Step& step) {
  const BlockId block = subject_.graph.block_at(step.site.pc);
  if (block == analysis::none)
    return;
  ++blocks_;
  const auto& live = liveness_.begin[block];
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
  registers_ += count;
}

void FactChecker::step(const events::Step& step) {
  std::lock_guard lock(mutex_);
  auto& wave = const_cast<machine::Wave&>(*step.wave);
  const uint64_t exec = wave.exec();
  if (!exec)
    return;
  const int first = std::countr_zero(exec);
  for (auto fact = std::ranges::lower_bound(facts_, step.site.pc, {}, &analysis::ValueFact::pc);
       fact != facts_.end() && fact->pc == step.site.pc; ++fact) {
    const uint32_t* v = wave.vgpr(fact->vgpr);
    ++checks_, affine_ += fact->stride != 0;
    bool holds = !fact->has_base || v[first] == fact->base + uint32_t(fact->stride) * uint32_t(first);
    for (int lane = first; lane < 64; ++lane)
      if (exec >> lane & 1)
        holds &= v[lane] == v[first] + uint32_t(fact->stride) * uint32_t(lane - first);
    if (!holds && wrong_.insert(step.site.pc).second)
      deviations_.push_back(fmt::format("v{} of {} is not base + {} * lane", fact->vgpr,
                                        isa::print(*step.site.instruction), fact->stride));
  }
}

void DefinitionChecker::step(const events::Step& step) {
  std::lock_guard lock(mutex_);
  const uint64_t pc = step.site.pc, who = step.wave->workgroup->number << 16 | step.wave->id;
  Writers& writers = writers_[step.wave];
  if (writers.wave != who || writers.of.empty())
    writers.wave = who, writers.of.assign(slot::end, 0);
  for (auto d = std::ranges::lower_bound(all_, pc, {}, &analysis::Definition::pc); d != all_.end() && d->pc == pc;
       ++d) {
    // What a function was entered with somebody else may have written.
    if (d->writer == 0)
      continue;
    ++checks_;
    if (writers.of[d->slot] != d->writer && deviations_.size() < 20)
      deviations_.push_back(fmt::format("register {} of {} was not written by its definition, {:#x} before it", d->slot,
                                        isa::print(*step.site.instruction), pc - d->writer));
  }
  for (const auto& o : isa::operands(*step.site.instruction)) {
    const unsigned base = o.file == isa::RegisterFile::scalar ? slot::scalar
                          : o.file == isa::RegisterFile::vgpr ? slot::vgpr
                          : o.file == isa::RegisterFile::agpr ? slot::accvgpr
                                                              : slot::scc;
    if (o.written && (o.file != isa::RegisterFile::special || o.first == isa::special::scc))
      for (unsigned n = 0; n < o.dwords; ++n)
        writers.of[base + o.first + n] = pc;
  }
}

} // namespace crosslane::test
