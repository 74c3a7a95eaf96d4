// Buffers without formats, besides the private segment: linear ones, whose lanes add an offset to one base, and what
// gfx6 and gfx7 access by whole addresses. Others, which have an index, a swizzle or the lane's number, are calls or
// leave for the interpreter.
#include "jit/compile/access.h"

namespace crosslane::jit {

// Taken for one: a dispatch without a private segment has no other without an index, as good as always.
bool Emitter::is_linear_buffer() const {
  const isa::Instruction& inst = unit_.instructions[at_].inst;
  return isa::row(inst.op).encoding == isa::Encoding::MUBUF &&
         (inst.addr64 || (!request_.private_segment && !inst.idxen));
}

bool Emitter::buffer(const Uop& op) { return is_linear_buffer() ? flat(op) : private_buffer(op); }

void Emitter::buffer_address(const Lane& low, Access& a) {
  const isa::Instruction& inst = unit_.instructions[at_].inst;
  const Uop& op = unit_.uops[unit_.instructions[at_].first].op; // which may be of an address that is staged
  const uint32_t resource = (op.b - machine::sgpr_offset(0)) / 4;
  Value* const high = read_scalar(resource + 1);
  Value* const top = b_.CreateAnd(high, i32(0xffff));
  Value* const soffset = b_.CreateZExt(scalar_at(uint32_t(op.k1), op.k1 >> 32), int64_);
  Value* base =
      b_.CreateOr(b_.CreateZExt(read_scalar(resource), int64_), b_.CreateShl(b_.CreateZExt(top, int64_), uint64_t(32)));
  base = b_.CreateAdd(b_.CreateAdd(base, soffset), i64(inst.imm));
  if (inst.addr64) { // nothing is asked of the resource but its base
    const auto vgpr = uint32_t(inst.addr - isa::code::vgpr0);
    return address_in(machine::vgpr_offset(vgpr), low, base, false, a);
  }
  // As the interpreter asks (view_of() in engine/memory/buffer.cpp). gfx6 and gfx7 count records where there is a
  // stride.
  const isa::Generation generation = isa::info(inst.target).generation;
  Value *const records = read_scalar(resource + 2), *const flags = read_scalar(resource + 3);
  guard(b_.CreateICmpEQ(b_.CreateAnd(high, i32(generation < isa::Generation::gfx8 ? 0xbfff0000 : 0x80000000)), i32(0)));
  guard(b_.CreateICmpEQ(b_.CreateAnd(flags, i32(1u << 23)), i32(0)));
  guard(b_.CreateICmpULT(b_.CreateSub(top, reach_first()), reach_count()));
  a.base = base, a.offset = low;
  if (low.kind == Lane::affine)
    guard(does_not_wrap(low));
  a.limit = b_.CreateSub(b_.CreateZExt(records, int64_), i64(inst.imm));
  if (generation < isa::Generation::gfx9)
    a.limit = b_.CreateSub(a.limit, soffset);
}

} // namespace crosslane::jit
