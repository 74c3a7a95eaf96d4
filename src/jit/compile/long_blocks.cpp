// A block becomes one graph, which LLVM's selection of instructions goes over again and again: a block of 5,800
// instructions (16 square roots of doubles) took 4.1 s, one of half of them 1. Nothing is combined across blocks, and
// values that go from one to the next need registers of their own: so only what is very long is divided.
#include "jit/compile/long_blocks.h"
#include <algorithm>
#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/BasicBlock.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>
#include <vector>

namespace crosslane::jit {

namespace {

constexpr size_t long_block = 3500, least_piece = 600, most_piece = 1200;

// Of a value that is alive where a block ends; masks have no registers with AVX2.
int cost(const llvm::Instruction& i) {
  return !i.getType()->isVectorTy() ? 0 : i.getType()->getScalarSizeInBits() == 1 ? 16 : 1;
}

// Before each instruction of the block: what the values cost that are computed by then, and used from there on.
std::vector<int> costs_alive(llvm::BasicBlock& block) {
  llvm::DenseMap<const llvm::Instruction*, size_t> place;
  for (const llvm::Instruction& i : block)
    place.try_emplace(&i, place.size());
  const size_t end = place.size();
  std::vector<int> change(end + 1);
  for (const llvm::Instruction& i : block) {
    size_t last = 0;
    for (const llvm::User* user : i.users()) {
      const auto found = place.find(llvm::cast<llvm::Instruction>(user));
      last = std::max(last, found == place.end() || llvm::isa<llvm::PHINode>(user) ? end : found->second);
    }
    if (const size_t from = place[&i] + 1; last >= from) {
      change[from] += cost(i);
      if (last < end)
        change[last + 1] -= cost(i);
    }
  }
  for (size_t k = 1; k < change.size(); ++k)
    change[k] += change[k - 1];
  return change;
}

void divide(llvm::BasicBlock& block) {
  const std::vector<int> alive = costs_alive(block);
  std::vector<llvm::Instruction*> order;
  for (llvm::Instruction& i : block)
    order.push_back(&i);
  std::vector<llvm::Instruction*> cuts;
  for (size_t begin = 0; order.size() - begin > most_piece + least_piece;) {
    const auto least =
        std::min_element(alive.begin() + ptrdiff_t(begin + least_piece), alive.begin() + ptrdiff_t(begin + most_piece));
    begin = size_t(least - alive.begin());
    if (!llvm::isa<llvm::PHINode, llvm::AllocaInst>(order[begin]))
      cuts.push_back(order[begin]);
  }
  for (auto cut = cuts.rbegin(); cut != cuts.rend(); ++cut)
    llvm::BlockAddress::get(block.splitBasicBlock(*cut)); // what has an address stays a block
}

} // namespace

void divide_long_blocks(llvm::Function& f) {
  std::vector<llvm::BasicBlock*> blocks;
  for (llvm::BasicBlock& block : f)
    if (block.size() > long_block)
      blocks.push_back(&block);
  for (llvm::BasicBlock* block : blocks)
    divide(*block);
}

} // namespace crosslane::jit
