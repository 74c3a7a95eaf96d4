// Atomics, lane after lane as the interpreter has them. Of LDS by plain accesses: the waves of a workgroup run on one
// thread in turns. Of memory, which other threads see, by the host's.
#include "isa/access.h"
#include "isa/op.h"
#include "jit/compile/access.h"
#include "jit/compile/by_lane.h"
#include <llvm/IR/IntrinsicsX86.h>
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
  case atomic_fadd: return "atomic.fadd";
  case atomic_fmin: return "atomic.fmin";
  case atomic_fmax: return "atomic.fmax";
  case atomic_fcmpswap: return "atomic.fcmpswap";
  case atomic_mskor: return "atomic.mskor";
  default: return nullptr;
  }
}

// The host's atomic of integers that does it; BAD_BINOP: there is none.
using Operation = llvm::AtomicRMWInst::BinOp;
Operation operation_of(isa::Access a) {
  switch (a) {
    using enum isa::Access;
    using enum Operation;
  case atomic_swap: return Xchg;
  case atomic_add: return Add;
  case atomic_sub: return Sub;
  case atomic_smin: return Min;
  case atomic_umin: return UMin;
  case atomic_smax: return Max;
  case atomic_umax: return UMax;
  case atomic_and: return And;
  case atomic_or: return Or;
  case atomic_xor: return Xor;
  case atomic_inc: return UIncWrap;
  case atomic_dec: return UDecWrap;
  default: return BAD_BINOP;
  }
}

// How the data of lanes become one, where nobody wants what was between; not_intrinsic: they do not.
llvm::Intrinsic::ID reduction_of(Operation o) {
  using enum Operation;
  switch (o) {
  case Add:
  case Sub: return llvm::Intrinsic::vector_reduce_add;
  case Min: return llvm::Intrinsic::vector_reduce_smin;
  case UMin: return llvm::Intrinsic::vector_reduce_umin;
  case Max: return llvm::Intrinsic::vector_reduce_smax;
  case UMax: return llvm::Intrinsic::vector_reduce_umax;
  case And: return llvm::Intrinsic::vector_reduce_and;
  case Or: return llvm::Intrinsic::vector_reduce_or;
  case Xor: return llvm::Intrinsic::vector_reduce_xor;
  default: return llvm::Intrinsic::not_intrinsic;
  }
}

} // namespace

// Sums of floats are rounded to nearest in LDS, and those of 64 bits keep denormals (engine/memory/ds_atomic.cpp).
void Emitter::begin_float_sums(uint32_t dwords) {
  set_modes(false);
  const ByLane mode{lane_items(), nullptr};
  Value* mxcsr = b_.CreateAlignedLoad(int32_, wave(offsetof(machine::Wave, mxcsr32)), llvm::Align(4));
  b_.CreateAlignedStore(b_.CreateAnd(mxcsr, i32(dwords == 2 ? ~0xe040u : ~0x6000u)), mode.items, llvm::Align(4));
  b_.CreateIntrinsic(llvm::Intrinsic::x86_sse_ldmxcsr, {}, {mode.items});
  give_back({mode});
}

bool Emitter::lds_atomic(const Uop& op) {
  using enum isa::Access;
  const isa::Row& row = isa::row(unit_.instructions[at_].inst.op);
  const char* name = body_of(row.access);
  const uint32_t dwords = isa::dwords(row.memory);
  if (!name || dwords < 1 || dwords > 2 || row.src[0] == isa::Type::None)
    return false;
  const std::string body = name + std::string(dwords == 2 ? ".64" : "");
  const bool returns = row.dst != isa::Type::None, adds_floats = row.access == atomic_fadd,
             compares = isa::is_compare_and_swap(row.access), two = compares || row.access == atomic_mskor;
  const Access a = lds_item(op, 4 * dwords, false, uint32_t(op.imm), op.c);
  settle_guards(true);
  std::vector<Lane> old(dwords);
  for (Lane& l : old)
    l.kind = Lane::vector, l.row.fill(poison(words_));
  if (!dry_) {
    const Places places = places_of(a);
    std::vector<ByLane> data, data1, before;
    for (uint32_t d = 0; d < dwords; ++d) {
      const uint32_t at = d * machine::vgpr_bytes;
      data.push_back(by_lane(read_lane(op.c + at)));
      if (two)
        data1.push_back(by_lane(read_lane(uint32_t(op.k1) + at)));
      if (returns)
        before.push_back({lane_items(), nullptr});
      if (returns && !all_lanes()) // LLVM shall not take what no lane writes for anything
        by_row(before[d].items,
               [&](int, Value* p) { b_.CreateAlignedStore(llvm::Constant::getNullValue(words_), p, llvm::Align(64)); });
    }
    const auto item = [&](const std::vector<ByLane>& of, Value* lane) {
      Value* low = in_lane(of[0], lane);
      return dwords == 1 ? low : join_halves(low, in_lane(of[1], lane));
    };
    if (adds_floats)
      begin_float_sums(dwords);
    each_lane([&](Value* lane) {
      Value* p = place_in_lane(a, places, lane);
      Value* there = b_.CreateAlignedLoad(dwords == 2 ? int64_ : int32_, p, llvm::Align(1));
      Value *x = item(data, lane), *y = two ? item(data1, lane) : x;
      if (compares)
        std::swap(x, y); // what to compare with comes first
      b_.CreateAlignedStore(bodies_.apply(b_, module_, body, std::array{there, x, y}), p, llvm::Align(1));
      for (uint32_t d = 0; d < before.size(); ++d)
        b_.CreateAlignedStore(b_.CreateTrunc(d ? b_.CreateLShr(there, 32) : there, int32_),
                              b_.CreateGEP(int32_, before[d].items, lane), llvm::Align(4));
    });
    if (adds_floats)
      write_modes();
    for (uint32_t d = 0; d < before.size(); ++d)
      by_row(before[d].items,
             [&](int r, Value* p) { old[d].row[size_t(r)] = b_.CreateAlignedLoad(words_, p, llvm::Align(64)); });
    give_back({places.offset, places.high});
    for (const std::vector<ByLane>* all : {&data, &data1, &before})
      for (const ByLane& v : *all)
        give_back({v});
  }
  for (uint32_t d = 0; returns && d < dwords; ++d)
    write_lane(op.dst + d * machine::vgpr_bytes, old[d]);
  checkpoint_behind();
  return true;
}

// Whether a lane's address is no multiple of the item's size.
Value* Emitter::misaligned(const Access& a) {
  Value* any = mask_row(Mask{Mask::empty}, 0);
  for (int r = 0; r < rows; ++r) {
    Value* low =
        b_.CreateAdd(b_.CreateShl(row_of(a.offset, r), uint64_t(a.shift)), splat(b_.CreateTrunc(a.base, int32_)));
    Value* rest = b_.CreateAnd(low, splat(i32(a.bytes - 1)));
    any = b_.CreateOr(any, b_.CreateAnd(b_.CreateIsNotNull(rest), mask_row(exec(), r)));
  }
  return b_.CreateOrReduce(any);
}

// Whether all lanes access what lane `first` does.
Value* Emitter::one_place(const Access& a, Value* first) {
  if (a.offset.uniform())
    return b_.getTrue();
  const auto same = [&](const Rows& of) {
    Value* there = nullptr;
    for (int r = rows; r-- > 0;) {
      Value* here = b_.CreateExtractElement(of[size_t(r)], b_.CreateAnd(first, i64(15)));
      there = there ? b_.CreateSelect(b_.CreateICmpEQ(b_.CreateLShr(first, 4), i64(uint64_t(r))), here, there) : here;
    }
    Value* all = nullptr;
    for (int r = 0; r < rows; ++r) {
      Value* row = b_.CreateOr(b_.CreateICmpEQ(of[size_t(r)], splat(there)), b_.CreateNot(mask_row(exec(), r)));
      all = all ? b_.CreateAnd(all, row) : row;
    }
    return b_.CreateAndReduce(all);
  };
  Value* one = same(rows_of(a.offset));
  return a.high[0] ? b_.CreateAnd(one, same(a.high)) : one;
}

// What a range adds to memory at the end of its waves goes to Range::sums first, and control to `on`. It comes back
// where there are none. Addresses that have a place already are looked for at once.
void Emitter::add_later(const Access& a, const Rows& values, llvm::BasicBlock* on) {
  using engine::PendingSums;
  out_.sums = true;
  const auto new_block = [&] { return llvm::BasicBlock::Create(c_, "", function_); };
  auto *ask = new_block(), *look = new_block(), *at_once = new_block();
  b_.CreateCondBr(ranging_, ask, at_once);
  b_.SetInsertPoint(ask);
  Value* sums = load_range(b_.getPtrTy(), offsetof(engine::Range, sums));
  b_.CreateCondBr(b_.CreateIsNotNull(sums), look, at_once);
  b_.SetInsertPoint(look);
  const auto field = [&](size_t offset) { return b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), sums, offset); };
  Value *tags = field(offsetof(PendingSums, tag)), *all = field(offsetof(PendingSums, sum));
  Rows place, tag;
  Value* known = nullptr;
  for (size_t r = 0; r < rows; ++r) {
    const auto wide = [&](Value* v) { return b_.CreateZExt(v, wide_); };
    Value* offset = row_of(a.offset, int(r));
    if (a.high[0])
      offset = join_halves(offset, a.high[r]);
    else
      offset = b_.CreateShl(a.signed_offset ? b_.CreateSExt(offset, wide_) : wide(offset), uint64_t(a.shift));
    Value* address = b_.CreateAdd(offset, b_.CreateVectorSplat(16, a.base));
    tag[r] = b_.CreateTrunc(b_.CreateLShr(address, PendingSums::tag_shift), words_);
    place[r] = b_.CreateAnd(b_.CreateLShr(b_.CreateTrunc(address, words_), 2), splat(i32(PendingSums::places - 1)));
    Value* mask = mask_row(exec(), int(r));
    Value* there = b_.CreateMaskedGather(words_, b_.CreateGEP(int32_, tags, place[r]), llvm::Align(4), mask, tag[r]);
    Value* row_known = b_.CreateICmpEQ(there, tag[r]);
    known = known ? b_.CreateAnd(known, row_known) : row_known;
  }
  const ByLane place_items = by_lane(place), value_items = by_lane(values);
  const auto [add, make, rest] = fork(b_.CreateAndReduce(known));
  rest->eraseFromParent();
  const auto to_sum = [&](Value* lane) {
    Value* p = b_.CreateGEP(int32_, all, b_.CreateZExt(in_lane(place_items, lane), int64_));
    b_.CreateAlignedStore(b_.CreateAdd(b_.CreateAlignedLoad(int32_, p, llvm::Align(4)), in_lane(value_items, lane)), p,
                          llvm::Align(4));
  };
  const auto done = [&] {
    // A fault of another wave shall find it all.
    b_.CreateFence(llvm::AtomicOrdering::SequentiallyConsistent, llvm::SyncScope::SingleThread);
    b_.CreateBr(on);
  };
  each_lane(to_sum);
  done();
  b_.SetInsertPoint(make);
  const ByLane tag_items = by_lane(tag);
  const auto pointer = [&](Value* lane) {
    Value* high = b_.CreateShl(b_.CreateZExt(in_lane(tag_items, lane), int64_), PendingSums::tag_shift);
    Value* low = b_.CreateShl(b_.CreateZExt(in_lane(place_items, lane), int64_), 2);
    return b_.CreateIntToPtr(b_.CreateOr(high, low), b_.getPtrTy());
  };
  each_lane([&](Value* lane) { b_.CreateAlignedLoad(int32_, pointer(lane), llvm::Align(4), true); });
  each_lane([&](Value* lane) {
    Value* index = b_.CreateZExt(in_lane(place_items, lane), int64_);
    Value *tag_there = b_.CreateGEP(int32_, tags, index), *wanted = in_lane(tag_items, lane);
    Value* there = b_.CreateAlignedLoad(int32_, tag_there, llvm::Align(4));
    auto *taken = new_block(), *free = new_block(), *mine = new_block(), *other = new_block(), *next = new_block();
    b_.CreateCondBr(b_.CreateICmpEQ(there, i32(0)), free, taken);
    b_.SetInsertPoint(free);
    Value *used = field(offsetof(PendingSums, used)), *count = field(offsetof(PendingSums, count));
    Value* n = b_.CreateAlignedLoad(int32_, count, llvm::Align(4));
    b_.CreateAlignedStore(b_.CreateTrunc(index, int16_), b_.CreateGEP(int16_, used, b_.CreateZExt(n, int64_)),
                          llvm::Align(2));
    b_.CreateAlignedStore(b_.CreateAdd(n, i32(1)), count, llvm::Align(4));
    b_.CreateAlignedStore(wanted, tag_there, llvm::Align(4));
    b_.CreateBr(mine);
    b_.SetInsertPoint(taken);
    b_.CreateCondBr(b_.CreateICmpEQ(there, wanted), mine, other);
    b_.SetInsertPoint(mine);
    to_sum(lane);
    b_.CreateBr(next);
    b_.SetInsertPoint(other);
    b_.CreateAtomicRMW(Operation::Add, pointer(lane), in_lane(value_items, lane), llvm::Align(4),
                       llvm::AtomicOrdering::Monotonic);
    b_.CreateBr(next);
    b_.SetInsertPoint(next);
  });
  done();
  give_back({place_items, value_items, tag_items});
  b_.SetInsertPoint(at_once);
}

bool Emitter::memory_atomic(const Uop& op) {
  const isa::Instruction& inst = unit_.instructions[at_].inst;
  const isa::Row& row = isa::row(inst.op);
  const Operation operation = operation_of(row.access);
  const bool two = row.access == isa::Access::atomic_cmpswap, returns = inst.glc;
  const uint32_t dwords = isa::dwords(row.memory);
  if ((operation == Operation::BAD_BINOP && !two) || !dwords || dwords > 2 || row.encoding == isa::Encoding::SCRATCH ||
      exec().kind == Mask::empty || exec().kind == Mask::uniform)
    return false;
  Access a{4 * dwords, false, op.c, nullptr, {}, false, 1};
  const bool at_end = !returns && can_only_end();
  address(op, first_address(op), a);
  if (!dry_)
    guard(b_.CreateNot(misaligned(a)));
  if (a.limit && !dry_)
    guard(all_there(a));
  a.limit = nullptr;
  settle_guards();
  llvm::Type* type = dwords == 2 ? int64_ : int32_;
  Lane old[2];
  for (Lane& l : old)
    l.kind = Lane::vector, l.row.fill(poison(words_));
  if (!dry_) {
    const Places places = places_of(a);
    const auto place = [&](Value* lane) { return place_in_lane(a, places, lane); };
    // Its data, and what to compare with.
    std::vector<Lane> data;
    std::vector<ByLane> items;
    for (uint32_t d = 0; d < dwords * (two ? 2 : 1); ++d) {
      data.push_back(read_lane(op.c + d * machine::vgpr_bytes));
      items.push_back(by_lane(data.back()));
    }
    const auto datum = [&](Value* lane, uint32_t n) {
      Value* low = in_lane(items[n * dwords], lane);
      return dwords == 1 ? low : join_halves(low, in_lane(items[n * dwords + 1], lane));
    };
    std::vector<Value*> before;
    for (uint32_t d = 0; returns && d < dwords; ++d) {
      before.push_back(lane_items());
      by_row(before.back(),
             [&](int, Value* p) { b_.CreateAlignedStore(llvm::Constant::getNullValue(words_), p, llvm::Align(64)); });
    }
    const llvm::MaybeAlign align(a.bytes);
    const auto relaxed = llvm::AtomicOrdering::Monotonic;
    const auto each = [&] {
      // What is not there is met before anything has changed.
      each_lane([&](Value* lane) { b_.CreateAlignedLoad(type, place(lane), align, true); });
      each_lane([&](Value* lane) {
        Value* there = nullptr;
        if (two)
          there = b_.CreateExtractValue(
              b_.CreateAtomicCmpXchg(place(lane), datum(lane, 1), datum(lane, 0), align, relaxed, relaxed), 0);
        else
          there = b_.CreateAtomicRMW(operation, place(lane), datum(lane, 0), align, relaxed);
        for (uint32_t d = 0; d < before.size(); ++d)
          b_.CreateAlignedStore(b_.CreateTrunc(d ? b_.CreateLShr(there, 32) : there, int32_),
                                b_.CreateGEP(int32_, before[d], lane), llvm::Align(4));
      });
    };
    const auto reduction = returns || two ? llvm::Intrinsic::not_intrinsic : reduction_of(operation);
    if (reduction == llvm::Intrinsic::not_intrinsic) {
      each();
    } else {
      Value* mask = mask_bits(exec());
      Value* first = b_.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, mask, b_.getFalse());
      first = b_.CreateAnd(first, i64(63)); // of no lanes, any
      const auto [one, many, on] = fork(one_place(a, first));
      // The data become one; the lane that begins takes part in it once more where that changes nothing.
      const bool sums = reduction == llvm::Intrinsic::vector_reduce_add || operation == Operation::Xor;
      Value *sum = nullptr, *none = sums ? llvm::Constant::getNullValue(type) : datum(first, 0);
      const auto fold = [&](Value* x, Value* y) {
        switch (operation) {
          using enum Operation;
        case Min: return b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, x, y);
        case UMin: return b_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, x, y);
        case Max: return b_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, x, y);
        case UMax: return b_.CreateBinaryIntrinsic(llvm::Intrinsic::umax, x, y);
        case And: return b_.CreateAnd(x, y);
        case Or: return b_.CreateOr(x, y);
        case Xor: return b_.CreateXor(x, y);
        default: return b_.CreateAdd(x, y);
        }
      };
      for (int r = 0; r < rows; ++r) {
        Value* items_of_row = row_of(data[0], r);
        if (dwords == 2)
          items_of_row = join_halves(items_of_row, row_of(data[1], r));
        items_of_row = b_.CreateSelect(mask_row(exec(), r), items_of_row, b_.CreateVectorSplat(16, none));
        sum = sum ? fold(sum, items_of_row) : items_of_row;
      }
      const auto if_any = llvm::BasicBlock::Create(c_, "", function_);
      b_.CreateCondBr(b_.CreateIsNotNull(mask), if_any, on);
      b_.SetInsertPoint(if_any);
      b_.CreateAtomicRMW(operation, place(first), b_.CreateUnaryIntrinsic(reduction, sum), align, relaxed);
      b_.CreateBr(on);
      b_.SetInsertPoint(many);
      if (at_end && ranges_ && dwords == 1 && reduction == llvm::Intrinsic::vector_reduce_add) {
        Rows values;
        for (int r = 0; r < rows; ++r)
          values[size_t(r)] = operation == Operation::Sub ? b_.CreateNeg(row_of(data[0], r)) : row_of(data[0], r);
        add_later(a, values, on);
      }
      each();
      b_.CreateBr(on);
      b_.SetInsertPoint(on);
    }
    for (uint32_t d = 0; d < before.size(); ++d)
      by_row(before[d],
             [&](int r, Value* p) { old[d].row[size_t(r)] = b_.CreateAlignedLoad(words_, p, llvm::Align(64)); });
    free_items_.insert(free_items_.end(), before.begin(), before.end());
    give_back({places.offset, places.high});
    for (const ByLane& v : items)
      give_back({v});
  }
  for (uint32_t d = 0; returns && d < dwords; ++d)
    write_lane(op.dst + d * machine::vgpr_bytes, old[d]);
  st_.stored = true;
  if (!at_end) // what is done is done
    checkpoint_behind();
  return true;
}

} // namespace crosslane::jit
