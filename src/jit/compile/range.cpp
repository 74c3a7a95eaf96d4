// Ranges of workgroups: what lies between the last instruction of a wave and the first one of the next (engine::Range).
#include "engine/compiled.h"
#include "jit/compile/emitter.h"

namespace crosslane::jit {

using engine::Range;

// `start`: where all come that name no entry. What comes back is where waves of their own begin.
llvm::BasicBlock* Emitter::begin_ranges(llvm::BasicBlock* start) {
  auto* alone = llvm::BasicBlock::Create(c_, "alone", function_);
  range_head_ = llvm::BasicBlock::Create(c_, "range", function_);
  range_next_ = llvm::BasicBlock::Create(c_, "next", function_);
  range_leave_ = llvm::BasicBlock::Create(c_, "again", function_);
  at_entry([&]() -> Value* {
    range_ = b_.CreateIntToPtr(function_->getArg(2), b_.getPtrTy());
    return ranging_ = b_.CreateICmpUGT(function_->getArg(2), i64(~uint32_t(0)));
  });
  b_.SetInsertPoint(start);
  b_.CreateCondBr(ranging_, range_head_, alone);
  b_.SetInsertPoint(range_leave_);
  b_.CreateRet(i64(uint64_t(Back::begin) << 32));
  emit_range_next();
  return alone;
}

Value* Emitter::in_range(size_t offset) { return b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), range_, offset); }
Value* Emitter::load_range(llvm::Type* type, size_t offset) {
  return b_.CreateAlignedLoad(type, in_range(offset), llvm::Align(4));
}

// From wave to wave, from workgroup to workgroup.
void Emitter::emit_range_next() {
  b_.SetInsertPoint(range_next_);
  range_executed_ = b_.CreatePHI(int64_, 1);
  // Volatile: a fault asks for them.
  const auto store = [&](Value* v, size_t offset) { b_.CreateAlignedStore(v, in_range(offset), llvm::Align(4), true); };
  Value* executed = b_.CreateAdd(load_range(int64_, offsetof(Range, instructions)), range_executed_);
  store(executed, offsetof(Range, instructions));
  Value* wave = b_.CreateAdd(load_range(int32_, offsetof(Range, wave)), i32(1));
  Value* more = b_.CreateICmpULT(wave, load_range(int32_, offsetof(Range, waves)));
  store(b_.CreateSelect(more, wave, i32(0)), offsetof(Range, wave));
  auto* group = llvm::BasicBlock::Create(c_, "group", function_);
  auto* over = llvm::BasicBlock::Create(c_, "over", function_);
  b_.CreateCondBr(more, range_head_, group);
  b_.SetInsertPoint(group);
  Value* left = b_.CreateSub(load_range(int64_, offsetof(Range, left)), i64(1));
  store(left, offsetof(Range, left));
  Value* carry = b_.getTrue();
  for (size_t d = 0; d < 3; ++d) {
    Value* id = b_.CreateAdd(load_range(int32_, offsetof(Range, id) + 4 * d), b_.CreateZExt(carry, int32_));
    if (d < 2) {
      carry = b_.CreateICmpEQ(id, load_range(int32_, offsetof(Range, groups) + 4 * d));
      id = b_.CreateSelect(carry, i32(0), id);
    }
    store(id, offsetof(Range, id) + 4 * d);
  }
  Value* enough = b_.CreateICmpUGE(executed, load_range(int64_, offsetof(Range, budget)));
  b_.CreateCondBr(b_.CreateOr(enough, b_.CreateICmpEQ(left, i64(0))), over, range_head_);
  b_.SetInsertPoint(over);
  b_.CreateRet(i64(uint64_t(Back::stopped) << 32));
}

// What differs between waves, of the one at hand.
State Emitter::initial_in_range() {
  State s = initial();
  Value* wave = b_.CreateZExt(load_range(int32_, offsetof(Range, wave)), int64_);
  Value* ids =
      b_.CreateGEP(b_.getInt32Ty(), load_range(b_.getPtrTy(), offsetof(Range, work_items)), b_.CreateMul(wave, i64(3)));
  for (const LaunchLane& l : request_.launch)
    s.v[lane_of_[l.vgpr]].base =
        b_.CreateAlignedLoad(int32_, b_.CreateConstInBoundsGEP1_64(int32_, ids, l.vgpr), llvm::Align(4));
  for (size_t d = 0; d < 3; ++d)
    if (const int n = request_.group_id[d]; n >= 0)
      s.s[size_t(n)].v = load_range(int32_, offsetof(Range, id) + 4 * d);
  return s;
}

// Of a wave on its own.
State Emitter::initial_alone() {
  State s = initial();
  for (const LaunchLane& l : request_.launch)
    s.v[lane_of_[l.vgpr]].base = at_entry_value(machine::vgpr_offset(l.vgpr));
  for (const int n : request_.group_id)
    if (n >= 0 && request_.ranges)
      s.s[size_t(n)].v = at_entry_value(machine::sgpr_offset(uint32_t(n)));
  return s;
}

// The Wave of a range is as launched, whatever wave is at hand: that one begins again, on its own.
void Emitter::leave_range() {
  if (dry_ || !ranges_)
    return;
  settle_guards();
  auto* on = llvm::BasicBlock::Create(c_, "", function_);
  b_.CreateCondBr(ranging_, range_leave_, on);
  b_.SetInsertPoint(on);
}

void Emitter::end_in_range() {
  if (!ranges_)
    return;
  auto* ended = llvm::BasicBlock::Create(c_, "", function_);
  range_executed_->addIncoming(executed(), b_.GetInsertBlock());
  b_.CreateCondBr(ranging_, range_next_, ended);
  b_.SetInsertPoint(ended);
}

} // namespace crosslane::jit
