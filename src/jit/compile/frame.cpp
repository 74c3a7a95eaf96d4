// Frames of waves in ranges (engine::Frame): what a wave has at a checkpoint is saved there by class, so that it costs
// as little as it says. Waves that wait at barriers go on from there; whatever cannot go on in the range is taken out,
// by code of its own that writes what the frame of each wave has to the wave's Wave.
#include "engine/compiled.h"
#include "isa/op.h"
#include "jit/compile/emitter.h"

namespace crosslane::jit {

using engine::Frame;
using engine::Range;
using machine::Wave;

namespace {

constexpr uint32_t first_checkpoint = 1u << 20; // lower numbers are entries'
constexpr uint32_t nowhere = ~0u;

// Neither what was read nor the count is of a frame's values.
State only_registers(const State& s) {
  State out = s;
  out.loaded = false, out.read.clear(), out.read_elsewhere = nullptr;
  out.others.clear(), out.count = out.lanes = nullptr;
  return out;
}

} // namespace

// Of each value where it lies; nowhere: a constant.
std::vector<uint32_t> Emitter::places_of(const State& s) {
  std::vector<uint32_t> out;
  uint32_t words = offsetof(Frame, since) + 8;
  const auto each = [&](auto f) {
    size_t n = 0;
    each_value(s, [&](Value* v, char kind) {
      if (kind != 'c')
        f(out[n++], v, kind);
    });
  };
  each_value(s, [&](Value*, char kind) {
    if (kind != 'c')
      out.push_back(nowhere);
  });
  const auto is_constant = [](Value* v) { return v && llvm::isa<llvm::Constant>(v); };
  each([&](uint32_t& place, Value* v, char kind) {
    if (kind == 'v' || is_constant(v))
      return;
    place = words, words += kind == 'q' ? 8 : 4;
  });
  words = (words + 63) / 64 * 64;
  each([&](uint32_t& place, Value* v, char kind) {
    if (kind == 'v' && !is_constant(v))
      place = words, words += 64;
  });
  frame_bytes_ = std::max(frame_bytes_, words);
  return out;
}

Value* Emitter::frame_at_hand() {
  return load_range(b_.getPtrTy(), waits_ ? offsetof(Range, frame) : offsetof(Range, frames));
}
Value* Emitter::in(Value* frame, uint64_t offset) {
  return b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), frame, offset);
}

void Emitter::put(Value* v, Value* frame, uint32_t place, char kind) {
  if (kind == 'm')
    v = b_.CreateZExt(b_.CreateBitCast(v, int16_), int32_);
  if (kind == 'b')
    v = b_.CreateZExt(v, int32_);
  b_.CreateAlignedStore(v, in(frame, place), llvm::Align(kind == 'v' ? 64 : 4));
}

Value* Emitter::take(Value* frame, uint32_t place, char kind) {
  llvm::Type* type = kind == 'v' ? words_ : kind == 'q' ? int64_ : int32_;
  Value* v = b_.CreateAlignedLoad(type, in(frame, place), llvm::Align(kind == 'v' ? 64 : 4));
  return kind == 'm' ? as_mask(b_.CreateZExt(v, int64_)).row[0] : kind == 'b' ? b_.CreateICmpNE(v, i32(0)) : v;
}

// Nothing may fail from the first store to the last one: a fence on either side, for the compiler.
void Emitter::save(Value* frame, const State& s, const std::vector<uint32_t>& places, uint32_t number) {
  const auto fence = [&] {
    b_.CreateFence(llvm::AtomicOrdering::SequentiallyConsistent, llvm::SyncScope::SingleThread);
  };
  fence();
  size_t n = 0;
  each_value(s, [&](Value* v, char kind) {
    if (kind != 'c')
      if (const uint32_t place = places[n++]; place != nowhere)
        put(v, frame, place, kind);
  });
  b_.CreateAlignedStore(i32(number), in(frame, offsetof(Frame, at)), llvm::Align(4));
  fence();
}

// A checkpoint of the wave at hand.
void Emitter::keep_in_frame(uint32_t pc, const llvm::BitVector& live, bool behind) {
  State s = only_registers(st_);
  forget_dead(s, live);
  join_masks(s);
  const std::vector<uint32_t> places = places_of(s);
  const uint32_t number = first_checkpoint + uint32_t(kept_.size());
  Value* frame = frame_at_hand();
  b_.CreateAlignedStore(b_.CreateAdd(st_.count, i64(done_ + behind)), in(frame, offsetof(Frame, since)),
                        llvm::Align(8));
  save(frame, s, places, number);
  size_t n = 0;
  each_value(s, [&](Value*& v, char kind) {
    if (kind != 'c' && places[n++] != nowhere)
      v = nullptr;
  });
  kept_.push_back({number, uint64_t(Back::interpret) << 32 | pc, std::move(s), live});
}

// The wave at hand waits at a barrier, behind which it goes on at a target; another one's turn.
void Emitter::wait_in_frame(uint32_t to, uint32_t next) {
  const State before = st_;
  const Target& t = targets_[to];
  Value* executed = b_.CreateAdd(st_.count, i64(done_));
  forget_dead(st_, live_in_[next]);
  for (Lane& l : st_.v)
    l.dirty = false; // as the target has it
  convert_to(t.state);
  Value* frame = frame_at_hand();
  const auto add = [&](Value* to_field) {
    b_.CreateAlignedStore(b_.CreateAdd(b_.CreateAlignedLoad(int64_, to_field, llvm::Align(4)), executed), to_field,
                          llvm::Align(4));
  };
  add(in(frame, offsetof(Frame, instructions)));
  save(frame, only_registers(st_), places_of(only_registers(t.phis)), t.entry);
  add(in_range(offsetof(Range, arrived)));
  b_.CreateBr(range_next_);
  st_ = before;
}

// ... where it is let past.
void Emitter::resume(uint32_t target) {
  Target& t = targets_[target];
  auto* from = llvm::BasicBlock::Create(c_, "", function_);
  range_resume_->addCase(b_.getInt32(t.entry), from);
  b_.SetInsertPoint(from);
  const State registers = in_frame(only_registers(t.phis), resumed_frame_);
  st_ = t.phis;
  st_.v = registers.v, st_.s = registers.s, st_.m = registers.m, st_.scc = registers.scc;
  st_.count = i64(0);
  done_ = 0, note_counted();
  if (st_.lanes)
    st_.lanes = lanes_of_exec();
  if (st_.loaded) {
    st_.read.clear(), st_.read_elsewhere = nullptr;
    join_reads(st_);
  }
  add_incoming(t);
  b_.CreateBr(t.head);
}

// What a frame has of such a state.
State Emitter::in_frame(State s, Value* frame) {
  const std::vector<uint32_t> places = places_of(s);
  size_t n = 0;
  each_value(s, [&](Value*& v, char kind) {
    if (kind != 'c')
      if (const uint32_t place = places[n++]; place != nowhere)
        v = take(frame, place, kind);
  });
  return s;
}

// What is done in ranges, and else.
template <class F, class G> void Emitter::in_range_or(F in_range, G apart) {
  if (dry_ || !ranges_)
    return apart();
  const auto [range, other, on] = fork(ranging_);
  const State before = st_;
  in_range();
  b_.CreateBr(on);
  st_ = before;
  b_.SetInsertPoint(other);
  apart();
  b_.CreateBr(on);
  b_.SetInsertPoint(on);
}

// ---- Checkpoints

void Emitter::checkpoint(uint32_t pc) {
  settle_owed();
  settle_guards();
  merge_all();
  in_range_or([&] { keep_in_frame(pc, live_[at_], false); }, [&] { checkpoint_apart(pc, live_[at_]); });
}

// Of what cannot be done twice.
void Emitter::checkpoint_behind() {
  if (goes_to_barrier())
    return forget_read();
  const bool last = at_ + 1 == block_->first + block_->count;
  llvm::BitVector live = last ? llvm::BitVector(live_[at_].size()) : live_[at_ + 1];
  if (last)
    block_->each_successor([&](uint32_t next) { live |= live_in_[next]; });
  settle_owed();
  settle_guards();
  merge_all();
  const engine::UnitInstruction& u = unit_.instructions[at_];
  in_range_or([&] { keep_in_frame(u.pc + u.inst.size / 4, live, true); },
              [&] {
                flush(&live);
                complete_behind();
              });
}

// From an instruction on, nothing can fail until a barrier, where all that the wave has is kept: no checkpoint is
// needed before.
bool Emitter::goes_to_barrier(const engine::UnitBlock* block, uint32_t i) const {
  if (request_.one_wave)
    return false;
  for (int left = 24; left; --left, ++i) {
    while (i == block->first + block->count) {
      if (block->target != engine::no_block || block->next == engine::no_block)
        return false;
      block = &unit_.blocks[block->next], i = block->first;
      if (block->cold)
        return false;
    }
    const engine::UnitInstruction& u = unit_.instructions[i];
    if (u.way != engine::Way::lowered)
      return false;
    if (u.inst.op == isa::Op::s_barrier)
      return true;
    if (u.inst.op == isa::Op::s_branch && block->target != engine::no_block) {
      block = &unit_.blocks[block->target], i = block->first - 1;
      if (block->cold)
        return false;
      continue;
    }
    const bool computes =
        u.count == 1 && unit_.uops[u.first].kind == engine::UopKind::scalar && scalar_body(isa::row(u.inst.op));
    if (!computes && u.inst.op != isa::Op::s_nop && u.inst.op != isa::Op::s_waitcnt)
      return false;
  }
  return false;
}

// ---- Out of the range

// take_out(Wave*, frame): as a compiled function, for a wave that has left.
void Emitter::emit_take_out() {
  llvm::IRBuilderBase::InsertPointGuard keep(b_);
  Value* const own_wave = wave_;
  wave_ = take_out_->getArg(0);
  Value* frame = take_out_->getArg(1);
  b_.SetInsertPoint(llvm::BasicBlock::Create(c_, "", take_out_));
  auto* none = llvm::BasicBlock::Create(c_, "", take_out_);
  auto* at = b_.CreateSwitch(b_.CreateAlignedLoad(int32_, in(frame, offsetof(Frame, at)), llvm::Align(4)), none);
  b_.SetInsertPoint(none);
  b_.CreateUnreachable();
  const auto emit = [&](uint32_t number, uint64_t back, const State& s, const llvm::BitVector& live) {
    auto* block = llvm::BasicBlock::Create(c_, "", take_out_);
    at->addCase(b_.getInt32(number), block);
    b_.SetInsertPoint(block);
    st_ = in_frame(s, frame);
    for (Lane& l : st_.v)
      l.dirty = l.kind != Lane::wave, l.wide = nullptr; // whose values are the other function's
    for (Scalar& x : st_.s)
      x.dirty = x.kind == Scalar::value;
    for (Mask& m : st_.m)
      m.dirty = m.kind != Mask::none;
    st_.scc.dirty = st_.scc.kind == Scalar::value;
    flush(&live);
    const auto load = [&](uint64_t offset) { return b_.CreateAlignedLoad(int64_, in(frame, offset), llvm::Align(8)); };
    Value* executed = load(offsetof(Frame, instructions));
    if (number >= first_checkpoint)
      executed = b_.CreateAdd(executed, load(offsetof(Frame, since)));
    b_.CreateAlignedStore(executed, wave(offsetof(Wave, instructions)), llvm::Align(8));
    b_.CreateRet(i64(back));
  };
  for (const Kept& k : kept_)
    emit(k.number, k.back, k.state, k.live);
  for (const uint32_t target : order_)
    if (const Target& t = targets_[target]; t.resumed)
      emit(t.entry, uint64_t(Back::barrier) << 32 | t.entry, only_registers(t.phis), live_in_[block_of(target)]);
  wave_ = own_wave;
}

} // namespace crosslane::jit
