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

// "Pull": each lane gets the data of a lane that it names.
bool Emitter::pull(const Uop& op) {
  if (request_.level != "v4")
    return false;
  const Rows data = in_exec_or_0(rows_at(op.c)), address = rows_at(op.a);
  Rows out;
  for (int r = 0; r < rows; ++r) {
    Value* lane = b_.CreateLShr(b_.CreateAdd(address[size_t(r)], splat(i32(uint32_t(op.imm)))), uint64_t(2));
    const auto of_half = [&](size_t half) -> Value* {
      return dry_ ? poison(words_)
                  : b_.CreateIntrinsic(llvm::Intrinsic::x86_avx512_vpermi2var_d_512, {},
                                       {data[2 * half], lane, data[2 * half + 1]});
    };
    Value* is_high = b_.CreateICmpNE(b_.CreateAnd(lane, splat(i32(32))), llvm::Constant::getNullValue(words_));
    out[size_t(r)] = b_.CreateSelect(is_high, of_half(1), of_half(0));
  }
  write_rows(op.dst, out);
  return true;
}

// "Push": each lane gives its data to a lane that it names; of several the highest wins, of none it is 0.
bool Emitter::push(const Uop& op) {
  if (request_.level != "v4")
    return false;
  const Rows data = rows_at(op.c), address = rows_at(op.a);
  Rows out;
  out.fill(dry_ ? poison(words_) : nullptr);
  if (!dry_) {
    Rows zero;
    zero.fill(llvm::Constant::getNullValue(words_));
    const ByLane slots = by_lane(zero);
    for (int r = 0; r < rows; ++r) {
      Value* sum = b_.CreateAdd(address[size_t(r)], splat(i32(uint32_t(op.imm))));
      Value* lane = b_.CreateAnd(b_.CreateLShr(sum, uint64_t(2)), splat(i32(63)));
      b_.CreateMaskedScatter(data[size_t(r)], b_.CreateGEP(int32_, slots.items, lane), llvm::Align(4),
                             mask_row(exec(), r)); // in the order of its lanes
    }
    by_row(slots.items, [&](int r, Value* p) { out[size_t(r)] = b_.CreateAlignedLoad(words_, p, llvm::Align(64)); });
    give_back({slots});
  }
  write_rows(op.dst, out);
  return true;
}

} // namespace crosslane::jit
