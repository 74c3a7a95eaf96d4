// The function of a unit: its entries, and its blocks in an order in which values come before their uses.
#include "jit/compile/emitter.h"
#include "engine/compiled.h"
#include "engine/counts.h"
#include "isa/classify.h"
#include "isa/flow.h"
#include "isa/op.h"
#include <llvm/IR/IntrinsicsX86.h>

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
  st_.masks_are_bits = is_narrow();
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
  find_shared();
  full_exec_.assign(unit_.instructions.size(), false);
  for (int round = 0; round < 2; ++round) { // what is known of EXEC ends lives, which makes classes better
    find_live();
    find_for_access();
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
  out_.cold = std::ranges::any_of(unit_.blocks, [](const engine::UnitBlock& b) { return b.cold != 0; });
  out_.comes_back =
      !request_.counts && (out_.cold || std::ranges::any_of(unit_.blocks, &engine::UnitBlock::comes_back));
  if (ranges_)
    start = begin_ranges(start);
  b_.SetInsertPoint(fail_);
  if (request_.split_modes)
    write_modes();
  leave_range();
  b_.CreateRet(b_.CreateOr(b_.CreateZExt(load_wave(int32_, offsetof(Wave, compiled_pc), 4), int64_),
                           // Where tests have guards fail, it does not count as one: the code shall be entered again.
                           i64(uint64_t(request_.fail_every ? Back::interpret : Back::failed) << 32)));
  out_.entries = {unit_.entry};
  const auto pc_of = [&](uint32_t target) { return unit_.instructions[unit_.blocks[block_of(target)].first].pc; };
  for (const uint32_t target : order_) {
    Target& t = targets_[target];
    t.head = llvm::BasicBlock::Create(c_, "pc" + llvm::Twine(pc_of(target)), function_);
    if (!is_shared(target) && (t.predecessors > 1 || t.entered))
      make_phis(target);
    if (t.entered)
      t.entry = uint32_t(out_.entries.size()), out_.entries.push_back(pc_of(target));
    if (t.loops) {
      t.loop_entry = uint32_t(out_.entries.size()), out_.entries.push_back(pc_of(target));
      out_.loops.push_back({pc_of(target), t.state.m[exec_pair].kind == Mask::full, t.loop_entry});
    }
  }
  const auto begin = [&](llvm::BasicBlock* at, bool full) {
    b_.SetInsertPoint(at);
    Edge alone{version(unit_.entry_block, full), false, initial_alone(full)};
    connect(alone, false);
  };
  begin(start, request_.full_waves);
  if (request_.partial_waves)
    out_.partial = 0;
  if (request_.full_waves && request_.partial_waves) {
    out_.partial = int32_t(out_.entries.size()), out_.entries.push_back(unit_.entry);
    auto* partial = llvm::BasicBlock::Create(c_, "partial", function_);
    enter_->addCase(llvm::cast<llvm::ConstantInt>(i64(uint64_t(out_.partial))), partial);
    begin(partial, false);
  }
  if (ranges_)
    begin_in_range();
  for (const uint32_t target : order_) {
    if (!is_meeting(target))
      note_block(target);
    if (is_shared(target))
      enter_shared(target);
    else if (targets_[target].entered)
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
        connect(e, closes_loop(target, e.to));
      }
  }
  if (ranges_)
    emit_take_out();
  out_.waits = waits_, out_.frame_bytes = frame_bytes_;
  remove_anything();
  remove_trivial_phis();
  share_conversions();
  end_locations();
}

void Emitter::emit_block(uint32_t target, std::vector<Edge>& edges) {
  const uint32_t b = block_of(target);
  const engine::UnitBlock& block = unit_.blocks[b];
  st_ = is_shared(target) ? state_in_wave(target) : targets_[target].state;
  if (dry_)
    each_value(st_, [&](Value*& v, char kind) { v = poison(type_of(kind)); });
  left_ = false, block_ = &block;
  at_ = block.first, done_ = 0;
  if (is_meeting(target))
    return choose_version(st_, b, b_.GetInsertBlock(), Asks::full, edges);
  private_read_.clear(), private_read_before_ = true;
  began_full_ = target == version(b, true), exec_at_begin_ = exec();
  operands_.clear(), operand_bytes_ = 0;
  lds_asked_.clear(), in_reading_loop_ = targets_[target].in_reading_loop;
  for (done_ = 0; done_ < block.count; ++done_) {
    at_ = block.first + done_;
    note_instruction();
    const engine::UnitInstruction& u = unit_.instructions[at_];
    if (dry_ && !all_lanes())
      full_exec_[at_] = false;
    if (u.way == Way::leaves)
      return leave(u.pc, Back::interpret);
    if (u.way == Way::jumps)
      return emit_jump(b, edges);
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
      if (!dry_ && passes_caches_ && waits_for_stores(u.inst))
        b_.CreateIntrinsic(llvm::Intrinsic::x86_sse_sfence, {}, {});
      st_.stored = false;
    }
    emit_instruction(at_);
    note_written();
    if (left_ || !out_.error.empty())
      return;
  }
  set_modes(false);
  settle_matrix(unit_.instructions[unit_.blocks[block.next].first].pc, live_in_[block.next]);
  settle_count();
  const isa::Instruction& last = unit_.instructions[at_].inst;
  go(st_, block.next, b_.GetInsertBlock(),
     !isa::writes_exec(last)                                                                  ? Asks::nothing
     : !request_.full_waves || (exec_at_begin_.kind == Mask::rows && isa::narrows_exec(last)) ? Asks::empty
                                                                                              : Asks::full,
     edges);
}

void Emitter::go(State s, uint32_t block, llvm::BasicBlock* from, Asks asks, std::vector<Edge>& edges) {
  if (meets_.empty() || !meets_.test(block))
    return choose_version(std::move(s), block, from, asks, edges);
  edges.push_back({meeting(block), false, std::move(s), from});
}

// To the version of the block that fits.
void Emitter::choose_version(State s, uint32_t block, llvm::BasicBlock* from, Asks asks, std::vector<Edge>& edges) {
  const Mask exec = s.m[exec_pair];
  const bool may_be_full = exec.kind == Mask::rows || exec.kind == Mask::uniform;
  if (asks == Asks::nothing || !may_be_full) {
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
  if (exec.kind == Mask::rows && asks == Asks::empty) {
    edges.push_back({version(block, false), false, std::move(s), from});
    return;
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
  if (!request_.leaves_ragged || !began_full_ || !is_around_the_rest(block))
    return edges.push_back({version(block, false), false, std::move(s), other});
  if (dry_)
    return;
  b_.SetInsertPoint(other);
  st_ = std::move(s), done_ = 0;
  note_ = nullptr; // it is nothing that the instruction at hand does
  leave(unit_.instructions[next.first].pc, Back::interpret, &live_in_[block]);
}

// `if (id < n)` around all of a kernel: what is behind it has nothing to do.
bool Emitter::is_around_the_rest(uint32_t block) const {
  const engine::UnitBlock& b = unit_.blocks[block];
  if (b.count != 1 || b.target == engine::no_block ||
      isa::flow(unit_.instructions[b.first].inst).condition != isa::Condition::execz)
    return false;
  for (uint32_t at = b.target; at != engine::no_block; at = unit_.blocks[at].next) {
    const engine::UnitBlock& rest = unit_.blocks[at];
    for (uint32_t i = rest.first; i < rest.first + rest.count; ++i) {
      const isa::Instruction& inst = unit_.instructions[i].inst;
      if (inst.op == isa::Op::s_endpgm)
        return true;
      if (isa::unit(inst) != isa::Unit::salu && isa::unit(inst) != isa::Unit::internal)
        return false;
    }
    if (rest.target != engine::no_block)
      return false;
  }
  return false;
}

void Emitter::emit_barrier(uint32_t next, std::vector<Edge>& edges) {
  set_modes(false);
  settle_matrix();
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
  set_modes(false);
  settle_matrix();
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
  set_modes(false);
  settle_matrix();
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
    go(state(true), block.target, to_target, Asks::nothing, edges);
    for (size_t n = first; n < edges.size(); ++n)
      edges[n].waiting_cost = unit_.uops[u.first + u.count - 1].op.aux;
  }
  if (!always && block.next != engine::no_block)
    go(state(false), block.next, to_next, Asks::nothing, edges);
}

void Emitter::emit_instruction(uint32_t i) {
  const engine::UnitInstruction& u = unit_.instructions[i];
  if (isa::row(u.inst.op).access == isa::Access::cache)
    return cache_control();
  settle_before(u);
  if (u.count > 1) // DPP may be among them
    merge_all();
  bool done = true;
  State before;
  if (u.count > 1)
    before = st_;
  for (uint32_t n = 0; n < u.count && done; ++n)
    done = emit_uop(unit_.uops[u.first + n]);
  narrowed_ = false;
  if (!done) {
    if (u.count > 1)
      st_ = std::move(before);
    call(i);
  }
  if (exec().kind == Mask::none)
    write_mask(exec_pair, as_mask(scalar64_at(machine::sgpr_offset(126), 0)));
}

// Caches of the host are coherent: what is loaded behind it is loaded anew, and vector memory is in order, for other
// waves, too.
void Emitter::cache_control() {
  const bool vector = isa::row(unit_.instructions[at_].inst.op).encoding == isa::Encoding::MUBUF;
  if (!dry_ && !can_only_end()) // else nobody would notice
    b_.CreateFence(llvm::AtomicOrdering::SequentiallyConsistent,
                   vector ? llvm::SyncScope::System : llvm::SyncScope::SingleThread);
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
  case address: return is_linear_buffer(); // the access looks for itself where it is
  case atomic: return is_linear_buffer() && memory_atomic(u.op);
  case buffer: return this->buffer(u.op);
  case save_exec: return this->save_exec(u.op);
  case matrix: return this->matrix(u.op);
  case barrier: return request_.one_wave;
  case priority: return set_priority(uint32_t(u.op.imm));
  case get_pc: write_scalar64((u.op.dst - machine::sgpr_offset(0)) / 4, code_address(u.op.k1)); return true;
  default: return false;
  }
}

// What reads STATUS is called, so that a wave that goes back does this again, if it has.
bool Emitter::set_priority(uint32_t priority) {
  constexpr uint32_t wave_prio = 3 << 3; // of STATUS
  if (dry_)
    return true;
  Value* place = wave(offsetof(Wave, status));
  Value* others = b_.CreateAnd(b_.CreateAlignedLoad(int32_, place, llvm::Align(4)), i32(~wave_prio));
  b_.CreateAlignedStore(b_.CreateOr(others, i32(priority << std::countr_zero(wave_prio) & wave_prio)), place,
                        llvm::Align(4));
  return true;
}

} // namespace crosslane::jit
