// Data that lanes take from each other by the LDS unit: ds_swizzle_b32, whose pattern is in the instruction, and
// ds_permute_b32 and ds_bpermute_b32, whose pattern is data. Lanes that EXEC has not are read as 0.
#include "cross_lane/control.h"
#include "jit/compile/by_lane.h"
#include <llvm/IR/IntrinsicsX86.h>

namespace crosslane::jit {

Rows Emitter::in_exec_or_0(Rows v) {
  if (!all_lanes())
    for (int r = 0; r < rows; ++r)
      v[size_t(r)] = b_.CreateSelect(mask_row(exec(), r), v[size_t(r)], llvm::Constant::getNullValue(words_));
  return v;
}

// Lanes read within their half of the wave.
bool Emitter::swizzle(const Uop& op) {
  const isa::Instruction& inst = unit_.instructions[at_].inst;
  const auto from = cross_lane::swizzle_sources(uint32_t(inst.imm), isa::info(inst.target).generation);
  const Rows source = in_exec_or_0(rows_at(op.a));
  Rows out;
  for (int r = 0; r < rows; ++r) {
    llvm::SmallVector<int, 16> index;
    llvm::SmallVector<llvm::Constant*, 16> read;
    for (int i = 0; i < 16; ++i) {
      const int lane = from[size_t(16 * r + i)];
      if (lane >= 0 && lane / 32 != r / 2)
        return false;
      index.push_back(lane < 0 ? 0 : lane % 32), read.push_back(b_.getInt1(lane >= 0));
    }
    Value* moved = b_.CreateShuffleVector(source[size_t(r & ~1)], source[size_t(r | 1)], index);
    out[size_t(r)] = b_.CreateSelect(llvm::ConstantVector::get(read), moved, llvm::Constant::getNullValue(words_));
  }
  write_rows(op.dst, out);
  return true;
}

// "Pull": each lane gets the data of a lane that it names. Where the host permutes no more than 8 lanes, from memory.
bool Emitter::pull(const Uop& op) {
  const Rows data = in_exec_or_0(rows_at(op.c)), address = rows_at(op.a);
  Rows out;
  const auto lane_of = [&](int r) {
    return b_.CreateLShr(b_.CreateAdd(address[size_t(r)], splat(i32(uint32_t(op.imm)))), uint64_t(2));
  };
  if (dry_) {
    out.fill(poison(words_));
  } else if (!is_narrow()) {
    for (int r = 0; r < rows; ++r) {
      Value* lane = lane_of(r);
      const auto of_half = [&](size_t half) -> Value* {
        return b_.CreateIntrinsic(llvm::Intrinsic::x86_avx512_vpermi2var_d_512, {},
                                  {data[2 * half], lane, data[2 * half + 1]});
      };
      Value* is_high = b_.CreateICmpNE(b_.CreateAnd(lane, splat(i32(32))), llvm::Constant::getNullValue(words_));
      out[size_t(r)] = b_.CreateSelect(is_high, of_half(1), of_half(0));
    }
  } else {
    const ByLane items = by_lane(data);
    for (int r = 0; r < rows; ++r) {
      Value* lane = b_.CreateAnd(lane_of(r), splat(i32(63)));
      out[size_t(r)] = b_.CreateMaskedGather(words_, b_.CreateGEP(int32_, items.items, lane), llvm::Align(4));
    }
    give_back({items});
  }
  write_rows(op.dst, out);
  return true;
}

// "Push": each lane gives its data to a lane that it names; of several the highest wins, of none it is 0.
bool Emitter::push(const Uop& op) {
  const Rows data = rows_at(op.c), address = rows_at(op.a);
  Rows out;
  out.fill(dry_ ? poison(words_) : nullptr);
  const auto to = [&](int r) {
    Value* sum = b_.CreateAdd(address[size_t(r)], splat(i32(uint32_t(op.imm))));
    return b_.CreateAnd(b_.CreateLShr(sum, uint64_t(2)), splat(i32(63)));
  };
  if (!dry_) {
    Rows zero;
    zero.fill(llvm::Constant::getNullValue(words_));
    const ByLane slots = by_lane(zero);
    if (!is_narrow()) {
      for (int r = 0; r < rows; ++r)
        b_.CreateMaskedScatter(data[size_t(r)], b_.CreateGEP(int32_, slots.items, to(r)), llvm::Align(4),
                               mask_row(exec(), r)); // in the order of its lanes
    } else {
      const ByLane items = by_lane(data), places = by_lane(Rows{to(0), to(1), to(2), to(3)});
      each_lane([&](Value* lane) {
        b_.CreateAlignedStore(in_lane(items, lane), b_.CreateGEP(int32_, slots.items, in_lane(places, lane)),
                              llvm::Align(4));
      });
      give_back({items, places});
    }
    by_row(slots.items, [&](int r, Value* p) { out[size_t(r)] = b_.CreateAlignedLoad(words_, p, llvm::Align(64)); });
    give_back({slots});
  }
  write_rows(op.dst, out);
  return true;
}

} // namespace crosslane::jit
