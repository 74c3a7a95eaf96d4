// Owns loops over the lanes of a wave, for what is done lane after lane: values of lanes lie in memory meanwhile.
#pragma once
#include "jit/compile/access.h"
#include <llvm/IR/Intrinsics.h>

namespace crosslane::jit {

// An i32 of each lane: in memory, or the same one.
struct Emitter::ByLane {
  Value* items = nullptr;
  Value* same = nullptr;
};

// Where lanes access memory.
struct Emitter::Places {
  ByLane offset, high;
};

template <class F> void Emitter::by_row(Value* items, F f) {
  for (int r = 0; r < rows; ++r)
    f(r, b_.CreateConstInBoundsGEP1_64(words_, items, uint64_t(r)));
}

// A loop over the lanes that EXEC has, from the first one on.
template <class F> void Emitter::each_lane(F f) { each_lane_of(i64(0), 64, mask_bits(exec()), f); }

// Of `count` lanes from `first` on; `mask` is EXEC.
template <class F> void Emitter::each_lane_of(Value* first, uint64_t count, Value* mask, F f) {
  auto* from = b_.GetInsertBlock();
  auto* loop = llvm::BasicBlock::Create(c_, "", function_);
  auto* behind = llvm::BasicBlock::Create(c_, "", function_);
  const bool full = all_lanes();
  if (count < 64)
    mask = b_.CreateAnd(mask, b_.CreateShl(i64((uint64_t(1) << count) - 1), first));
  if (full)
    b_.CreateBr(loop);
  else
    b_.CreateCondBr(b_.CreateICmpEQ(mask, i64(0)), behind, loop);
  b_.SetInsertPoint(loop);
  auto* at = b_.CreatePHI(int64_, 2); // the next lane, or a bit for each that is left
  at->addIncoming(full ? first : mask, from);
  Value* lane = b_.CreateFreeze(at); // the folder would take a phi with one edge, as yet, for what comes on that edge
  if (full) {
    constexpr uint64_t times = 4;
    for (uint64_t n = 0; n < times; ++n)
      f(b_.CreateAdd(lane, i64(n)));
    Value* next = b_.CreateAdd(lane, i64(times));
    at->addIncoming(next, b_.GetInsertBlock());
    b_.CreateCondBr(b_.CreateICmpULT(next, b_.CreateAdd(first, i64(count))), loop, behind);
  } else {
    f(b_.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, lane, b_.getTrue()));
    Value* next = b_.CreateAnd(lane, b_.CreateSub(lane, i64(1)));
    at->addIncoming(next, b_.GetInsertBlock());
    b_.CreateCondBr(b_.CreateICmpEQ(next, i64(0)), behind, loop);
  }
  b_.SetInsertPoint(behind);
}

// A loop over the rows: f is given its first lane.
template <class F> void Emitter::each_row_of_lanes(F f) {
  auto* from = b_.GetInsertBlock();
  auto* loop = llvm::BasicBlock::Create(c_, "", function_);
  auto* behind = llvm::BasicBlock::Create(c_, "", function_);
  b_.CreateBr(loop);
  b_.SetInsertPoint(loop);
  auto* first = b_.CreatePHI(int64_, 2); // both edges before the folder sees it: of one it is a constant
  auto* next = b_.Insert(llvm::BinaryOperator::CreateAdd(first, i64(16)));
  first->addIncoming(i64(0), from), first->addIncoming(next, loop);
  f(first);
  first->setIncomingBlock(1, b_.GetInsertBlock());
  b_.CreateCondBr(b_.CreateICmpULT(next, i64(64)), loop, behind);
  b_.SetInsertPoint(behind);
}

} // namespace crosslane::jit
