// Memory: what lies side by side in memory, or at one place, by plain accesses; all else by gathers and scatters.
// Addresses outside of the device's window leave for the interpreter, which knows what they are.
#include "isa/classify.h"
#include "isa/op.h"
#include "jit/compile/corners.h"
#include "jit/compile/emitter.h"
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/MDBuilder.h>

namespace crosslane::jit {

using isa::Type;
using machine::Wave;

namespace {

uint32_t number(uint32_t offset) { return (offset - machine::sgpr_offset(0)) / 4; }

// Bytes of one lane's item; 0: a kind that is called.
uint32_t bytes_of(Type t) {
  switch (t) {
  case Type::I8:
  case Type::U8:
  case Type::B8: return 1;
  case Type::B16:
  case Type::I16:
  case Type::U16:
  case Type::F16: return 2;
  case Type::B32:
  case Type::I32:
  case Type::U32:
  case Type::F32:
  case Type::PkF16: return 4;
  case Type::B64:
  case Type::I64:
  case Type::U64:
  case Type::F64: return 8;
  case Type::B96: return 12;
  case Type::B128: return 16;
  default: return 0;
  }
}

} // namespace

template <class F> Value* Emitter::all_corners(const Lane& l, F f) {
  return b_.CreateAnd(f(l.base), at_corners(b_, l, f));
}

struct Emitter::Access {
  uint32_t bytes;
  bool is_signed;
  uint32_t data; // offset of the first data register
  Value* base;   // i64 or a pointer: what offsets are added to
  Lane offset;   // 32 bits, unsigned, from base
  bool is_volatile;
  uint32_t align;
};

Value* Emitter::reach_first() {
  if (dry_)
    return poison(int32_);
  if (!reach_first_)
    reach_first_ = at_entry_value(offsetof(Wave, reach) + offsetof(machine::Reach, first));
  return reach_first_;
}
Value* Emitter::reach_count() {
  if (dry_)
    return poison(int32_);
  if (!reach_count_)
    reach_count_ = at_entry_value(offsetof(Wave, reach) + offsetof(machine::Reach, count));
  return reach_count_;
}

// Where the first lane of a row accesses memory: of affine offsets, which do not wrap.
Value* Emitter::first_of(const Access& a, int row) {
  Value* offset = b_.CreateZExt(a.offset.base, int64_);
  Value* first = a.base->getType()->isPointerTy() ? b_.CreateGEP(b_.getInt8Ty(), a.base, offset)
                                                  : b_.CreateIntToPtr(b_.CreateAdd(a.base, offset), b_.getPtrTy());
  if (const int64_t offset = a.offset.offset(row))
    first = b_.CreateGEP(b_.getInt8Ty(), first, i64(uint64_t(offset)));
  const uint32_t times = a.offset.times(row);
  if (!a.offset.dynamic || !times)
    return first;
  return b_.CreateGEP(b_.getInt8Ty(), first, b_.CreateMul(b_.CreateSExt(a.offset.step, int64_), i64(times)));
}

// The bytes that an access of affine addresses may touch, from and to.
std::pair<Value*, Value*> Emitter::interval(const Access& a) {
  const Lane& l = a.offset;
  Value* first = b_.CreatePtrToInt(first_of(a, 0), int64_);
  Value *from = b_.CreateAdd(first, i64(uint64_t(below(l)))),
        *to = b_.CreateAdd(first, i64(uint64_t(above(l)) + a.bytes));
  if (l.dynamic && !dry_) {
    Value* step = b_.CreateMul(b_.CreateSExt(l.step, int64_), i64(l.times(rows - 1)));
    from = b_.CreateAdd(from, b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, step, i64(0)));
    to = b_.CreateAdd(to, b_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, step, i64(0)));
  }
  return {from, to};
}

void Emitter::has_read(Value* from, Value* to) {
  if (st_.loaded == State::anything)
    return;
  st_.loaded = State::intervals;
  if (!dry_)
    st_.read.push_back({from, to});
}
void Emitter::has_read(const Access& a) {
  if (a.offset.kind == Lane::affine && !dry_) {
    const auto [from, to] = interval(a);
    has_read(from, to);
  } else if (a.offset.kind == Lane::affine) {
    has_read(nullptr, nullptr);
  } else {
    st_.loaded = State::anything, st_.read.clear();
  }
}

// A store that may overwrite what a replay would read again needs the Wave as it is now. Whether it does is asked where
// the intervals are known.
void Emitter::about_to_store(const Access& a) {
  settle_guards();
  if (st_.loaded == State::nothing)
    return;
  const uint32_t pc = unit_.instructions[at_].pc;
  if (st_.loaded == State::anything || a.offset.kind != Lane::affine) {
    checkpoint(pc);
    forget_read();
    return;
  }
  if (dry_)
    return;
  const auto [from, to] = interval(a);
  Value* apart = b_.getTrue();
  for (const auto& [low, high] : st_.read)
    apart = b_.CreateAnd(apart, b_.CreateOr(b_.CreateICmpULE(high, from), b_.CreateICmpULE(to, low)));
  auto* overlaps = llvm::BasicBlock::Create(c_, "", function_);
  auto* on = llvm::BasicBlock::Create(c_, "", function_);
  b_.CreateCondBr(apart, on, overlaps, llvm::MDBuilder(c_).createBranchWeights(1000, 1));
  b_.SetInsertPoint(overlaps);
  const State kept = st_;
  checkpoint(pc);
  st_ = kept; // on one way only
  b_.CreateBr(on);
  b_.SetInsertPoint(on);
}

bool Emitter::scalar_memory(const Uop& op) {
  const isa::Instruction& inst = unit_.instructions[at_].inst;
  const isa::Row& row = isa::row(inst.op);
  if (row.access != isa::Access::load || row.src[0] == Type::B128 || isa::is_scalar_scratch(inst.op))
    return false;
  const uint32_t count = uint32_t(isa::dwords(row.memory)), to = number(op.dst);
  if (!count || to + count > 106 || op.a == machine::sgpr_offset(machine::scalar_zero))
    return false;
  const uint32_t at = number(op.a);
  const bool arguments = int32_t(at) == request_.arguments && st_.s[at].kind == Scalar::wave &&
                         st_.s[at + 1].kind == Scalar::wave &&
                         (at >= 2 * pair_count || st_.m[at / 2].kind == Mask::none);
  Value* base = b_.CreateAnd(scalar64_at(op.a, 0), i64(~uint64_t(3)));
  Value* offset = b_.CreateAnd(b_.CreateZExt(read_scalar(number(op.b)), int64_), i64(~uint64_t(3)));
  Value* address = b_.CreateAdd(base, b_.CreateAdd(i64(op.k0), offset));
  // As far from the window as an offset goes, nothing is mapped.
  guard(b_.CreateICmpULT(b_.CreateSub(read_scalar(at + 1), reach_first()), reach_count()));
  if (!arguments)
    settle_guards();
  std::vector<Value*> loaded;
  for (uint32_t i = 0; i < count; ++i) {
    Value* v = poison(int32_);
    if (!dry_) {
      Value* p = b_.CreateIntToPtr(b_.CreateAdd(address, i64(4 * i)), b_.getPtrTy());
      // What nobody reads may fault all the same.
      v = b_.CreateAlignedLoad(int32_, p, llvm::Align(4), inst.glc || is_unread(scalar_slot(to + i)));
    }
    loaded.push_back(v);
  }
  for (uint32_t i = 0; i < count; ++i)
    write_scalar(to + i, loaded[i]);
  // Nobody writes to the arguments of a kernel.
  if (!arguments)
    has_read(address, b_.CreateAdd(address, i64(4 * count)));
  return true;
}

// Of a row of lanes. LDS is small: there offsets are signed numbers as well, which is how gathers take 32 bits.
Value* Emitter::pointers(const Access& a, Value* offsets, uint32_t add) {
  if (a.base->getType()->isPointerTy())
    return b_.CreateGEP(b_.getInt8Ty(), a.base, b_.CreateAdd(offsets, splat(i32(add))));
  Value* wide = b_.CreateAdd(b_.CreateZExt(offsets, wide_), b_.CreateVectorSplat(16, b_.CreateAdd(a.base, i64(add))));
  return b_.CreateIntToPtr(wide, llvm::FixedVectorType::get(b_.getPtrTy(), 16));
}

void Emitter::load(const Access& a) {
  const uint32_t dwords = (a.bytes + 3) / 4;
  settle_guards();
  has_read(a);
  llvm::Type* item = a.bytes == 1 ? b_.getInt8Ty() : a.bytes == 2 ? int16_ : int32_;
  const auto widened = [&](Value* v, llvm::Type* to) {
    return a.bytes >= 4 ? v : a.is_signed ? b_.CreateSExt(v, to) : b_.CreateZExt(v, to);
  };
  // One place for all lanes.
  if (a.offset.uniform() && exec().kind != Mask::rows && exec().kind != Mask::uniform) {
    for (uint32_t d = 0; d < dwords; ++d) {
      Value* v = poison(int32_);
      if (!dry_) {
        Value* p = b_.CreateConstGEP1_32(b_.getInt8Ty(), first_of(a, 0), 4 * d);
        v = widened(b_.CreateAlignedLoad(item, p, llvm::Align(a.align), a.is_volatile), int32_);
      }
      write_lane(a.data + d * machine::vgpr_bytes, uniform_lane(v));
    }
    return;
  }
  std::vector<Rows> out(dwords);
  const bool side_by_side = a.offset.kind == Lane::affine && uint32_t(a.offset.column) == a.bytes;
  const bool one_place = a.offset.kind == Lane::affine && !a.offset.column;
  const Rows offsets = a.offset.kind == Lane::affine ? Rows{} : rows_of(a.offset);
  for (int r = 0; r < rows; ++r) {
    if (dry_) {
      for (uint32_t d = 0; d < dwords; ++d)
        out[d][size_t(r)] = poison(words_);
      continue;
    }
    Value* mask = mask_row(exec(), r);
    const bool full = exec().kind == Mask::full;
    if (side_by_side) {
      Value* p = first_of(a, r);
      if (dwords == 1) {
        llvm::Type* type = llvm::FixedVectorType::get(item, 16);
        Value* v = full ? static_cast<Value*>(b_.CreateAlignedLoad(type, p, llvm::Align(a.align), a.is_volatile))
                        : b_.CreateMaskedLoad(type, p, llvm::Align(a.align), mask, llvm::Constant::getNullValue(type));
        out[0][size_t(r)] = widened(v, words_);
        continue;
      }
      llvm::Type* type = llvm::FixedVectorType::get(int32_, 16 * dwords);
      Value* v;
      if (full) {
        v = b_.CreateAlignedLoad(type, p, llvm::Align(a.align), a.is_volatile);
      } else {
        llvm::SmallVector<int, 64> spread;
        for (uint32_t i = 0; i < 16 * dwords; ++i)
          spread.push_back(int(i / dwords));
        v = b_.CreateMaskedLoad(type, p, llvm::Align(a.align), b_.CreateShuffleVector(mask, spread),
                                llvm::Constant::getNullValue(type));
      }
      for (uint32_t d = 0; d < dwords; ++d) {
        llvm::SmallVector<int, 16> pick;
        for (uint32_t i = 0; i < 16; ++i)
          pick.push_back(int(i * dwords + d));
        out[d][size_t(r)] = b_.CreateShuffleVector(v, pick);
      }
      continue;
    }
    if (one_place && full) {
      Value* p = first_of(a, r);
      for (uint32_t d = 0; d < dwords; ++d) {
        Value* q = b_.CreateConstGEP1_32(b_.getInt8Ty(), p, 4 * d);
        out[d][size_t(r)] = splat(widened(b_.CreateAlignedLoad(item, q, llvm::Align(a.align), a.is_volatile), int32_));
      }
      continue;
    }
    const Rows all = a.offset.kind == Lane::affine ? rows_of(a.offset) : offsets;
    for (uint32_t d = 0; d < dwords; ++d) {
      Value* p = pointers(a, all[size_t(r)], 4 * d);
      llvm::Type* type = llvm::FixedVectorType::get(item, 16);
      Value* v = b_.CreateMaskedGather(type, p, llvm::Align(a.align), mask, llvm::Constant::getNullValue(type));
      out[d][size_t(r)] = widened(v, words_);
    }
  }
  for (uint32_t d = 0; d < dwords; ++d)
    write_rows(a.data + d * machine::vgpr_bytes, out[d]);
}

// Row by row, as the interpreter does: what overlaps between lanes is what was stored last.
void Emitter::store(std::initializer_list<Access> all) {
  for (const Access& a : all)
    about_to_store(a);
  st_.stored = true;
  for (int r = 0; r < rows && !dry_; ++r)
    for (const Access& a : all)
      store_row(a, r);
}

void Emitter::store_row(const Access& a, int r) {
  const uint32_t dwords = (a.bytes + 3) / 4;
  std::vector<Value*> data(dwords);
  for (uint32_t d = 0; d < dwords; ++d)
    data[d] = row_of(read_lane(a.data + d * machine::vgpr_bytes), r);
  llvm::Type* item = a.bytes == 1 ? b_.getInt8Ty() : a.bytes == 2 ? int16_ : int32_;
  llvm::Type* items = llvm::FixedVectorType::get(item, 16);
  const bool side_by_side = a.offset.kind == Lane::affine && uint32_t(a.offset.column) == a.bytes;
  const bool full = exec().kind == Mask::full;
  Value* mask = mask_row(exec(), r);
  if (side_by_side) {
    Value* p = first_of(a, r);
    Value* v = data[0];
    Value* wide_mask = mask;
    if (dwords == 1) {
      v = b_.CreateTrunc(v, items);
    } else {
      // Dword d of lane i is item i * dwords + d.
      const uint32_t width = dwords == 2 ? 2 : 4;
      llvm::SmallVector<int, 64> join;
      for (int i = 0; i < 32; ++i)
        join.push_back(i);
      Value* low = b_.CreateShuffleVector(data[0], data[1], join);
      Value* high = low;
      if (width == 4)
        high = b_.CreateShuffleVector(data[2], data[dwords == 4 ? 3 : 2], join);
      llvm::SmallVector<int, 64> weave, spread;
      for (uint32_t i = 0; i < 16 * dwords; ++i) {
        weave.push_back(int(i % dwords * 16 + i / dwords));
        spread.push_back(int(i / dwords));
      }
      if (width == 2) {
        v = b_.CreateShuffleVector(low, weave);
      } else {
        v = b_.CreateShuffleVector(low, high, weave);
      }
      if (!full)
        wide_mask = b_.CreateShuffleVector(mask, spread);
    }
    if (full)
      b_.CreateAlignedStore(v, p, llvm::Align(a.align), a.is_volatile);
    else
      b_.CreateMaskedStore(v, p, llvm::Align(a.align), wide_mask);
    return;
  }
  for (uint32_t d = 0; d < dwords; ++d) {
    Value* p = pointers(a, row_of(a.offset, r), 4 * d);
    b_.CreateMaskedScatter(b_.CreateTrunc(data[d], items), p, llvm::Align(a.align), mask);
  }
}

bool Emitter::flat(const Uop& op) {
  const isa::Instruction& inst = unit_.instructions[at_].inst;
  const isa::Row& row = isa::row(inst.op);
  const bool loads = row.access == isa::Access::load, stores = row.access == isa::Access::store;
  const uint32_t bytes = bytes_of(row.memory);
  if ((!loads && !stores) || !bytes || inst.lds || row.encoding == isa::Encoding::SCRATCH ||
      exec().kind == Mask::empty || exec().kind == Mask::uniform)
    return false;
  Access a{bytes,
           row.memory == Type::I8 || row.memory == Type::I16,
           loads ? op.dst : op.c,
           nullptr,
           {},
           inst.glc || inst.slc,
           1};
  const Lane low = read_lane(op.a);
  // What other waves may be waiting for or telling is accessed each time; masked accesses do not promise that.
  if (a.is_volatile && (exec().kind != Mask::full || low.kind != Lane::affine))
    return false;
  // What nobody reads may fault all the same, and must not be left out.
  if (loads) {
    const uint32_t dwords = (bytes + 3) / 4;
    uint32_t unread = 0;
    for (uint32_t d = 0; d < dwords; ++d)
      unread += is_unread(live_lane(lane_index(op.dst + d * machine::vgpr_bytes)));
    if (exec().kind == Mask::full && low.kind == Lane::affine)
      a.is_volatile = a.is_volatile || unread;
    else if (unread == dwords)
      return false;
  }
  // Between lanes that overlap the order of dwords would show.
  if (stores && bytes > 4 && (low.kind != Lane::affine || uint32_t(low.column) != bytes))
    return false;
  if (isa::is_scalar_register(inst.saddr)) {
    Value* base = b_.CreateAdd(scalar64_at(op.b, 0), i64(op.k0));
    // Any address that a 32-bit offset makes of it is within the window, or where nothing is mapped.
    Value* high = b_.CreateTrunc(b_.CreateLShr(base, 32), int32_);
    guard(
        b_.CreateICmpULT(b_.CreateSub(high, b_.CreateSub(reach_first(), i32(1))), b_.CreateAdd(reach_count(), i32(1))));
    a.base = base;
  } else {
    const Lane high = read_lane(op.a + machine::vgpr_bytes);
    Value* top;
    if (high.uniform()) {
      top = high.base;
    } else {
      // One high half for all lanes, as good as always.
      const Rows h = rows_of(high);
      top = dry_ ? poison(int32_) : b_.CreateExtractElement(h[0], uint64_t(0));
      if (exec().kind != Mask::full)
        return false;
      for (int r = 0; r < rows && !dry_; ++r)
        guard(b_.CreateNot(b_.CreateOrReduce(b_.CreateICmpNE(h[size_t(r)], splat(top)))));
    }
    guard(b_.CreateICmpULT(b_.CreateSub(top, reach_first()), reach_count()));
    a.base = b_.CreateAdd(b_.CreateShl(b_.CreateZExt(top, int64_), 32), i64(op.k0));
  }
  a.offset = low;
  if (low.kind == Lane::affine)
    guard(does_not_wrap(low));
  if (loads)
    load(a);
  else
    store({a});
  return true;
}

// One item of LDS per lane. What is not wholly inside of the workgroup's leaves for the interpreter.
Emitter::Access Emitter::lds_item(const Uop& op, uint32_t bytes, bool is_signed, uint32_t add, uint32_t data) {
  const Lane address = read_lane(op.a);
  const auto aligned = uint32_t(op.k0); // ~0, or the mask of what addresses keep
  Lane offset = *sum(uniform_lane(i32(0)), uniform_lane(i32(0)), false, nullptr);
  if (address.kind == Lane::affine) {
    offset = *sum(address, uniform_lane(i32(add)), false, nullptr);
  } else {
    offset = address;
    for (Value*& r : offset.row)
      r = b_.CreateAnd(b_.CreateAdd(r, splat(i32(add))), splat(i32(aligned)));
  }
  if (!dry_) {
    if (!lds_base_) {
      at_entry([&]() -> Value* {
        Value* group = b_.CreateAlignedLoad(b_.getPtrTy(), wave(offsetof(Wave, workgroup)), llvm::Align(8));
        const auto field = [&](uint64_t at) { return b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), group, at); };
        lds_base_ = b_.CreateAlignedLoad(b_.getPtrTy(), field(offsetof(machine::Workgroup, lds)), llvm::Align(8));
        lds_bytes_ = b_.CreateAlignedLoad(int32_, field(offsetof(machine::Workgroup, lds_bytes)), llvm::Align(4));
        return lds_base_;
      });
    }
    Value* limit = lds_bytes_;
    if (!op.aux)
      limit = b_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, limit, read_scalar(isa::code::m0));
    guard(b_.CreateICmpUGE(limit, i32(bytes)));
    Value* last = b_.CreateSub(limit, i32(bytes));
    if (offset.kind == Lane::affine) {
      guard(does_not_wrap(offset));
      guard(all_corners(offset, [&](Value* v) { return b_.CreateICmpULE(v, last); }));
      if (~aligned)
        guard(all_corners(offset, [&](Value* v) { return b_.CreateICmpEQ(b_.CreateAnd(v, i32(~aligned)), i32(0)); }));
    } else {
      for (int r = 0; r < rows; ++r) {
        Value* beyond = b_.CreateAnd(b_.CreateICmpUGT(offset.row[size_t(r)], splat(last)), mask_row(exec(), r));
        guard(b_.CreateNot(b_.CreateOrReduce(beyond)));
      }
    }
  } else if (!op.aux) {
    read_scalar(isa::code::m0);
  }
  return {bytes, is_signed, data, dry_ ? poison(b_.getPtrTy()) : lds_base_, offset, false, 1};
}

bool Emitter::lds(const Uop& op) {
  const isa::Instruction& inst = unit_.instructions[at_].inst;
  const isa::Row& row = isa::row(inst.op);
  using enum isa::Access;
  const uint32_t bytes = bytes_of(row.memory);
  if (!bytes || inst.gds || exec().kind == Mask::empty || exec().kind == Mask::uniform || !isa::is_vgpr(inst.addr))
    return false;
  const bool is_signed = row.memory == Type::I8 || row.memory == Type::I16;
  const bool scattered = read_lane(op.a).kind != Lane::affine;
  const auto add = uint32_t(op.imm), add1 = uint32_t(op.k1 >> 32), data1 = uint32_t(op.k1);
  // Between lanes that overlap the order of dwords would show.
  const auto can_store = [&](uint32_t n) { return n <= 4 || (!scattered && uint32_t(read_lane(op.a).column) == n); };
  switch (row.access) {
  case isa::Access::load: this->load(lds_item(op, bytes, is_signed, add, op.dst)); return true;
  case isa::Access::store:
    if (row.src[0] == Type::None || !can_store(bytes))
      return false;
    this->store({lds_item(op, bytes, is_signed, add, op.c)});
    return true;
  case load2:
  case load2_st64: {
    // The address may be among what the first load writes.
    if (~uint32_t(op.k0) && add1 == add + bytes)
      return false; // aligned as one item
    const uint32_t dwords = bytes / 4;
    const Lane address = read_lane(op.a);
    this->load(lds_item(op, bytes, false, add, op.dst));
    if (op.a < op.dst || op.a >= op.dst + dwords * machine::vgpr_bytes) {
      this->load(lds_item(op, bytes, false, add1, op.dst + dwords * machine::vgpr_bytes));
      return true;
    }
    const uint32_t index = lane_index(op.a);
    const Lane loaded = st_.v[index];
    st_.v[index] = address;
    this->load(lds_item(op, bytes, false, add1, op.dst + dwords * machine::vgpr_bytes));
    st_.v[index] = loaded;
    return true;
  }
  case store2:
  case store2_st64:
    if (add1 == add || !can_store(bytes) || (~uint32_t(op.k0) && add1 == add + bytes))
      return false;
    this->store({lds_item(op, bytes, false, add, op.c), lds_item(op, bytes, false, add1, data1)});
    return true;
  default: return false;
  }
}

} // namespace crosslane::jit
