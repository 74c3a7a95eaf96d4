// Where edges meet: values take the class that the next block expects, and entries ask whether what the wave brings is
// of it.
#include "engine/compiled.h"
#include "jit/compile/emitter.h"
#include <llvm/IR/MDBuilder.h>

namespace crosslane::jit {

using machine::Wave;

void Emitter::make_phis(uint32_t target) {
  Target& t = targets_[target];
  b_.SetInsertPoint(t.head);
  if (t.state.loaded)
    t.state.read.resize(State::joined_intervals), t.state.read_elsewhere = b_.getFalse();
  each_value(t.state, [&](Value*& v, char kind) {
    auto* phi = b_.CreatePHI(type_of(kind), t.predecessors + 2);
    if (t.loops)
      phi->addIncoming(anything(kind), entry_);
    v = phi;
  });
  for (Mask& m : t.state.m)
    if (t.state.masks_are_bits)
      m.row = {};
  t.phis = t.state;
}

// What comes to a loop's head from the loop itself is not there yet when the head is emitted, and this is instead: or
// what is folded would be so for the ways in alone.
Value* Emitter::anything(char kind) {
  Value*& v = anything_[kind];
  if (!v)
    v = at_entry([&] { return b_.CreateAlignedLoad(type_of(kind), wave_, llvm::Align(1)); });
  return v;
}

void Emitter::remove_anything() {
  for (const uint32_t target : order_)
    if (targets_[target].loops)
      for (llvm::PHINode& phi : targets_[target].head->phis())
        phi.removeIncomingValue(entry_, false);
  for (const auto& [kind, v] : anything_)
    llvm::cast<llvm::Instruction>(v)->eraseFromParent();
}

// st_ becomes what the target's class says, value for value.
void Emitter::convert_to(const State& wanted) {
  State out = wanted;
  for (uint32_t i = 0; i < out.v.size(); ++i) {
    Lane& l = out.v[i];
    if (l.in_wave())
      continue;
    if (i >= first_tmp_)
      continue;
    const Lane from = read_lane(machine::vgpr_offset(register_of_[i]));
    if (l.kind == Lane::vector) {
      l.row = rows_of(from);
      continue;
    }
    const std::optional<int32_t> constant = l.dynamic && !from.dynamic ? from.step_in(l) : std::nullopt;
    if (from.kind != Lane::affine || !(constant || from.same_distances(l))) {
      out_.error = "a class was lost on the way"; // a mistake of ours, not of the code
      return;
    }
    l.base = from.base;
    if (l.dynamic)
      l.step = constant ? i32(uint32_t(*constant)) : from.step;
  }
  for (uint32_t i = 0; i < out.v.size(); ++i)
    if (st_.v[i].dirty && !out.v[i].dirty && out.v[i].kind != Lane::wave)
      out_.error = "a register's write would be lost on the way";
  for (uint32_t p = 0; p < pair_count; ++p) {
    Mask& m = out.m[p];
    if (m.kind == Mask::none || m.kind == Mask::full || m.kind == Mask::empty)
      continue;
    const Mask from = mask_of(p);
    if (m.kind == Mask::uniform)
      m.bit = from.kind == Mask::uniform ? from.bit : b_.getInt1(from.kind == Mask::full);
    else if (out.masks_are_bits)
      m.bits = mask_bits(from), m.row = {};
    else
      for (int r = 0; r < rows; ++r)
        m.row[size_t(r)] = mask_row(from, r);
  }
  for (uint32_t i = 0; i < scalar_count; ++i)
    if (out.s[i].kind == Scalar::value)
      out.s[i].v = read_scalar(i);
  if (out.scc.kind == Scalar::value)
    out.scc.v = scc();
  out.count = st_.count, out.lanes = st_.lanes;
  if (out.loaded) {
    out.read = st_.read, out.read_elsewhere = st_.read_elsewhere;
    join_reads(out);
  }
  st_ = std::move(out);
}

// In the form that masks have where blocks meet.
void Emitter::join_masks(State& s) {
  for (Mask& m : s.m)
    if (s.masks_are_bits && m.kind == Mask::rows)
      m.bits = mask_bits(m), m.row = {};
}

// The last intervals become one, if they are more than a join has, and what is missing is empty.
void Emitter::join_reads(State& s) {
  auto& read = s.read;
  while (read.size() > State::joined_intervals) {
    const auto [from, to] = read.back();
    read.pop_back();
    read.back() = {b_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, read.back().first, from),
                   b_.CreateBinaryIntrinsic(llvm::Intrinsic::umax, read.back().second, to)};
  }
  read.resize(State::joined_intervals, {i64(~uint64_t(0)), i64(0)});
  if (!s.read_elsewhere)
    s.read_elsewhere = b_.getFalse();
}

void Emitter::add_incoming(Target& t) {
  std::vector<Value*> values;
  each_value(st_, [&](Value*& v, char) { values.push_back(v); });
  size_t n = 0;
  each_value(t.phis,
             [&](Value*& phi, char) { llvm::cast<llvm::PHINode>(phi)->addIncoming(values[n++], b_.GetInsertBlock()); });
}

void Emitter::connect(Edge& e, bool back) {
  Target& t = targets_[e.to];
  st_ = std::move(e.state);
  const llvm::BitVector& live = live_in_[block_of(e.to)];
  const engine::UnitBlock& block = unit_.blocks[block_of(e.to)];
  // The branch that counts, by where instructions lie, need not be the one that closes the loop.
  if (e.waiting_cost)
    b_.CreateAlignedStore(b_.CreateSub(load_wave(int64_, offsetof(Wave, deadline), 8), i64(e.waiting_cost)),
                          wave(offsetof(Wave, deadline)), llvm::Align(8));
  if (is_cold(e.to)) {
    b_.CreateBr(fail_);
    return;
  }
  if (!emitted_[e.to]) {
    done_ = 0;
    return leave(unit_.instructions[block.first].pc, Back::interpret, &live);
  }
  if (back && !goes_to_barrier(&block, block.first)) {
    done_ = 0;
    auto* yield = llvm::BasicBlock::Create(c_, "", function_);
    auto* on = llvm::BasicBlock::Create(c_, "", function_);
    Value* deadline = polls_ ? load_wave(int64_, offsetof(Wave, deadline), 8) : deadline_;
    b_.CreateCondBr(b_.CreateICmpSLT(executed(), deadline), on, yield,
                    llvm::MDBuilder(c_).createBranchWeights(1000, 1));
    b_.SetInsertPoint(yield);
    const State kept = st_;
    leave(t.entry, Back::preempted, &live);
    left_ = false;
    st_ = kept;
    b_.SetInsertPoint(on);
  }
  if (is_shared(e.to))
    return connect_shared(e.to);
  forget_dead(st_, live);
  join_masks(st_);
  if (t.predecessors > 1 || t.entered) {
    for (size_t i = 0; i < st_.v.size(); ++i)
      if (t.state.v[i].kind == Lane::stored &&
          st_.v[i].dirty) { // written together with all else, or it could not be repeated
        done_ = 0;
        checkpoint_apart(unit_.instructions[block.first].pc, live);
        break;
      }
    convert_to(t.state);
    if (!out_.error.empty())
      return;
    add_incoming(t);
  } else {
    const auto loaded = t.state.loaded; // what the classes were found with decides
    t.state = st_;
    t.state.loaded = loaded;
  }
  b_.CreateBr(t.head);
}

// A wave comes from memory: behind a barrier, or where it was preempted. It left there as the edges to this block have
// it, so what the block expects holds of what lies in the Wave.
//
// `as_interpreted`: no compiled code was there, and no guard of it. Then the classes are asked for.
void Emitter::enter(uint32_t target) {
  Target& t = targets_[target];
  auto* from = llvm::BasicBlock::Create(c_, "", function_);
  if (t.resumed && ranges_)
    resume(target);
  if (t.entry)
    enter_->addCase(llvm::cast<llvm::ConstantInt>(i64(t.entry)), from);
  if (t.loop_entry) {
    auto* loop = llvm::BasicBlock::Create(c_, "", function_);
    enter_->addCase(llvm::cast<llvm::ConstantInt>(i64(t.loop_entry)), loop);
    b_.SetInsertPoint(loop);
    expect_classes(target);
    b_.CreateBr(from);
  }
  b_.SetInsertPoint(from);
  State s = t.state;
  for (uint32_t i = 0; i < first_tmp_; ++i) {
    Lane& l = s.v[i];
    const uint64_t offset = machine::vgpr_offset(register_of_[i]);
    if (l.kind == Lane::affine)
      l = affine_in_wave(l, i);
    if (l.kind == Lane::vector)
      for (int r = 0; r < rows; ++r)
        l.row[size_t(r)] = load_wave(words_, offset + uint64_t(r) * 64, 64);
  }
  for (uint32_t p = 0; p < pair_count; ++p) {
    Mask& m = s.m[p];
    if (m.kind != Mask::uniform && m.kind != Mask::rows)
      continue;
    Value* bits = load_wave(int64_, machine::sgpr_offset(2 * p), 8);
    m.bit = b_.CreateICmpNE(bits, i64(0));
    if (m.kind == Mask::rows) {
      const Mask there = as_mask(bits);
      m.row = there.row, m.bits = there.bits;
    }
  }
  for (uint32_t i = 0; i < 2 * pair_count; ++i)
    if (s.s[i].kind == Scalar::value)
      s.s[i].v = load_wave(int32_, machine::sgpr_offset(i), 4);
  if (s.scc.kind == Scalar::value)
    s.scc.v = b_.CreateICmpNE(load_wave(int32_, offsetof(Wave, scc), 4), i32(0));
  s.count = i64(0);
  if (s.lanes)
    s.lanes = population(load_wave(int64_, machine::sgpr_offset(2 * exec_pair), 8));
  if (s.loaded) { // a checkpoint was just before
    s.read.clear(), s.read_elsewhere = nullptr;
    join_reads(s);
  }
  st_ = std::move(s);
  add_incoming(t);
  b_.CreateBr(t.head);
}

// A register of that class, from some of its lanes.
Lane Emitter::affine_in_wave(Lane l, uint32_t index) {
  const uint64_t offset = machine::vgpr_offset(register_of_[index]);
  l.base = l.constant ? i32(*l.constant) : load_wave(int32_, offset, 4);
  if (l.dynamic) {
    const int lane = 8 << l.first_step(); // which has one step
    l.step = b_.CreateSub(load_wave(int32_, offset + uint64_t(lane) * 4, 4),
                          b_.CreateAdd(l.base, i32(uint32_t(l.distance(lane)))));
  }
  return l;
}

// A wave that comes from the interpreter may have anything in its registers. Of those of which lanes that EXEC has not
// are never read again, the others' class is asked for, and becomes all lanes'.
void Emitter::expect_classes(uint32_t target) {
  const State& s = targets_[target].state;
  const bool in_part = s.m[exec_pair].kind != Mask::full;
  Value* exec = in_part ? load_wave(int64_, machine::sgpr_offset(2 * exec_pair), 8) : i64(~uint64_t(0));
  std::vector<std::pair<uint32_t, Lane>> extended;
  for (uint32_t i = 0; i < first_tmp_; ++i)
    if (const Lane& l = s.v[i]; in_part && !l.dynamic && !beyond_in_[block_of(target)].test(i)) {
      if (const auto found = expect_class(l, i, exec, true))
        extended.emplace_back(i, *found);
    } else {
      expect_class(l, i, i64(~uint64_t(0)), false);
    }
  for (uint32_t p = 0; p < pair_count; ++p) {
    const Mask& m = s.m[p];
    if (m.kind == Mask::none || m.kind == Mask::rows)
      continue;
    Value* bits = load_wave(int64_, machine::sgpr_offset(2 * p), 8);
    guard(b_.CreateICmpEQ(bits, m.kind == Mask::full    ? i64(~uint64_t(0))
                                : m.kind == Mask::empty ? i64(0)
                                                        : b_.CreateSExt(b_.CreateICmpNE(bits, i64(0)), int64_)));
  }
  settle_guards();
  for (const auto& [index, lane] : extended)
    b_.CreateCall(store_affine(), affine_arguments(wave(machine::vgpr_offset(register_of_[index])), lane))
        ->setCallingConv(llvm::CallingConv::Fast);
}

// Of the lanes in `mask`. What comes back is the affine value that they have, if it is one; `from_mask`: as the first
// of them says, whatever lane 0 has.
std::optional<Lane> Emitter::expect_class(Lane l, uint32_t index, Value* mask, bool from_mask) {
  if (l.in_wave() || (l.kind == Lane::vector && !~l.may))
    return std::nullopt;
  Value* there = wave(machine::vgpr_offset(register_of_[index]));
  const bool is_affine = l.kind == Lane::affine;
  if (is_affine && from_mask && !l.constant) {
    Value* first =
        b_.CreateAnd(b_.CreateTrunc(b_.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, mask, b_.getFalse()), int32_), 63);
    const auto part = [&](uint32_t shift, uint32_t bits, int32_t times) {
      return b_.CreateMul(b_.CreateAnd(b_.CreateLShr(first, shift), bits), i32(uint32_t(times)));
    };
    Value* distance = part(0, 15, l.column);
    for (uint32_t i = 0; i < l.fixed.size(); ++i)
      distance = b_.CreateAdd(distance, part(3 + i, 1, l.fixed[i]));
    l.base = b_.CreateSub(b_.CreateAlignedLoad(int32_, b_.CreateGEP(int32_, there, first), llvm::Align(4)), distance);
  } else if (is_affine) {
    l = affine_in_wave(l, index);
  }
  std::vector<Value*> arguments = is_affine ? affine_arguments(there, l) : std::vector<Value*>{there};
  for (Value* more : {i32(~l.may), b_.CreateTrunc(mask, int32_), b_.CreateTrunc(b_.CreateLShr(mask, 32), int32_)})
    arguments.push_back(more);
  auto* wrong = b_.CreateCall(misfit(is_affine), arguments);
  wrong->setCallingConv(llvm::CallingConv::Fast);
  guard(b_.CreateICmpEQ(wrong, i32(0)));
  if (!is_affine)
    return std::nullopt;
  const Lane found = l;
  if (l.no_wrap) {
    l.no_wrap = false;
    guard(does_not_wrap(l));
  }
  if (l.zeros && !l.constant) {
    const uint32_t low = l.zeros < 32 ? (1u << l.zeros) - 1 : ~0u;
    guard(b_.CreateICmpEQ(b_.CreateAnd(l.base, i32(low)), i32(0)));
  }
  return found;
}

// Phis of registers that no edge changes, of several loops and ways into them too: each is taken to be the one value
// that comes to it, until there is a second one.
void Emitter::remove_trivial_phis() {
  llvm::DenseMap<const Value*, Value*> is;
  const auto value_of = [&](Value* v) {
    const auto found = is.find(v);
    return found != is.end() ? found->second : llvm::isa<llvm::PHINode>(v) ? nullptr : v;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (llvm::BasicBlock& block : *function_)
      for (llvm::PHINode& phi : block.phis()) {
        Value* same = is.lookup(&phi);
        if (same == &phi)
          continue;
        Value* const before = same;
        for (Value* in : phi.incoming_values()) {
          Value* v = value_of(in);
          if (v && same && v != same)
            v = &phi;
          same = v ? v : same;
          if (same == &phi)
            break;
        }
        if (same != before)
          is[&phi] = same, changed = true;
      }
  }
  for (llvm::BasicBlock& block : *function_)
    for (llvm::PHINode& phi : llvm::make_early_inc_range(block.phis()))
      if (Value* same = is.lookup(&phi); same && same != &phi) {
        phi.replaceAllUsesWith(same);
        phi.eraseFromParent();
      }
}

} // namespace crosslane::jit
