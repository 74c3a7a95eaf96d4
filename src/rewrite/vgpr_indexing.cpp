// Of each piece its place.
#include "rewrite/vgpr_indexing.h"
#include "analysis/part_code.h"
#include "isa/classify.h"
#include "isa/op.h"
#include "isa/table.h"
#include "rewrite/virtual_sgprs.h"
#include <algorithm>

namespace crosslane::rewrite {

using analysis::BlockId;

VgprIndexing::VgprIndexing(const lint::Subject& subject)
    : subject_(subject), blocks_(analysis::indexed_blocks(subject.code(), subject.graph)) {}

bool VgprIndexing::may_be_on(BlockId b, uint32_t n) const {
  if (blocks_.empty())
    return false;
  bool on = blocks_[b];
  uint32_t i = 0;
  each_instruction(subject_.code(), subject_.graph.blocks[b], [&](uint64_t, const isa::Instruction& in) {
    if (i++ < n)
      analysis::follow_indexing(in, on);
  });
  return on;
}

bool VgprIndexing::is_in_the_way(BlockId b, uint32_t n, std::span<const Item> items) const {
  if (!may_be_on(b, n))
    return false;
  bool on = true;
  return std::ranges::any_of(items, [&](const Item& item) {
    if (item.kind != Item::Kind::words) // what is called may have some
      return item.kind == Item::Kind::address && item.target != no_label && item.target >= function_label;
    const isa::Instruction in = instruction_of(item, subject_.target(), {});
    analysis::follow_indexing(in, on);
    return on && isa::is_vector(isa::row(in.op).encoding);
  });
}

bool VgprIndexing::is_in_the_way(const CopiedCode& code, Insertions& in) const {
  if (blocks_.empty())
    return false;
  const bool apart = code.each_piece(
      in, [&](const std::vector<Item>& items, BlockId b, uint32_t n) { return !is_in_the_way(b, n, items); });
  return !apart || std::ranges::any_of(code.blocks(), [&](BlockId b) {
    return code.graph().blocks[b].exit == analysis::Exit::ends && is_in_the_way(b, code.end_of(b), in.at_end);
  });
}

} // namespace crosslane::rewrite
