// Ranges of workgroups: what lies between the last instruction of a wave and the first one of the next (engine::Range).
#include "engine/compiled.h"
#include "jit/compile/emitter.h"

namespace crosslane::jit {

using engine::Frame;
using engine::Range;

// `start`: where all come that name no entry. What comes back is where waves of their own begin.
llvm::BasicBlock* Emitter::begin_ranges(llvm::BasicBlock* start) {
  const auto block = [&](const char* name) { return llvm::BasicBlock::Create(c_, name, function_); };
  auto *alone = block("alone"), *ranges = block("ranges"), *writes = block("writes"), *go_on = block("go_on");
  range_head_ = block("range"), range_ended_ = block("ended"), range_next_ = block("next");
  range_leave_ = block("apart");
  at_entry([&]() -> Value* {
    range_ = b_.CreateIntToPtr(function_->getArg(2), b_.getPtrTy());
    return ranging_ = b_.CreateICmpUGT(function_->getArg(2), i64(~uint32_t(0)));
  });
  b_.SetInsertPoint(start);
  b_.CreateCondBr(ranging_, ranges, alone);
  b_.SetInsertPoint(ranges);
  b_.CreateCondBr(b_.CreateICmpNE(load_range(int64_, offsetof(Range, writes)), i64(0)), writes, go_on);
  b_.SetInsertPoint(writes);
  take_out_ = llvm::Function::Create(llvm::FunctionType::get(int64_, {b_.getPtrTy(), b_.getPtrTy()}, false),
                                     llvm::Function::InternalLinkage, "take_out", module_);
  take_out_->addFnAttr(llvm::Attribute::NoUnwind), take_out_->addFnAttr(llvm::Attribute::NoInline);
  take_out_->addParamAttr(0, llvm::Attribute::NoAlias);
  b_.CreateRet(b_.CreateCall(take_out_, {wave_, find_frame()}));
  b_.SetInsertPoint(range_leave_);
  b_.CreateRet(i64(uint64_t(Back::apart) << 32));
  emit_range_next(go_on);
  return alone;
}

// Of the wave at hand.
Value* Emitter::find_frame() {
  Value* frames = load_range(b_.getPtrTy(), offsetof(Range, frames));
  if (!waits_)
    return frames;
  Value* wave = b_.CreateZExt(load_range(int32_, offsetof(Range, wave)), int64_);
  return b_.CreateGEP(b_.getInt8Ty(), frames, b_.CreateMul(wave, load_range(int64_, offsetof(Range, frame_bytes))));
}

Value* Emitter::in_range(size_t offset) { return b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), range_, offset); }
Value* Emitter::load_range(llvm::Type* type, size_t offset) {
  return b_.CreateAlignedLoad(type, in_range(offset), llvm::Align(4));
}

// From wave to wave, from workgroup to workgroup. `go_on`: where the function is entered.
void Emitter::emit_range_next(llvm::BasicBlock* go_on) {
  const auto block = [&](const char* name) { return llvm::BasicBlock::Create(c_, name, function_); };
  // Volatile: a fault asks for them.
  const auto store = [&](Value* v, size_t offset) { b_.CreateAlignedStore(v, in_range(offset), llvm::Align(4), true); };
  b_.SetInsertPoint(range_ended_);
  range_executed_ = b_.CreatePHI(int64_, 1);
  Value* executed = range_executed_;
  if (waits_) {
    Value* frame = frame_at_hand();
    executed =
        b_.CreateAdd(executed, b_.CreateAlignedLoad(int64_, in(frame, offsetof(Frame, instructions)), llvm::Align(8)));
    b_.CreateAlignedStore(i32(Frame::ended), in(frame, offsetof(Frame, at)), llvm::Align(4), true);
  }
  store(b_.CreateAdd(load_range(int64_, offsetof(Range, instructions)), executed), offsetof(Range, instructions));
  b_.CreateBr(range_next_);

  auto *round = waits_ ? block("round") : nullptr, *group = block("group"), *over = block("over");
  b_.SetInsertPoint(range_next_);
  Value* wave = b_.CreateAdd(load_range(int32_, offsetof(Range, wave)), i32(1));
  store(wave, offsetof(Range, wave));
  Value* more = b_.CreateICmpULT(wave, load_range(int32_, offsetof(Range, waves)));
  if (!waits_) {
    b_.CreateCondBr(more, range_head_, group);
    b_.SetInsertPoint(go_on);
    b_.CreateBr(range_head_);
  } else {
    auto *dispatch = block("dispatch"), *past = block("past"), *resumes = block("resumes");
    Value* next_frame = b_.CreateGEP(b_.getInt8Ty(), frame_at_hand(), load_range(int64_, offsetof(Range, frame_bytes)));
    b_.CreateCondBr(more, dispatch, round);
    b_.SetInsertPoint(round); // all have ended, or those that wait are let past
    store(i32(0), offsetof(Range, wave));
    Value* arrived = load_range(int64_, offsetof(Range, arrived));
    store(i64(0), offsetof(Range, arrived));
    b_.CreateCondBr(b_.CreateICmpEQ(arrived, i64(0)), group, past);
    b_.SetInsertPoint(past);
    store(i32(1), offsetof(Range, again));
    Value* passed = b_.CreateAdd(load_range(int64_, offsetof(Range, passed)), arrived);
    store(passed, offsetof(Range, passed));
    Value* first_frame = load_range(b_.getPtrTy(), offsetof(Range, frames));
    b_.CreateCondBr(b_.CreateICmpUGE(passed, load_range(int64_, offsetof(Range, budget))), over, dispatch);
    b_.SetInsertPoint(go_on);
    Value* frame = find_frame();
    b_.CreateBr(dispatch);
    b_.SetInsertPoint(dispatch);
    auto* frames = b_.CreatePHI(b_.getPtrTy(), 3);
    frames->addIncoming(next_frame, range_next_), frames->addIncoming(first_frame, past);
    frames->addIncoming(frame, go_on);
    resumed_frame_ = frames;
    store(frames, offsetof(Range, frame));
    b_.CreateCondBr(b_.CreateICmpEQ(load_range(int32_, offsetof(Range, again)), i32(0)), range_head_, resumes);
    b_.SetInsertPoint(resumes);
    renew_deadline();
    range_resume_ = b_.CreateSwitch(b_.CreateAlignedLoad(int32_, in(frames, offsetof(Frame, at)), llvm::Align(4)),
                                    range_next_); // those that have ended
  }

  b_.SetInsertPoint(group);
  store(i32(0), waits_ ? offsetof(Range, again) : offsetof(Range, wave));
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
  Value* enough =
      b_.CreateICmpUGE(load_range(int64_, offsetof(Range, instructions)), load_range(int64_, offsetof(Range, budget)));
  b_.CreateCondBr(b_.CreateOr(enough, b_.CreateICmpEQ(left, i64(0))), over, range_head_);
  b_.SetInsertPoint(over);
  b_.CreateRet(i64(uint64_t(Back::stopped) << 32));
}

// Loops that wait for other waves bring it nearer.
void Emitter::renew_deadline() {
  if (polls_)
    b_.CreateAlignedStore(deadline_, wave(offsetof(machine::Wave, deadline)), llvm::Align(8));
}

void Emitter::begin_in_range() {
  const auto begin = [&](llvm::BasicBlock* at, bool full) {
    b_.SetInsertPoint(at);
    Edge next{version(unit_.entry_block, full), false, initial_in_range(full)};
    connect(next, false);
  };
  llvm::BasicBlock* head = range_head_;
  if (request_.full_waves && request_.partial_waves) {
    auto* partial = llvm::BasicBlock::Create(c_, "range_partial", function_);
    head = llvm::BasicBlock::Create(c_, "range_full", function_);
    b_.SetInsertPoint(range_head_);
    Value* next = b_.CreateAdd(load_range(int32_, offsetof(Range, wave)), i32(1));
    b_.CreateCondBr(b_.CreateICmpEQ(next, load_range(int32_, offsetof(Range, waves))), partial, head);
    begin(partial, false);
  }
  begin(head, request_.full_waves);
}

// What differs between waves, of the one at hand.
State Emitter::initial_in_range(bool full) {
  State s = initial(full);
  if (request_.counts)
    b_.CreateAlignedStore(executed_at_entry_, function_->getArg(3), llvm::Align(8));
  renew_deadline();
  Value* frame = find_frame();
  b_.CreateAlignedStore(i32(Frame::begins), in(frame, offsetof(Frame, at)), llvm::Align(4), true);
  if (waits_) {
    b_.CreateAlignedStore(frame, in_range(offsetof(Range, frame)), llvm::Align(4), true);
    b_.CreateAlignedStore(i64(0), in(frame, offsetof(Frame, instructions)), llvm::Align(8), true);
  }
  Value* wave = b_.CreateZExt(load_range(int32_, offsetof(Range, wave)), int64_);
  Value* ids =
      b_.CreateGEP(b_.getInt32Ty(), load_range(b_.getPtrTy(), offsetof(Range, work_items)), b_.CreateMul(wave, i64(3)));
  for (const LaunchLane& l : request_.launch)
    s.v[lane_of_[l.vgpr]].base =
        b_.CreateAlignedLoad(int32_, b_.CreateConstInBoundsGEP1_64(int32_, ids, l.vgpr), llvm::Align(4));
  for (size_t d = 0; d < 3; ++d)
    if (const int n = request_.group_id[d]; n >= 0)
      s.s[size_t(n)].v = load_range(int32_, offsetof(Range, id) + 4 * d);
  if (!full)
    launch_with(s, load_range(int64_, offsetof(Range, last_exec)));
  return s;
}

// EXEC has these lanes. Nothing counts them (Request::partial_waves).
void Emitter::launch_with(State& s, Value* lanes) {
  const Mask exec = as_mask(lanes);
  s.m[exec_pair].row = exec.row, s.m[exec_pair].bits = exec.bits;
}

// Of a wave on its own.
State Emitter::initial_alone(bool full) {
  State s = initial(full);
  for (const LaunchLane& l : request_.launch)
    if (Lane& lane = s.v[lane_of_[l.vgpr]]; lane.kind == Lane::affine)
      lane.base = at_entry_value(machine::vgpr_offset(l.vgpr));
  if (!full)
    launch_with(s, load_wave(int64_, machine::sgpr_offset(2 * exec_pair), 8));
  for (const int n : request_.group_id)
    if (n >= 0 && request_.ranges)
      s.s[size_t(n)].v = at_entry_value(machine::sgpr_offset(uint32_t(n)));
  return s;
}

// The Wave of a range is as launched, whatever wave is at hand: what needs one of its own leaves.
void Emitter::leave_range() {
  if (dry_ || !ranges_)
    return;
  set_modes(false);
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
  b_.CreateCondBr(ranging_, range_ended_, ended);
  b_.SetInsertPoint(ended);
}

} // namespace crosslane::jit
