// Each part of the graph that has a barrier, by its EXEC masks.
#include "check/sync_code.h"
#include "analysis/masks.h"
#include "check/sync.h"
#include "isa/op.h"
#include "lint/subject.h"
#include <algorithm>
#include <vector>

namespace crosslane::check {

namespace {

using analysis::BlockId;

// The barriers of a kernel, not of a function that it calls, are reached with the lanes that it begins with.
bool all_lanes_come(const lint::Subject& subject, const analysis::Part& part, const std::vector<bool>& indexed) {
  const analysis::Graph& graph = subject.graph;
  const auto blocks = graph.blocks_of(part);
  const auto is_entry = [&](BlockId b) { return graph.blocks[b].entry; };
  const auto entry = std::ranges::find_if(blocks, is_entry);
  if (entry == blocks.end() || std::ranges::count_if(blocks, is_entry) != 1 || !graph.predecessors_of(*entry).empty() ||
      !subject.kernel_at(graph.blocks[*entry].begin))
    return false;
  analysis::PartCode code;
  analysis::PartMasks masks;
  decode_part(subject.code(), graph, part, indexed, code);
  analysis::find_masks(graph, part, code, masks);
  const analysis::MaskId whole = masks.begin[size_t(entry - blocks.begin())];
  bool all = masks.settled;
  for (uint32_t i = 0; i < blocks.size(); ++i) {
    analysis::MaskId mask = masks.begin[i];
    uint32_t change = masks.first_change[i], n = 0;
    analysis::each_instruction(subject.code(), graph.blocks[blocks[i]], [&](uint64_t, const isa::Instruction& in) {
      all &= in.op != isa::Op::s_barrier || mask == whole;
      for (; change < masks.first_change[i + 1] && masks.changes[change].instruction == n; ++change)
        mask = masks.changes[change].after;
      ++n;
    });
  }
  return all;
}

} // namespace

SyncCode sync_code(const lint::Subject& subject) {
  const analysis::Graph& graph = subject.graph;
  SyncCode code;
  code.has_calls = !graph.calls.empty();
  code.has_barriers = code.lanes_stay_out = !graph.unknowns.empty(); // where some may be
  std::vector<bool> with_barrier(graph.parts.size());
  for (const analysis::Block& block : graph.blocks)
    analysis::each_instruction(subject.code(), block, [&](uint64_t, const isa::Instruction& in) {
      const auto lanes = in.op == isa::Op::s_mov_b64 ? constant_exec(in) : std::nullopt;
      code.has_constant_lanes |= lanes && *lanes != 0 && *lanes != ~uint64_t(0);
      if (in.op != isa::Op::s_barrier)
        return;
      code.has_barriers = true;
      if (block.part == analysis::none)
        code.lanes_stay_out = true;
      else
        with_barrier[block.part] = true;
    });
  if (!code.has_barriers || code.lanes_stay_out)
    return code;
  const auto indexed = analysis::indexed_blocks(subject.code(), graph);
  for (size_t part = 0; part < graph.parts.size() && !code.lanes_stay_out; ++part)
    code.lanes_stay_out = with_barrier[part] && !all_lanes_come(subject, graph.parts[part], indexed);
  return code;
}

} // namespace crosslane::check
