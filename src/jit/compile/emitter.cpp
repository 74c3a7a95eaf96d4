// The function of a unit: its entries, its blocks in an order in which values come before their uses, and the edges
// between them, where values take the class that the next block expects. It is long because all of
// that passes one state on.
#include "jit/compile/emitter.h"
#include "engine/compiled.h"
#include "engine/counts.h"
#include "isa/classify.h"
#include "isa/flow.h"
#include "isa/op.h"
#include <llvm/IR/MDBuilder.h>

namespace crosslane::jit {

using engine::UopKind;
using engine::Way;
using machine::Wave;

Emitter::Emitter(const Request& request, llvm::Module& module, Bodies& bodies, Compiled& out)
    : request_(request), unit_(*request.unit), module_(module), bodies_(bodies), out_(out), c_(module.getContext()),
      b_(c_, llvm::InstSimplifyFolder(module.getDataLayout())), report_(request.report ? &out.report : nullptr) {
  int1_ = b_.getInt1Ty(), int16_ = b_.getInt16Ty(), int32_ = b_.getInt32Ty(), int64_ = b_.getInt64Ty();
  words_ = llvm::FixedVectorType::get(int32_, 16), mask_ = llvm::FixedVectorType::get(int1_, 16);
  wide_ = llvm::FixedVectorType::get(int64_, 16);
}

llvm::Function* Emitter::run() {
  std::vector<llvm::Type*> types{b_.getPtrTy(), b_.getPtrTy(), int64_};
  if (request_.counts)
    types.insert(types.end(), 2, b_.getPtrTy());
  auto* type = llvm::FunctionType::get(int64_, types, false);
  function_ = request_.counts ? llvm::Function::Create(type, llvm::Function::InternalLinkage, "counts", module_)
                              : llvm::Function::Create(type, llvm::Function::ExternalLinkage, "unit", module_);
  if (request_.counts)
    add_tables(function_), function_->addFnAttr(llvm::Attribute::NoInline);
  function_->addFnAttr(llvm::Attribute::NoUnwind);
  function_->addFnAttr(llvm::Attribute::StrictFP);
  function_->addParamAttr(0, llvm::Attribute::NoAlias);
  function_->addParamAttr(1, llvm::Attribute::NoAlias);
  wave_ = function_->getArg(0), code_ = function_->getArg(1);
  number_registers();
  full_exec_.assign(unit_.instructions.size(), false);
  for (int round = 0; round < 2; ++round) { // what is known of EXEC ends lives, which makes classes better
    find_live();
    find_classes();
  }
  emit_function();
  if (request_.counts)
    with_tables();
  return out_.error.empty() ? function_ : nullptr;
}

void Emitter::emit_function() {
  dry_ = false;
  begin_locations();
  entry_ = llvm::BasicBlock::Create(c_, "entry", function_);
  fail_ = llvm::BasicBlock::Create(c_, "fail", function_);
  auto* start = llvm::BasicBlock::Create(c_, "start", function_);
  b_.SetInsertPoint(entry_);
  executed_at_entry_ = load_wave(int64_, offsetof(Wave, instructions), 8);
  deadline_ = load_wave(int64_, offsetof(Wave, deadline), 8);
  if (request_.counts)
    b_.CreateAlignedStore(executed_at_entry_, function_->getArg(3), llvm::Align(8));
  enter_ = b_.CreateSwitch(function_->getArg(2), start);
  out_.ranges = ranges_, out_.only_loops = request_.only_loops;
  if (ranges_)
    start = begin_ranges(start);
  b_.SetInsertPoint(fail_);
  leave_range();
  b_.CreateRet(b_.CreateOr(b_.CreateZExt(load_wave(int32_, offsetof(Wave, compiled_pc), 4), int64_),
                           // Where tests have guards fail, it does not count as one: the code shall be entered again.
                           i64(uint64_t(request_.fail_every ? Back::interpret : Back::failed) << 32)));
  out_.entries = {unit_.entry};
  const auto pc_of = [&](uint32_t target) { return unit_.instructions[unit_.blocks[block_of(target)].first].pc; };
  for (const uint32_t target : order_) {
    Target& t = targets_[target];
    t.head = llvm::BasicBlock::Create(c_, "pc" + llvm::Twine(pc_of(target)), function_);
    if (t.predecessors > 1 || t.entered)
      make_phis(target);
    if (t.entered)
      t.entry = uint32_t(out_.entries.size()), out_.entries.push_back(pc_of(target));
    if (t.loops) {
      t.loop_entry = uint32_t(out_.entries.size()), out_.entries.push_back(pc_of(target));
      out_.loops.push_back({pc_of(target), t.state.m[exec_pair].kind == Mask::full, t.loop_entry});
    }
  }
  const uint32_t first = version(unit_.entry_block, true);
  b_.SetInsertPoint(start);
  Edge alone{first, false, initial_alone()};
  connect(alone, false);
  if (ranges_) {
    b_.SetInsertPoint(range_head_);
    Edge next{first, false, initial_in_range()};
    connect(next, false);
  }
  for (const uint32_t target : order_) {
    note_block(target);
    if (targets_[target].entered)
      enter(target);
    b_.SetInsertPoint(targets_[target].head);
    std::vector<Edge> edges;
    emit_block(target, edges);
    note_ = nullptr;
    if (!out_.error.empty())
      return;
    for (Edge& e : edges)
      if (!e.by_memory) {
        b_.SetInsertPoint(e.from);
        connect(e, position_[e.to] <= position_[target]);
      }
  }
  if (ranges_)
    emit_take_out();
  out_.waits = waits_, out_.frame_bytes = frame_bytes_;
  remove_trivial_phis();
  end_locations();
}

// ---- Joins

void Emitter::make_phis(uint32_t target) {
  Target& t = targets_[target];
  b_.SetInsertPoint(t.head);
  if (t.state.loaded)
    t.state.read.resize(State::joined_intervals), t.state.read_elsewhere = b_.getFalse();
  each_value(t.state, [&](Value*& v, char kind) { v = b_.CreatePHI(type_of(kind), t.predecessors + 1); });
  t.phis = t.state;
}

// st_ becomes what the target's class says, value for value.
void Emitter::convert_to(const State& wanted) {
  State out = wanted;
  for (uint32_t i = 0; i < out.v.size(); ++i) {
    Lane& l = out.v[i];
    if (l.kind == Lane::wave || l.kind == Lane::stored)
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
  forget_dead(st_, live);
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
    expect_classes(t.state);
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
    if (m.kind == Mask::rows)
      m.row = as_mask(bits).row;
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
    const int row = l.by[0] == 1 ? 1 : 2;
    l.step = b_.CreateSub(load_wave(int32_, offset + uint64_t(row) * 64, 4),
                          row_base({.kind = Lane::affine, .fixed = l.fixed, .base = l.base}, row));
  }
  return l;
}

// A wave that comes from the interpreter may have anything in its registers.
void Emitter::expect_classes(const State& s) {
  for (uint32_t i = 0; i < first_tmp_; ++i)
    expect_class(s.v[i], i);
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
}

void Emitter::expect_class(Lane l, uint32_t index) {
  if (l.kind == Lane::wave || l.kind == Lane::stored || (l.kind == Lane::vector && !~l.may))
    return;
  Value* there = wave(machine::vgpr_offset(register_of_[index]));
  const bool is_affine = l.kind == Lane::affine;
  if (is_affine)
    l = affine_in_wave(l, index);
  auto* wrong = b_.CreateCall(misfit(is_affine), is_affine ? affine_arguments(there, l, i32(~l.may))
                                                           : std::vector<Value*>{there, i32(~l.may)});
  wrong->setCallingConv(llvm::CallingConv::Fast);
  guard(b_.CreateICmpEQ(wrong, i32(0)));
  if (is_affine && l.no_wrap) {
    l.no_wrap = false;
    guard(does_not_wrap(l));
  }
  if (is_affine && l.zeros && !l.constant) {
    const uint32_t low = l.zeros < 32 ? (1u << l.zeros) - 1 : ~0u;
    guard(b_.CreateICmpEQ(b_.CreateAnd(l.base, i32(low)), i32(0)));
  }
}

// Phis of registers that no edge changes.
void Emitter::remove_trivial_phis() {
  for (bool changed = true; changed;) {
    changed = false;
    for (llvm::BasicBlock& block : *function_)
      for (llvm::PHINode& phi : llvm::make_early_inc_range(block.phis())) {
        Value* same = nullptr;
        bool trivial = true;
        for (Value* v : phi.incoming_values()) {
          if (v == &phi || v == same)
            continue;
          if (same)
            trivial = false;
          same = v;
        }
        if (trivial && same) {
          phi.replaceAllUsesWith(same);
          phi.eraseFromParent();
          changed = true;
        }
      }
  }
}

// ---- Blocks

void Emitter::emit_block(uint32_t target, std::vector<Edge>& edges) {
  const uint32_t b = block_of(target);
  const engine::UnitBlock& block = unit_.blocks[b];
  st_ = targets_[target].state;
  if (dry_)
    each_value(st_, [&](Value*& v, char kind) { v = poison(type_of(kind)); });
  left_ = false, block_ = &block;
  private_read_.clear(), private_read_before_ = true;
  began_full_ = target == version(b, true), exec_at_begin_ = exec();
  lds_asked_.clear(), in_reading_loop_ = targets_[target].in_reading_loop;
  for (done_ = 0; done_ < block.count; ++done_) {
    at_ = block.first + done_;
    note_instruction();
    const engine::UnitInstruction& u = unit_.instructions[at_];
    if (dry_ && !all_lanes())
      full_exec_[at_] = false;
    if (u.way == Way::leaves)
      return leave(u.pc, Back::interpret);
    const bool last = done_ + 1 == block.count;
    const UopKind kind = u.count ? unit_.uops[u.first].kind : UopKind::copy;
    if (last && block.target != engine::no_block)
      return emit_branch(b, edges);
    if (u.count == 1 && kind == UopKind::end)
      return emit_end();
    if (u.count == 1 && kind == UopKind::barrier && !request_.one_wave)
      return emit_barrier(block.next, edges);
    if (u.inst.op == isa::Op::s_waitcnt && st_.stored) { // what was stored is there before what comes
      if (!dry_)
        b_.CreateFence(llvm::AtomicOrdering::SequentiallyConsistent, llvm::SyncScope::SingleThread);
      st_.stored = false;
    }
    emit_instruction(at_);
    note_written();
    if (left_ || !out_.error.empty())
      return;
  }
  settle_count();
  go(st_, block.next, b_.GetInsertBlock(), isa::writes_exec(unit_.instructions[at_].inst), edges);
}

// To the version of the block that fits. Where EXEC has just been written (`ask`) and may be full, that is asked.
void Emitter::go(State s, uint32_t block, llvm::BasicBlock* from, bool ask, std::vector<Edge>& edges) {
  const Mask exec = s.m[exec_pair];
  const bool may_be_full = exec.kind == Mask::rows || exec.kind == Mask::uniform;
  if (!ask || !may_be_full) {
    edges.push_back({version(block, exec.kind == Mask::full), false, std::move(s), from});
    return;
  }
  const engine::UnitBlock& next = unit_.blocks[block];
  if (exec.kind == Mask::rows && exec.no && next.count == 1 && next.target != engine::no_block &&
      isa::flow(unit_.instructions[next.first].inst).condition == isa::Condition::execz) {
    auto *empty = from, *rest = from;
    State s_empty = s;
    s_empty.m[exec_pair] = {Mask::empty, exec.dirty};
    if (!dry_) {
      empty = llvm::BasicBlock::Create(c_, "", function_), rest = llvm::BasicBlock::Create(c_, "", function_);
      b_.SetInsertPoint(from);
      b_.CreateCondBr(exec.no, empty, rest);
      b_.SetInsertPoint(empty);
      s_empty.count = b_.CreateAdd(s.count, i64(1)); // the branch
      if (request_.counts) {
        s_empty.lanes = i64(0);
        count_lanes(block, offsetof(engine::BlockLanes, waves), i64(0));
        std::swap(st_.count, s_empty.count), note_counted(), std::swap(st_.count, s_empty.count);
      }
      from = rest;
    }
    edges.push_back({version(next.target, false), false, std::move(s_empty), empty});
  }
  llvm::BasicBlock *full = from, *other = from;
  if (!dry_) {
    full = llvm::BasicBlock::Create(c_, "", function_), other = llvm::BasicBlock::Create(c_, "", function_);
    b_.SetInsertPoint(from);
    Value* all = exec.kind == Mask::uniform ? exec.bit
                 : exec.all                 ? exec.all
                                            : b_.CreateICmpEQ(mask_bits(exec), i64(~uint64_t(0)));
    b_.CreateCondBr(all, full, other);
  }
  State with = s;
  with.m[exec_pair].kind = Mask::full;
  if (with.lanes)
    with.lanes = i64(64);
  if (exec.kind == Mask::uniform) {
    s.m[exec_pair].kind = Mask::empty;
    if (s.lanes)
      s.lanes = i64(0);
  }
  edges.push_back({version(block, true), false, std::move(with), full});
  edges.push_back({version(block, false), false, std::move(s), other});
}

void Emitter::emit_barrier(uint32_t next, std::vector<Edge>& edges) {
  const uint32_t to = version(next, all_lanes());
  if (!dry_ && !emitted_[to])
    return leave(unit_.instructions[at_].pc, Back::interpret);
  ++done_;
  settle_guards();
  merge_all();
  count_block();
  forget_read(); // all that the wave has is kept
  if (!dry_ && ranges_) {
    auto* waits = llvm::BasicBlock::Create(c_, "", function_);
    auto* apart = llvm::BasicBlock::Create(c_, "", function_);
    b_.CreateCondBr(ranging_, waits, apart);
    b_.SetInsertPoint(waits);
    wait_in_frame(to, next);
    b_.SetInsertPoint(apart);
  }
  leave_apart(dry_ ? 0 : targets_[to].entry, Back::barrier, &live_in_[next]);
  edges.push_back({to, true, st_});
}

// What was executed of the block goes into the count.
void Emitter::settle_count() {
  settle_guards();
  merge_all();
  if (!dry_)
    st_.count = b_.CreateAdd(st_.count, i64(done_));
  done_ = 0;
  count_block();
  note_counted();
}

void Emitter::emit_end() {
  settle_guards();
  if (!dry_) {
    ++done_;
    count_block();
    end_in_range();
    b_.CreateAlignedStore(executed(), wave(offsetof(Wave, instructions)), llvm::Align(8));
    b_.CreateAlignedStore(b_.getInt8(uint8_t(machine::WaveState::ended)), wave(offsetof(Wave, state)), llvm::Align(1));
    b_.CreateRet(i64(uint64_t(Back::stopped) << 32));
  }
  left_ = true;
}

void Emitter::emit_branch(uint32_t b, std::vector<Edge>& edges) {
  const engine::UnitBlock& block = unit_.blocks[b];
  const engine::UnitInstruction& u = unit_.instructions[at_];
  const isa::Condition c = isa::flow(u.inst).condition;
  Value* taken = condition(c);
  if (!taken)
    return leave(u.pc, Back::interpret);
  ++done_;
  settle_count();
  const bool on_exec = c == isa::Condition::execz || c == isa::Condition::execnz;
  const Mask::Kind e = exec().kind;
  const bool always = c == isa::Condition::always ||
                      (on_exec && (c == isa::Condition::execz ? e == Mask::empty : e == Mask::full)),
             never = on_exec && (c == isa::Condition::execz ? e == Mask::full : e == Mask::empty);
  llvm::BasicBlock *to_target = b_.GetInsertBlock(), *to_next = to_target;
  if (!always && !never && !dry_) {
    to_target = llvm::BasicBlock::Create(c_, "", function_), to_next = llvm::BasicBlock::Create(c_, "", function_);
    b_.CreateCondBr(taken, to_target, to_next);
    if (c == isa::Condition::scc0 || c == isa::Condition::scc1) {
      b_.SetInsertPoint(to_target), count_edge(true);
      b_.SetInsertPoint(to_next), count_edge(false);
    }
  }
  // What the branch says of EXEC.
  const auto state = [&](bool is_taken) {
    State s = st_;
    Mask& m = s.m[exec_pair];
    if (on_exec && is_taken == (c == isa::Condition::execz))
      m.kind = Mask::empty;
    else if (on_exec && m.kind == Mask::uniform)
      m.kind = Mask::full;
    if (s.lanes && on_exec && m.kind != Mask::rows)
      s.lanes = i64(m.kind == Mask::full ? 64 : 0);
    return s;
  };
  if (!never) {
    const size_t first = edges.size();
    go(state(true), block.target, to_target, false, edges);
    for (size_t n = first; n < edges.size(); ++n)
      edges[n].waiting_cost = unit_.uops[u.first + u.count - 1].op.aux;
  }
  if (!always && block.next != engine::no_block)
    go(state(false), block.next, to_next, false, edges);
}

void Emitter::emit_instruction(uint32_t i) {
  const engine::UnitInstruction& u = unit_.instructions[i];
  if (u.count > 1) // DPP may be among them
    merge_all();
  bool done = true;
  State before;
  if (u.count > 1)
    before = st_;
  for (uint32_t n = 0; n < u.count && done; ++n)
    done = emit_uop(unit_.uops[u.first + n]);
  if (!done && isa::row(u.inst.op).access == isa::Access::cache && can_only_end())
    done = true; // nobody would notice
  narrowed_ = false;
  if (!done) {
    if (u.count > 1)
      st_ = std::move(before);
    call(i);
  }
  if (exec().kind == Mask::none)
    write_mask(exec_pair, as_mask(scalar64_at(machine::sgpr_offset(126), 0)));
}

bool Emitter::emit_uop(const engine::UnitUop& u) {
  using enum UopKind;
  switch (u.kind) {
  case vector:
  case saturated:
  case shift: return this->vector(u);
  case scalar: return this->scalar(u.op);
  case condition:
  case broadcast:
  case mask:
  case copy:
  case bits:
  case field:
  case halves:
  case half_to_float:
  case put:
  case put_field:
  case put_float: return staging(u);
  case dpp:
  case dpp_end:
  case dpp_mov:
  case read_lane:
  case read_first_lane:
  case write_lane:
  case count_lanes:
  case swap: return lanes(u);
  case scalar_memory: return this->scalar_memory(u.op);
  case flat: return this->flat(u.op);
  case lds: return this->lds(u.op);
  case swizzle: return this->swizzle(u.op);
  case buffer: return private_buffer(u.op);
  case save_exec: return this->save_exec(u.op);
  case barrier: return request_.one_wave;
  case get_pc: write_scalar64((u.op.dst - machine::sgpr_offset(0)) / 4, code_address(u.op.k1)); return true;
  default: return false;
  }
}

} // namespace crosslane::jit
