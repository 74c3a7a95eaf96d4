// The order of what a block does. It is emitted instruction by instruction of the wave, four rows of lanes each. A host
// with sixteen registers of eight lanes has none left for the second instruction then; going row by row through all
// that a block computes needs a quarter of them.
#include "jit/compile/row_order.h"
#include <algorithm>
#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/DenseSet.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Metadata.h>
#include <vector>

namespace crosslane::jit {

namespace {

using Order = std::vector<llvm::Instruction*>;

constexpr int none = -1;
constexpr const char* kind = "row";

// What is before it stays before it.
bool stays(const llvm::Instruction& i) {
  if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&i))
    return !load->isSimple();
  return !llvm::isa<llvm::ConstrainedFPIntrinsic>(i) && (i.mayWriteToMemory() || i.mayHaveSideEffects());
}

int row_said(const llvm::Instruction& i) {
  const llvm::MDNode* node = i.getMetadata(kind);
  return node ? int(llvm::mdconst::extract<llvm::ConstantInt>(node->getOperand(0))->getZExtValue()) : none;
}

// Row by row between instructions that stay, each preceded by what it needs.
class RowByRow {
public:
  Order of(const Order& block) {
    Order out;
    for (auto at = block.begin(); at != block.end();) {
      const auto end = std::find_if(at, block.end(), [](llvm::Instruction* i) { return stays(*i); });
      part(Order(at, end), out);
      at = end;
      if (at != block.end())
        out.push_back(*at++);
    }
    return out;
  }

private:
  void part(const Order& all, Order& out) {
    waiting_.insert(all.begin(), all.end());
    std::vector<int> row;
    for (llvm::Instruction* i : all) {
      row.push_back(row_of(*i));
      if (row.back() != none)
        row_[i] = row.back();
    }
    for (int r = 0; r < 4; ++r)
      for (size_t i = 0; i < all.size(); ++i)
        if (row[i] == r)
          emit(all[i], out);
    for (llvm::Instruction* i : all)
      emit(i, out);
  }

  int row_of(const llvm::Instruction& i) const {
    if (const int row = row_said(i); row != none)
      return row;
    int row = none;
    for (const llvm::Value* operand : i.operands())
      if (const auto found = row_.find(operand); found != row_.end()) {
        if (row != none && row != found->second)
          return none;
        row = found->second;
      }
    return row;
  }

  void emit(llvm::Instruction* wanted, Order& out) {
    Order path{wanted};
    while (!path.empty()) {
      llvm::Instruction* i = path.back();
      const auto needed = std::find_if(i->op_begin(), i->op_end(), [&](const llvm::Use& use) {
        const auto* operand = llvm::dyn_cast<llvm::Instruction>(use);
        return operand && waiting_.count(operand);
      });
      if (waiting_.count(i) && needed != i->op_end()) {
        path.push_back(llvm::cast<llvm::Instruction>(needed->get()));
        continue;
      }
      path.pop_back();
      if (waiting_.erase(i))
        out.push_back(i);
    }
  }

  llvm::DenseMap<const llvm::Value*, int> row_;
  llvm::DenseSet<const llvm::Instruction*> waiting_;
};

// How often a host of 16 registers of 256 bits loads and stores values of the block's, if it gives up the one that is
// wanted last.
class Traffic {
public:
  uint64_t of(const Order& block) {
    for (size_t n = 0; n < block.size(); ++n)
      for (const llvm::Value* operand : block[n]->operands())
        if (size_of(operand))
          uses_[operand].push_back(n);
    for (auto& [value, uses] : uses_)
      std::reverse(uses.begin(), uses.end());
    for (size_t n = 0; n < block.size(); ++n) {
      for (const llvm::Value* operand : block[n]->operands())
        if (size_of(operand)) {
          hold(operand, false);
          auto& uses = uses_[operand];
          while (!uses.empty() && uses.back() <= n)
            uses.pop_back();
          if (uses.empty())
            drop(operand);
        }
      if (uses_.count(block[n]))
        hold(block[n], true);
    }
    return moved_;
  }

private:
  static unsigned size_of(const llvm::Value* v) {
    const auto* type = llvm::dyn_cast<llvm::FixedVectorType>(v->getType());
    if (!type || llvm::isa<llvm::Constant>(v))
      return 0;
    const unsigned bits = type->getScalarSizeInBits() == 1 ? 512 : unsigned(type->getPrimitiveSizeInBits());
    return (bits + 255) / 256;
  }

  void hold(const llvm::Value* v, bool is_new) {
    if (held_.count(v))
      return;
    const unsigned size = size_of(v);
    while (used_ + size > 16 && !held_.empty()) {
      const auto last = std::max_element(held_.begin(), held_.end(), [&](const auto& x, const auto& y) {
        return next_use(x.first) < next_use(y.first);
      });
      if (last->second) // of the block, and not in memory yet
        moved_ += size_of(last->first);
      used_ -= size_of(last->first);
      held_.erase(last);
    }
    held_[v] = is_new;
    used_ += size;
    if (!is_new)
      moved_ += size;
  }
  void drop(const llvm::Value* v) {
    if (held_.erase(v))
      used_ -= size_of(v);
  }
  size_t next_use(const llvm::Value* v) const {
    const auto found = uses_.find(v);
    return found == uses_.end() || found->second.empty() ? SIZE_MAX : found->second.back();
  }

  llvm::DenseMap<const llvm::Value*, std::vector<size_t>> uses_; // the next one last
  llvm::DenseMap<const llvm::Value*, bool> held_;
  unsigned used_ = 0;
  uint64_t moved_ = 0;
};

} // namespace

void mark_row(llvm::Instruction& i, unsigned row) {
  llvm::LLVMContext& c = i.getContext();
  i.setMetadata(kind, llvm::MDNode::get(
                          c, llvm::ConstantAsMetadata::get(llvm::ConstantInt::get(llvm::Type::getInt32Ty(c), row))));
}

void order_by_rows(llvm::Function& f) {
  for (llvm::BasicBlock& block : f) {
    Order before;
    for (llvm::Instruction& i : block)
      if (!llvm::isa<llvm::PHINode>(i) && !i.isTerminator())
        before.push_back(&i);
    const Order after = RowByRow().of(before);
    if (Traffic().of(after) < Traffic().of(before))
      for (llvm::Instruction* i : after)
        i->moveBefore(block.getTerminator());
    for (llvm::Instruction* i : before)
      i->setMetadata(kind, nullptr);
  }
}

} // namespace crosslane::jit
