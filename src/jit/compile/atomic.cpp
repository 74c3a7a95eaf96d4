// Atomics of 32 bits in LDS. The waves of a workgroup run on one thread in turns, so plain accesses will do, lane after
// lane as the interpreter has them.
#include "isa/op.h"
#include "jit/compile/access.h"
#include <llvm/IR/Intrinsics.h>
#include <utility>

namespace crosslane::jit {

namespace {

// The body that says what memory holds after; null: there is none.
const char* body_of(isa::Access a) {
  switch (a) {
    using enum isa::Access;
  case atomic_swap: return "atomic.swap";
  case atomic_cmpswap: return "atomic.cmpswap";
  case atomic_add: return "atomic.add";
  case atomic_sub: return "atomic.sub";
  case atomic_rsub: return "atomic.rsub";
  case atomic_smin: return "atomic.smin";
  case atomic_umin: return "atomic.umin";
  case atomic_smax: return "atomic.smax";
  case atomic_umax: return "atomic.umax";
  case atomic_and: return "atomic.and";
  case atomic_or: return "atomic.or";
  case atomic_xor: return "atomic.xor";
  case atomic_inc: return "atomic.inc";
  case atomic_dec: return "atomic.dec";
  default: return nullptr;
  }
}

} // namespace

// A value by lane, in memory of the function's own.
Value* Emitter::by_lane(const Lane& l) {
  Value* items = lane_items();
  for (int r = 0; r < rows; ++r)
    b_.CreateAlignedStore(row_of(l, r), b_.CreateConstInBoundsGEP1_64(words_, items, uint64_t(r)), llvm::Align(64));
  return items;
}

Value* Emitter::lane_items() {
  if (free_items_.empty())
    free_items_.push_back(at_entry([&] {
      auto* items = b_.CreateAlloca(llvm::ArrayType::get(words_, rows));
      items->setAlignment(llvm::Align(64));
      return items;
    }));
  Value* items = free_items_.back();
  free_items_.pop_back();
  return items;
}

bool Emitter::lds_atomic(const Uop& op) {
  const isa::Row& row = isa::row(unit_.instructions[at_].inst.op);
  const char* body = body_of(row.access);
  if (!body || isa::dwords(row.memory) != 1 || row.src[0] == isa::Type::None)
    return false;
  const bool returns = row.dst != isa::Type::None, two = row.access == isa::Access::atomic_cmpswap;
  const Access a = lds_item(op, 4, false, uint32_t(op.imm), op.c);
  settle_guards();
  Lane old;
  old.kind = Lane::vector;
  old.row.fill(poison(words_));
  if (!dry_) {
    const Lane data = read_lane(op.c), data1 = two ? read_lane(uint32_t(op.k1)) : data;
    std::vector<Value*> taken;
    const auto items = [&](const Lane& l) -> Value* { return l.uniform() ? nullptr : taken.emplace_back(by_lane(l)); };
    Value *offsets = items(a.offset), *first = items(data), *second = two ? items(data1) : nullptr;
    Value* before = returns ? taken.emplace_back(lane_items()) : nullptr;
    if (returns && !all_lanes()) // LLVM shall not take what no lane writes for anything
      by_row(before,
             [&](int, Value* p) { b_.CreateAlignedStore(llvm::Constant::getNullValue(words_), p, llvm::Align(64)); });
    each_lane([&](Value* lane) {
      const auto at = [&](Value* from, const Lane& l) -> Value* {
        return from ? b_.CreateAlignedLoad(int32_, b_.CreateGEP(int32_, from, lane), llvm::Align(4)) : l.base;
      };
      Value* p = b_.CreateGEP(b_.getInt8Ty(), a.base, b_.CreateZExt(at(offsets, a.offset), int64_));
      Value* there = b_.CreateAlignedLoad(int32_, p, llvm::Align(1));
      Value *x = at(first, data), *y = two ? at(second, data1) : x;
      if (two)
        std::swap(x, y); // what to compare with comes first
      b_.CreateAlignedStore(bodies_.apply(b_, module_, body, std::array{there, x, y}), p, llvm::Align(1));
      if (returns)
        b_.CreateAlignedStore(there, b_.CreateGEP(int32_, before, lane), llvm::Align(4));
    });
    if (returns)
      by_row(before, [&](int r, Value* p) { old.row[size_t(r)] = b_.CreateAlignedLoad(words_, p, llvm::Align(64)); });
    free_items_.insert(free_items_.end(), taken.begin(), taken.end());
  }
  if (returns)
    write_lane(op.dst, old);
  checkpoint_behind();
  return true;
}

template <class F> void Emitter::by_row(Value* items, F f) {
  for (int r = 0; r < rows; ++r)
    f(r, b_.CreateConstInBoundsGEP1_64(words_, items, uint64_t(r)));
}

// A loop over the lanes that EXEC has, from the first one on.
template <class F> void Emitter::each_lane(F f) {
  auto* from = b_.GetInsertBlock();
  auto* loop = llvm::BasicBlock::Create(c_, "", function_);
  auto* behind = llvm::BasicBlock::Create(c_, "", function_);
  const bool full = all_lanes();
  Value* mask = mask_bits(exec());
  if (full)
    b_.CreateBr(loop);
  else
    b_.CreateCondBr(b_.CreateICmpEQ(mask, i64(0)), behind, loop);
  b_.SetInsertPoint(loop);
  auto* at = b_.CreatePHI(int64_, 2); // the next lane, or a bit for each that is left
  at->addIncoming(full ? i64(0) : mask, from);
  if (full) {
    constexpr uint64_t times = 4;
    for (uint64_t n = 0; n < times; ++n)
      f(b_.CreateAdd(at, i64(n)));
    Value* next = b_.CreateAdd(at, i64(times));
    at->addIncoming(next, loop);
    b_.CreateCondBr(b_.CreateICmpULT(next, i64(64)), loop, behind);
  } else {
    f(b_.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, at, b_.getTrue()));
    Value* next = b_.CreateAnd(at, b_.CreateSub(at, i64(1)));
    at->addIncoming(next, loop);
    b_.CreateCondBr(b_.CreateICmpEQ(next, i64(0)), behind, loop);
  }
  b_.SetInsertPoint(behind);
}

} // namespace crosslane::jit
