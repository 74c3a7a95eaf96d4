// Counters of what code executes, for listeners that take counts (engine/counts.h). A block counts where it ends,
// behind its guards. How many lanes EXEC has is a value of the state, so that it is found out only where EXEC is
// written. The tables are arguments that nothing else refers to: LLVM keeps counters of loops in registers.
#include "engine/counts.h"
#include "engine/compiled.h"
#include "isa/classify.h"
#include "jit/compile/emitter.h"

namespace crosslane::jit {

using engine::BlockCells;
using engine::BlockLanes;
using engine::CountCells;
using engine::CountTables;

// The function that waves enter: the tables of the thread, and on to the one that counts.
llvm::Function* Emitter::with_tables() {
  auto* type = llvm::FunctionType::get(int64_, {b_.getPtrTy(), b_.getPtrTy(), int64_}, false);
  auto* outer = llvm::Function::Create(type, llvm::Function::ExternalLinkage, "unit", module_);
  outer->addFnAttr(llvm::Attribute::NoUnwind), outer->addFnAttr(llvm::Attribute::StrictFP);
  b_.SetInsertPoint(llvm::BasicBlock::Create(c_, "", outer));
  const auto load = [&](Value* from, size_t offset) {
    return b_.CreateAlignedLoad(b_.getPtrTy(), b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), from, offset),
                                llvm::Align(8));
  };
  Value* counts = load(outer->getArg(0), offsetof(machine::Wave, counts));
  Value* arguments[] = {outer->getArg(0), outer->getArg(1), outer->getArg(2),
                        load(counts, offsetof(CountTables, cells)), load(counts, offsetof(CountTables, lanes))};
  b_.CreateRet(b_.CreateCall(function_, arguments));
  return outer;
}

void Emitter::add_tables(llvm::Function* f) {
  const size_t blocks = unit_.blocks.size();
  const size_t bytes[] = {offsetof(CountCells, blocks) + blocks * sizeof(BlockCells), blocks * sizeof(BlockLanes)};
  for (unsigned n = 0; n < 2; ++n) {
    for (const auto attribute : {llvm::Attribute::NoAlias, llvm::Attribute::NoCapture, llvm::Attribute::Writable})
      f->addParamAttr(3 + n, attribute);
    f->addDereferenceableParamAttr(3 + n, bytes[n]);
  }
}

void Emitter::add_to_cell(size_t offset, Value* n) {
  Value* cell = b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), function_->getArg(3),
                                              offsetof(CountCells, blocks) +
                                                  size_t(block_ - unit_.blocks.data()) * sizeof(BlockCells) + offset);
  b_.CreateAlignedStore(b_.CreateAdd(b_.CreateAlignedLoad(int64_, cell, llvm::Align(8)), n), cell, llvm::Align(8));
}

void Emitter::count_lanes(uint32_t block, size_t offset, Value* lanes) {
  Value* table =
      b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), function_->getArg(4), block * sizeof(BlockLanes) + offset);
  Value* cell = b_.CreateInBoundsGEP(int64_, table, lanes);
  b_.CreateAlignedStore(b_.CreateAdd(b_.CreateAlignedLoad(int64_, cell, llvm::Align(8)), i64(1)), cell, llvm::Align(8));
}

Value* Emitter::population(Value* bits) { return b_.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, bits); }

// Lanes of EXEC as it is now.
Value* Emitter::lanes_of_exec() {
  switch (const Mask& e = exec(); e.kind) {
  case Mask::full: return i64(64);
  case Mask::empty: return i64(0);
  case Mask::uniform: return b_.CreateSelect(e.bit, i64(64), i64(0));
  default: return population(mask_bits(e));
  }
}

void Emitter::note_counted() {
  if (request_.counts && !dry_)
    b_.CreateAlignedStore(executed(), function_->getArg(3), llvm::Align(8));
}

// All of the block at hand was executed.
void Emitter::count_block() {
  if (!request_.counts)
    return;
  const engine::UnitInstruction& last = unit_.instructions[block_->first + block_->count - 1];
  const bool writes = isa::writes_exec(last.inst);
  if (dry_)
    return;
  Value* const lanes = st_.lanes;
  const auto block = uint32_t(block_ - unit_.blocks.data());
  if (began_full_)
    add_to_cell(offsetof(BlockCells, executions), i64(1));
  else
    count_lanes(block, offsetof(BlockLanes, waves), lanes);
  if (writes)
    st_.lanes = lanes_of_exec();
  if (last.site != isa::SiteKind::exec && last.site != isa::SiteKind::vcc)
    return;
  Value *all, *none, *left;
  if (last.site == isa::SiteKind::exec && !began_full_ && !isa::narrows_exec(last.inst)) {
    Value *before = mask_bits(exec_at_begin_), *after = mask_bits(exec()), *either = b_.CreateOr(before, after);
    all = b_.CreateICmpEQ(after, either), left = st_.lanes;
    none = b_.CreateAnd(b_.CreateICmpEQ(after, i64(0)), b_.CreateICmpNE(either, i64(0)));
    add_to_cell(offsetof(BlockCells, arriving_lanes), population(either));
  } else {
    left = writes ? st_.lanes : population(b_.CreateAnd(mask_bits(mask_of(vcc_pair)), mask_bits(exec())));
    all = b_.CreateICmpEQ(left, lanes);
    none = b_.CreateAnd(b_.CreateICmpEQ(left, i64(0)), b_.CreateICmpNE(lanes, i64(0)));
  }
  add_to_cell(offsetof(BlockCells, all), b_.CreateZExt(all, int64_));
  add_to_cell(offsetof(BlockCells, none), b_.CreateZExt(none, int64_));
  add_to_cell(offsetof(BlockCells, condition_lanes), left);
}

// Of a branch on SCC, at the begin of either of its edges.
void Emitter::count_edge(bool taken) {
  if (!request_.counts || dry_ || taken != engine::counts_taken(unit_, *block_))
    return;
  if (began_full_)
    add_to_cell(offsetof(BlockCells, aside), i64(1));
  else
    count_lanes(uint32_t(block_ - unit_.blocks.data()), offsetof(BlockLanes, aside), st_.lanes);
}

} // namespace crosslane::jit
