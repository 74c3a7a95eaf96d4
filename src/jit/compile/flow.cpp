// Where control goes: branches, EXEC, the Wave in memory, and the ways back to the interpreter.
#include "isa/flow.h"
#include "engine/compiled.h"
#include "isa/classify.h"
#include "isa/operands.h"
#include "isa/wait_counts.h"
#include "jit/compile/emitter.h"
#include <algorithm>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/PatternMatch.h>

namespace crosslane::jit {

using isa::Condition;
using machine::Wave;

static bool is_true(const Value* v) {
  const auto* known = llvm::dyn_cast<llvm::ConstantInt>(v);
  return known && known->isOne();
}

// A guard that fails goes on in the interpreter, from the last checkpoint. Before memory is accessed, or the Wave
// written, or the block left, all guards that are pending are asked at once.
void Emitter::guard(Value* ok) {
  if (dry_)
    return;
  if (owing_)
    return owing_->push_back(ok);
  if (note_ && !is_true(ok))
    ++note_->guards;
  using namespace llvm::PatternMatch;
  Value* number = nullptr;
  llvm::ICmpInst::Predicate predicate;
  if (match(ok, m_ICmp(predicate, m_Value(number), m_SpecificInt(uint64_t(1) << 32))) &&
      predicate == llvm::ICmpInst::ICMP_ULT)
    pending_high_ = pending_high_ ? b_.CreateOr(pending_high_, number) : number;
  else
    pending_ = pending_ ? b_.CreateAnd(pending_, ok) : ok;
}

// For tests: `ok` but now and then. Before memory is accessed a wave may leave even where nothing is asked.
Value* Emitter::failing_at_times(Value* ok) {
  Value* counter = b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), code_, offsetof(engine::CompiledCode, asked));
  Value* asked = b_.CreateAdd(b_.CreateAlignedLoad(int32_, counter, llvm::Align(4)), i32(1));
  Value* fails = b_.CreateICmpUGE(asked, i32(request_.fail_every));
  b_.CreateAlignedStore(b_.CreateSelect(fails, i32(0), asked), counter, llvm::Align(4));
  return ok ? b_.CreateAnd(ok, b_.CreateNot(fails)) : b_.CreateNot(fails);
}

void Emitter::settle_guards(bool before_access) {
  for (const LdsInterval& i : lds_pending_) {
    Value* inside = is_inside(i);
    pending_ = pending_ ? b_.CreateAnd(pending_, inside) : inside;
    lds_asked_.push_back(i);
  }
  lds_pending_.clear();
  Value* ok = std::exchange(pending_, nullptr);
  if (ok && is_true(ok))
    ok = nullptr;
  if (Value* high = std::exchange(pending_high_, nullptr)) {
    Value* low = b_.CreateICmpULT(high, i64(uint64_t(1) << 32));
    ok = ok ? b_.CreateAnd(ok, low) : low;
  }
  if (request_.fail_every && !dry_ && (ok || before_access))
    ok = failing_at_times(ok);
  if (!ok)
    return;
  if (note_)
    ++note_->asked;
  auto* next = llvm::BasicBlock::Create(c_, "", function_);
  // Or LLVM makes a branch of each.
  b_.CreateCondBr(ok, next, fail_, llvm::MDBuilder(c_).createBranchWeights(1000, 1))
      ->setMetadata(llvm::LLVMContext::MD_unpredictable, llvm::MDNode::get(c_, {}));
  b_.SetInsertPoint(next);
}

void Emitter::flush(const llvm::BitVector* live) {
  if (!together_.empty())
    out_.error = "matrix operations would be forgotten"; // a mistake of ours, not of the code
  settle_owed();
  settle_guards();
  merge_all();
  const auto lives = [&](uint32_t slot) { return !live || live->test(slot); };
  if (!dry_)
    b_.CreateAlignedStore(i32(0), wave(offsetof(Wave, as_launched)), llvm::Align(4));
  for (uint32_t i = 0; i < first_tmp_; ++i) {
    Lane& l = st_.v[i];
    if (!l.dirty || !lives(live_lane(i)))
      continue;
    l.dirty = false;
    if (dry_)
      continue;
    if (l.kind == Lane::affine) {
      b_.CreateCall(store_affine(), affine_arguments(wave(machine::vgpr_offset(register_of_[i])), l))
          ->setCallingConv(llvm::CallingConv::Fast);
      continue;
    }
    const Rows r = rows_of(l);
    for (int n = 0; n < rows; ++n)
      b_.CreateAlignedStore(r[size_t(n)], wave(machine::vgpr_offset(register_of_[i]) + uint64_t(n) * 64),
                            llvm::Align(64));
  }
  for (uint32_t p = 0; p < pair_count; ++p) {
    Mask& m = st_.m[p];
    if (m.kind == Mask::none || !m.dirty || !(lives(2 * p) || lives(2 * p + 1)))
      continue;
    m.dirty = false;
    if (!dry_)
      b_.CreateAlignedStore(mask_bits(m), wave(machine::sgpr_offset(2 * p)), llvm::Align(8));
  }
  for (uint32_t i = 0; i < 2 * pair_count; ++i) {
    Scalar& s = st_.s[i];
    if (!s.dirty || s.kind != Scalar::value || !lives(i))
      continue;
    s.dirty = false;
    if (!dry_)
      b_.CreateAlignedStore(s.v, wave(machine::sgpr_offset(i)), llvm::Align(4));
  }
  if (st_.scc.dirty && lives(live_scc())) {
    st_.scc.dirty = false;
    if (!dry_)
      b_.CreateAlignedStore(b_.CreateZExt(st_.scc.v, int32_), wave(offsetof(Wave, scc)), llvm::Align(4));
  }
}

// The Wave is complete, as before the instruction there.
void Emitter::checkpoint_apart(uint32_t pc, const llvm::BitVector& live) {
  flush(&live);
  if (dry_)
    return;
  if (note_)
    ++note_->checkpoints;
  b_.CreateAlignedStore(executed(), wave(offsetof(Wave, instructions)), llvm::Align(8));
  b_.CreateAlignedStore(i32(pc), wave(offsetof(Wave, compiled_pc)), llvm::Align(4));
}

// The Wave is complete, as behind this instruction.
void Emitter::complete_behind() {
  forget_read();
  if (dry_)
    return;
  if (note_)
    ++note_->checkpoints;
  ++done_;
  b_.CreateAlignedStore(executed(), wave(offsetof(Wave, instructions)), llvm::Align(8));
  --done_;
  const engine::UnitInstruction& u = unit_.instructions[at_];
  b_.CreateAlignedStore(i32(u.pc + u.inst.size / 4), wave(offsetof(Wave, compiled_pc)), llvm::Align(4));
  b_.CreateFence(llvm::AtomicOrdering::SequentiallyConsistent, llvm::SyncScope::SingleThread);
}

void Emitter::leave(uint32_t where, Back back, const llvm::BitVector* live) {
  leave_range();
  leave_apart(where, back, live);
}

void Emitter::leave_apart(uint32_t where, Back back, const llvm::BitVector* live) {
  settle_matrix();
  set_modes(false);
  flush(live);
  if (back == Back::interpret)
    note_how(ReportStep::How::left);
  if (!dry_) {
    b_.CreateAlignedStore(executed(), wave(offsetof(Wave, instructions)), llvm::Align(8));
    b_.CreateRet(i64(uint64_t(back) << 32 | where));
  }
  left_ = true;
}

// Of the call of that number in Compiled::calls.
void Emitter::call_handler(uint32_t index) {
  set_modes(false);
  Value* table = b_.CreateAlignedLoad(
      b_.getPtrTy(), b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), code_, offsetof(engine::CompiledCode, calls)),
      llvm::Align(8));
  Value* op = b_.CreateAlignedLoad(b_.getPtrTy(), b_.CreateConstGEP1_64(b_.getPtrTy(), table, index), llvm::Align(8));
  Value* handler = b_.CreateAlignedLoad(b_.getPtrTy(), op, llvm::Align(8));
  auto* type = llvm::FunctionType::get(b_.getVoidTy(), {b_.getPtrTy(), b_.getPtrTy()}, false);
  auto* call = b_.CreateCall(type, handler, {op, wave_});
#if !__has_feature(address_sanitizer) // as engine/uop.h has it
  call->setCallingConv(llvm::CallingConv::PreserveNone);
#endif
  call->addFnAttr(llvm::Attribute::NoUnwind);
}

// The interpreter's handlers, between two checkpoints.
void Emitter::call(uint32_t instruction) {
  const engine::UnitInstruction& u = unit_.instructions[instruction];
  settle_matrix();
  note_how(ReportStep::How::called);
  leave_range();
  checkpoint_apart(u.pc, live_[at_]);
  if (!dry_) {
    const uint32_t index = uint32_t(out_.calls.size());
    out_.calls.push_back({instruction});
    // A fault of the handler's is its own: it knows what to say, and may have done part of its work.
    b_.CreateAlignedStore(llvm::ConstantPointerNull::get(b_.getPtrTy()), wave(offsetof(Wave, compiled)),
                          llvm::Align(8));
    call_handler(index);
    Value* state = b_.CreateAlignedLoad(b_.getInt8Ty(), wave(offsetof(Wave, state)), llvm::Align(1));
    auto* stopped = llvm::BasicBlock::Create(c_, "", function_);
    auto* next = llvm::BasicBlock::Create(c_, "", function_);
    b_.CreateCondBr(b_.CreateICmpEQ(state, b_.getInt8(uint8_t(machine::WaveState::ready))), next, stopped,
                    llvm::MDBuilder(c_).createBranchWeights(1000, 1));
    b_.SetInsertPoint(stopped);
    b_.CreateRet(i64(uint64_t(Back::stopped) << 32));
    b_.SetInsertPoint(next);
    b_.CreateAlignedStore(code_, wave(offsetof(Wave, compiled)), llvm::Align(8));
  }
  complete_behind();
  // What it wrote is in the Wave.
  const bool sums = unit_.uops[u.first].kind == engine::UopKind::matrix;
  const auto reload_scalar = [&](uint32_t n) {
    if (n >= 2 * pair_count)
      return;
    if (st_.m[n / 2].kind != Mask::none)
      drop_mask(n / 2);
    st_.s[n] = {Scalar::value, false, dry_ ? poison(int32_) : load_wave(int32_, machine::sgpr_offset(n), 4)};
  };
  const auto reload_lane = [&](uint32_t number) {
    const uint32_t index = lane_of_[number];
    if (index == ~0u)
      return;
    Lane l;
    l.kind = sums ? Lane::stored : Lane::vector;
    for (int r = 0; r < rows && !sums; ++r)
      l.row[size_t(r)] = dry_ ? poison(words_) : load_wave(words_, machine::vgpr_offset(number) + uint64_t(r) * 64, 64);
    st_.v[index] = l;
  };
  for (const isa::Operand& o : isa::operands(u.inst)) {
    if (!o.written)
      continue;
    for (uint32_t n = o.first; n < uint32_t(o.first) + o.dwords; ++n) {
      if (o.file == isa::RegisterFile::scalar)
        reload_scalar(n);
      else if (o.file == isa::RegisterFile::vgpr)
        reload_lane(n);
      else if (o.file == isa::RegisterFile::agpr)
        reload_lane(machine::max_vgprs + n);
      else if (n == isa::special::scc)
        st_.scc = {Scalar::value, false,
                   dry_ ? poison(int1_) : b_.CreateICmpNE(load_wave(int32_, offsetof(Wave, scc), 4), i32(0))};
    }
  }
}

// From behind this instruction the wave can only end: no guard, no access, no other way to leave.
bool Emitter::can_only_end() const {
  const auto harmless = [&](uint32_t i) {
    using enum isa::Op;
    const isa::Op op = unit_.instructions[i].inst.op;
    return op == s_waitcnt || op == s_nop || op == s_endpgm || op == s_branch ||
           isa::row(op).access == isa::Access::cache;
  };
  for (uint32_t block = uint32_t(block_ - unit_.blocks.data()), i = at_ + 1;;) {
    const engine::UnitBlock& b = unit_.blocks[block];
    for (; i < b.first + b.count; ++i)
      if (!harmless(i))
        return false;
    const uint32_t next = b.target != engine::no_block ? b.target : b.next;
    if (next == engine::no_block)
      return true;
    if (next <= block || unit_.blocks[next].cold)
      return false;
    block = next, i = unit_.blocks[block].first;
  }
}

// Behind what it stores the wave meets no other, and if it comes here again, it reads nothing that lanes wrote and does
// not wait for its stores, which may then be on their way until it ends. Where it waits for them behind that, they are
// waited for.
bool Emitter::stores_unseen() const {
  if (can_only_end())
    return true;
  bool reads = false;
  const auto harmless = [&](uint32_t i) {
    const isa::Instruction& inst = unit_.instructions[i].inst;
    const isa::MemoryUse use = isa::memory_use(inst);
    if (use.atomic || isa::row(inst.op).access == isa::Access::cache)
      return false;
    switch (isa::unit(inst)) {
    case isa::Unit::salu:
    case isa::Unit::valu:
    case isa::Unit::branch: return true;
    case isa::Unit::smem: return !use.stores;
    case isa::Unit::vmem:
    case isa::Unit::flat: reads = reads || use.loads; return true;
    case isa::Unit::internal:
      reads = reads || waits_for_stores(inst);
      return inst.op == isa::Op::s_nop || inst.op == isa::Op::s_endpgm || inst.op == isa::Op::s_waitcnt;
    default: return false;
    }
  };
  llvm::BitVector seen(unsigned(version(uint32_t(unit_.blocks.size()), false)));
  std::vector<uint32_t> open{version(uint32_t(block_ - unit_.blocks.data()), all_lanes())};
  for (bool behind = true; !open.empty(); behind = false) {
    const uint32_t target = open.back();
    const engine::UnitBlock& b = unit_.blocks[block_of(target)];
    open.pop_back();
    bool full = target == version(block_of(target), true);
    Condition c = Condition::always;
    for (uint32_t i = behind ? at_ + 1 : b.first; i < b.first + b.count; ++i) {
      const isa::Instruction& inst = unit_.instructions[i].inst;
      if (unit_.instructions[i].way == engine::Way::leaves || !harmless(i))
        return false;
      full = full && !isa::writes_exec(inst);
      c = isa::flow(inst).condition;
    }
    bool fails = false;
    const auto go = [&](uint32_t block) {
      fails = fails || (block != engine::no_block && unit_.blocks[block].cold);
      if (block != engine::no_block && !seen.test(version(block, full)))
        seen.set(version(block, full)), open.push_back(version(block, full));
    };
    if (!full || c != Condition::execz)
      go(b.target);
    if (!full || c != Condition::execnz)
      go(b.next);
    std::ranges::for_each(b.ways, go);
    if (fails)
      return false;
  }
  const uint32_t here = uint32_t(block_ - unit_.blocks.data());
  const bool again = seen.test(version(here, false)) || seen.test(version(here, true));
  return !again || !reads;
}

bool Emitter::waits_for_stores(const isa::Instruction& inst) const {
  const isa::Generation g = isa::info(unit_.target).generation;
  return inst.op == isa::Op::s_waitcnt && isa::wait_counts(g, uint32_t(inst.imm)).vm < isa::most_waits(g).vm;
}

Value* Emitter::condition(Condition c) {
  switch (c) {
  case Condition::always: return b_.getTrue();
  case Condition::scc0: return b_.CreateNot(scc());
  case Condition::scc1: return scc();
  case Condition::vccz: return b_.CreateNot(any(mask_of(vcc_pair)));
  case Condition::vccnz: return any(mask_of(vcc_pair));
  case Condition::execz: return b_.CreateNot(any(exec()));
  case Condition::execnz: return any(exec());
  default: return nullptr;
  }
}

bool Emitter::save_exec(const Uop& op) {
  const isa::Instruction& inst = unit_.instructions[at_].inst;
  if (!is_pair(op.dst))
    return false;
  const Mask e = exec();
  Mask s;
  if (op.a == machine::sgpr_offset(machine::scalar_zero)) {
    s = op.k0 == 0 ? Mask{Mask::empty} : ~op.k0 == 0 ? Mask{Mask::full} : as_mask(i64(op.k0));
  } else {
    if (!is_pair(op.a))
      return false;
    s = mask_of((op.a - machine::sgpr_offset(0)) / 8);
  }
  Mask result;
  using enum isa::MaskOp;
  switch (isa::exec_mask_op(inst.op)) {
  case and_: result = combine(Logic::and_, s, e); break;
  case andn1: result = combine(Logic::and_, invert(s), e); break;
  case andn2: result = combine(Logic::and_, s, invert(e)); break;
  case or_: result = combine(Logic::or_, s, e); break;
  case orn1: result = combine(Logic::or_, invert(s), e); break;
  case orn2: result = combine(Logic::or_, s, invert(e)); break;
  case xor_: result = combine(Logic::xor_, s, e); break;
  case xnor: result = invert(combine(Logic::xor_, s, e)); break;
  case nand: result = invert(combine(Logic::and_, s, e)); break;
  case nor: result = invert(combine(Logic::or_, s, e)); break;
  case none: return false;
  }
  write_mask(exec_pair, result);
  write_mask((op.dst - machine::sgpr_offset(0)) / 8, isa::saves_exec(inst) ? e : result);
  write_scc(any(result));
  return true;
}

} // namespace crosslane::jit
