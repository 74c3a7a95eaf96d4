// Counters per block, in a table per thread.
#include "views/instructions.h"
#include "views/per_thread.h"
#include <algorithm>
#include <bit>
#include <map>

namespace crosslane::views {

namespace {

struct BlockCount {
  const events::Block* block = nullptr;
  InstructionCount count;
};
using Table = std::vector<BlockCount>; // by events::Block::id

BlockCount& count_of(Table& table, const events::Block* block) {
  if (block->id >= table.size())
    table.resize(std::max<size_t>(block->id + 1, table.size() * 2));
  BlockCount& b = table[block->id];
  b.block = block;
  return b;
}

void add(InstructionCount& to, const InstructionCount& from) {
  to.waves += from.waves;
  to.lanes += from.lanes;
}

} // namespace

struct Instructions::Impl {
  PerThread<Table> tables;

  template <class F> void for_each_site(F f) const {
    tables.for_each([&](const Table& table) {
      for (const BlockCount& b : table)
        if (b.block)
          for (const events::Site& site : b.block->sites)
            f(site, b.count);
    });
  }
};

Instructions::Instructions() : impl_(std::make_unique<Impl>()) {}
Instructions::~Instructions() = default;

void Instructions::issued(const events::Issued& event) {
  BlockCount& b = count_of(impl_->tables.mine(), event.block);
  ++b.count.waves;
  b.count.lanes += static_cast<uint64_t>(std::popcount(event.exec));
}

void Instructions::counted(const events::Counted& event) {
  BlockCount& b = count_of(impl_->tables.mine(), event.block);
  for (size_t lanes = 0; lanes < event.waves.size(); ++lanes)
    b.count.waves += event.waves[lanes], b.count.lanes += lanes * event.waves[lanes];
}

std::vector<InstructionSite> Instructions::sites() const {
  std::map<uint64_t, InstructionSite> merged;
  impl_->for_each_site([&](const events::Site& site, const InstructionCount& count) {
    InstructionSite& s = merged[site.pc];
    s.pc = site.pc;
    s.instruction = *site.instruction;
    add(s.count, count);
  });
  std::vector<InstructionSite> sites;
  for (auto& [pc, site] : merged)
    sites.push_back(site);
  return sites;
}

std::vector<OperationCount> Instructions::operations() const {
  std::vector<OperationCount> all(static_cast<size_t>(isa::Op::count));
  for (size_t i = 0; i < all.size(); ++i)
    all[i].op = isa::Op(i);
  impl_->for_each_site([&](const events::Site& site, const InstructionCount& count) {
    add(all[static_cast<size_t>(site.instruction->op)].count, count);
  });
  std::erase_if(all, [](const OperationCount& o) { return o.count.waves == 0; });
  std::sort(all.begin(), all.end(), [](const OperationCount& a, const OperationCount& b) {
    return a.count.waves != b.count.waves ? a.count.waves > b.count.waves : a.op < b.op;
  });
  return all;
}

InstructionCount Instructions::total() const {
  InstructionCount sum;
  impl_->for_each_site([&](const events::Site&, const InstructionCount& count) { add(sum, count); });
  return sum;
}

} // namespace crosslane::views
