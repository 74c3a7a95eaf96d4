// Calls and returns: instructions that go on at an address in SGPRs, as far as the unit has the places (Unit's ways).
// That the address is one of them is a guard. A function that is called from one place is as if it stood there; what
// several call is there once, and its waves come by way of the Wave, so that none of their registers meet. So do waves
// that come back from a function which is not in the unit.
#include "isa/flow.h"
#include "jit/compile/emitter.h"

namespace crosslane::jit {

using machine::Wave;

void Emitter::find_shared() {
  shared_.resize(unsigned(unit_.blocks.size()));
  std::vector<uint32_t> jumps(unit_.blocks.size());
  llvm::BitVector called(unsigned(unit_.blocks.size()));
  for (const engine::UnitBlock& block : unit_.blocks)
    for (const uint32_t way : block.ways) {
      ++jumps[way];
      if (isa::flow(unit_.instructions[block.first + block.count - 1].inst).link != isa::code::none)
        called.set(way);
    }
  for (unsigned b = 0; b < unit_.blocks.size(); ++b)
    if (unit_.blocks[b].comes_back || (called.test(b) && jumps[b] > 1))
      shared_.set(b);
}

// What is known of a wave that all of has been written to the Wave.
State Emitter::state_in_wave(uint32_t target) {
  const bool full = target == version(block_of(target), true);
  if (!dry_) // what was written there stays so
    b_.CreateFence(llvm::AtomicOrdering::SequentiallyConsistent, llvm::SyncScope::SingleThread);
  const auto load = [&](llvm::Type* type, uint64_t offset, uint32_t align) {
    return dry_ ? poison(type) : load_wave(type, offset, align);
  };
  State s;
  s.masks_are_bits = st_.masks_are_bits;
  s.v.resize(first_tmp_ + tmp_count);
  for (uint32_t i = 0; i < first_tmp_; ++i)
    s.v[i].kind = Lane::kept;
  for (uint32_t i = 0; i < 2 * exec_pair; ++i)
    s.s[i] = {Scalar::value, false, load(int32_, machine::sgpr_offset(i), 4)};
  Value* exec = load(int64_, machine::sgpr_offset(2 * exec_pair), 8);
  s.m[exec_pair] = full ? Mask{Mask::full} : as_mask(exec);
  s.m[exec_pair].dirty = false;
  s.scc = {Scalar::value, false,
           dry_ ? poison(int1_) : b_.CreateICmpNE(load_wave(int32_, offsetof(Wave, scc), 4), i32(0))};
  s.count =
      dry_ ? poison(int64_) : b_.CreateSub(load_wave(int64_, offsetof(Wave, instructions), 8), executed_at_entry_);
  if (request_.counts)
    s.lanes = dry_ ? poison(int64_) : full ? i64(machine::lanes_per_wave) : population(exec);
  s.stored = true;
  forget_dead(s, live_in_[block_of(target)]);
  return s;
}

void Emitter::connect_shared(uint32_t target) {
  done_ = 0;
  checkpoint_apart(unit_.instructions[unit_.blocks[block_of(target)].first].pc, live_in_[block_of(target)]);
  b_.CreateBr(targets_[target].head);
}

void Emitter::enter_shared(uint32_t target) {
  const Target& t = targets_[target];
  for (const uint32_t entry : {t.entry, t.loop_entry})
    enter_->addCase(llvm::cast<llvm::ConstantInt>(i64(entry)), t.head);
}

// To one of the block's ways, or back to the interpreter from the last checkpoint.
void Emitter::emit_jump(uint32_t b, std::vector<Edge>& edges) {
  const engine::UnitBlock& block = unit_.blocks[b];
  const engine::UnitInstruction& u = unit_.instructions[at_];
  const engine::Uop& op = unit_.uops[u.first].op;
  const isa::Flow flow = isa::flow(u.inst);
  set_modes(false);
  settle_matrix();
  Value* address = flow.direct ? nullptr : scalar64_at(op.a, op.k0);
  if (flow.link != isa::code::none)
    write_scalar64((op.dst - machine::sgpr_offset(0)) / 4, code_address(op.k1));
  const auto address_of = [&](uint32_t way) {
    return code_address(unit_.base + uint64_t(unit_.instructions[unit_.blocks[way].first].pc) * 4);
  };
  if (address && block.ways.size() == 1)
    guard(b_.CreateICmpEQ(address, address_of(block.ways[0])));
  ++done_;
  settle_count();
  llvm::SwitchInst* to = nullptr;
  if (!dry_ && block.ways.size() > 1)
    to = b_.CreateSwitch(b_.CreateSub(address, code_address(unit_.base)), fail_, unsigned(block.ways.size()));
  const State state = st_;
  for (const uint32_t way : block.ways) {
    llvm::BasicBlock* from = b_.GetInsertBlock();
    if (to) {
      from = llvm::BasicBlock::Create(c_, "", function_);
      to->addCase(b_.getInt64(uint64_t(unit_.instructions[unit_.blocks[way].first].pc) * 4), from);
    }
    go(state, way, from, Asks::nothing, edges);
  }
}

} // namespace crosslane::jit
