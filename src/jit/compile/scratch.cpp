// The private segment, as code without optimization has its variables there, and all code its arrays: buffers of the
// launch's own, whose dwords are lines of 256 bytes, one dword of each lane. An offset that is the same for all lanes
// is a whole register, which is loaded and stored as such; others are gathered and scattered. Nothing else lies there,
// and no other wave comes to it.
#include "isa/operands.h"
#include "jit/compile/access.h"

namespace crosslane::jit {

using machine::Wave;

namespace {

uint32_t number(uint32_t offset) { return (offset - machine::sgpr_offset(0)) / 4; }

} // namespace

// Whether a store goes over what was read in this block since the last checkpoint, or may.
bool Emitter::overwrites_private(const PrivateLine& to) const {
  if (private_read_before_)
    return true;
  // From the same base?
  const auto written = [&](uint32_t from) {
    for (uint32_t i = from; i < at_; ++i)
      for (const isa::Operand& o : isa::operands(unit_.instructions[i].inst))
        for (uint32_t n = o.first; o.written && o.file == isa::RegisterFile::scalar && n < o.first + o.dwords; ++n)
          if (n == to.offset_register || n - to.resource < 4)
            return true;
    return false;
  };
  for (const PrivateLine& read : private_read_)
    if (read.resource != to.resource || read.offset_register != to.offset_register || written(read.at) ||
        (read.from < to.to && to.from < read.to))
      return true;
  return false;
}

// Whether what has an offset in a VGPR is taken to be in the private segment: if all buffers of the kernel are that
// one, or this one is accessed without such an offset, too, as variables are.
bool Emitter::is_private_resource(uint32_t sgpr) const {
  bool all = true;
  for (const auto& i : unit_.instructions) {
    if (isa::row(i.inst.op).encoding != isa::Encoding::MUBUF || i.inst.srsrc == isa::code::none || i.inst.idxen)
      continue;
    if (i.inst.srsrc == sgpr && !i.inst.offen)
      return true;
    all = all && i.inst.srsrc == sgpr;
  }
  return all;
}

// Where the items are from the buffer's base on, lane by lane; `room`: so many bytes has each lane.
Lane Emitter::private_place(const Lane& offset, uint32_t imm, uint32_t bytes, Value* room) {
  const auto splat_if = [&](Value* v, bool vector) { return vector ? splat(v) : v; };
  // Inside, and each in one dword or in whole ones.
  const auto fits = [&](Value* at, bool vector) {
    Value* inside = b_.CreateICmpULE(at, splat_if(b_.CreateSub(room, i32(bytes)), vector));
    Value* in_dword = b_.CreateAnd(at, splat_if(i32(3), vector));
    return b_.CreateAnd(inside, b_.CreateICmpULE(in_dword, splat_if(i32(bytes < 4 ? 4 - bytes : 0), vector)));
  };
  const auto swizzled = [&](Value* at, bool vector) {
    return b_.CreateOr(b_.CreateShl(b_.CreateAnd(at, splat_if(i32(~3u), vector)), uint64_t(6)),
                       b_.CreateAnd(at, splat_if(i32(3), vector)));
  };
  guard(b_.CreateICmpUGE(room, i32(bytes)));
  Lane out;
  if (offset.uniform()) {
    Value* at = b_.CreateAdd(offset.base, i32(imm));
    guard(fits(at, false));
    out.kind = Lane::affine, out.no_wrap = true, out.base = swizzled(at, false), out.column = 4;
    out.fixed = {0, 64, 128};
    return out;
  }
  out.kind = Lane::vector, out.row.fill(poison(words_));
  for (int r = 0; r < rows; ++r) {
    Value* at = dry_ ? poison(words_) : b_.CreateAdd(row_of(offset, r), splat(i32(imm)));
    guard(b_.CreateAndReduce(b_.CreateOr(fits(at, true), b_.CreateNot(mask_row(exec(), r)))));
    out.row[size_t(r)] = b_.CreateAdd(swizzled(at, true), b_.CreateAdd(iota(4), splat(i32(uint32_t(r) * 64))));
  }
  return out;
}

// Dword by dword.
void Emitter::private_items(Access a, bool stores) {
  const uint32_t dwords = a.dwords();
  a.bytes = std::min(a.bytes, 4u), a.align = a.bytes;
  for (uint32_t d = 0; d < dwords; ++d) {
    if (stores)
      store({a});
    else
      load(a);
    a.data += machine::vgpr_bytes;
    a.base = b_.CreateAdd(a.base, i64(machine::vgpr_bytes));
  }
}

bool Emitter::private_buffer(const Uop& op) {
  const isa::Instruction& inst = unit_.instructions[at_].inst;
  const isa::Row& row = isa::row(inst.op);
  const bool stores = stores_item(row.access);
  const bool is_signed = row.memory == isa::Type::I8 || row.memory == isa::Type::I16;
  const uint32_t bytes = stores || loads_item(row.access) ? item_bytes(row.memory) : 0;
  const Access::Part part = Access::part_of(row.access);
  const bool scattered = inst.offen || part != Access::Part::whole; // the offset, or as if it were
  const auto imm = uint32_t(op.imm), in_dword = imm % 4;
  if (!bytes || inst.lds || inst.tfe || inst.addr64 || inst.idxen || unit_.instructions[at_].count != 1 ||
      exec().kind == Mask::uniform || (inst.offen && !is_private_resource(inst.srsrc)) ||
      (!scattered && (bytes < 4 ? in_dword + bytes > 4 : in_dword != 0)))
    return false;
  const uint32_t resource = number(op.b), dwords = (bytes + 3) / 4;
  if (resource + 4 > 2 * pair_count)
    return false;
  // As the interpreter asks (is_private() in engine/memory/buffer.h).
  const bool gfx9 = isa::info(inst.target).generation >= isa::Generation::gfx9;
  Value *high = read_scalar(resource + 1), *flags = read_scalar(resource + 3);
  Value* start = b_.CreateOr(b_.CreateZExt(read_scalar(resource), int64_),
                             b_.CreateShl(b_.CreateZExt(b_.CreateAnd(high, i32(0xffff)), int64_), uint64_t(32)));
  Value* offset = scalar_at(uint32_t(op.k1), op.k1 >> 32);
  guard(b_.CreateICmpEQ(b_.CreateAnd(high, i32(0xffff0000)), i32(0x80000000)));
  guard(b_.CreateICmpEQ(b_.CreateAnd(flags, i32(gfx9 ? 0x00e78000 : 0x00ff8000)), i32(gfx9 ? 0x00e00000 : 0x00e80000)));
  if (exec().kind == Mask::empty) // as where functions keep what lanes have that are off
    return true;
  Value* base = b_.CreateAdd(start, b_.CreateZExt(offset, int64_));
  if (!dry_) {
    if (!scratch_)
      at_entry([&]() -> Value* {
        Value* p = b_.CreateAlignedLoad(int64_, wave(offsetof(Wave, scratch)), llvm::Align(8));
        scratch_bytes_ = b_.CreateShl(b_.CreateAlignedLoad(int64_, wave(offsetof(Wave, scratch_bytes)), llvm::Align(8)),
                                      uint64_t(6));
        return scratch_ = p;
      });
    guard(b_.CreateICmpULE(b_.CreateSub(start, scratch_), scratch_bytes_));
    if (scattered)
      guard(b_.CreateICmpULE(b_.CreateSub(base, scratch_), scratch_bytes_));
  }
  Lane place;
  if (scattered) {
    Value* room = dry_ ? poison(int64_) : b_.CreateSub(scratch_bytes_, b_.CreateSub(base, scratch_));
    guard(b_.CreateICmpULT(room, i64(uint64_t(1) << 31))); // so that where dwords are is less
    const Lane offset =
        inst.offen ? read_lane(machine::vgpr_offset(inst.addr - isa::code::vgpr0)) : uniform_lane(i32(0));
    place = private_place(offset, imm, bytes, b_.CreateShl(b_.CreateLShr(b_.CreateTrunc(room, int32_), 8), 2));
  } else if (!dry_) {
    const uint64_t lines = (imm / 4 + dwords) * machine::vgpr_bytes;
    guard(b_.CreateICmpUGE(scratch_bytes_, i64(lines)));
    guard(b_.CreateICmpULE(b_.CreateSub(base, scratch_), b_.CreateSub(scratch_bytes_, i64(lines))));
  }
  const PrivateLine line{at_, resource, number(uint32_t(op.k1)), scattered ? 0 : imm / 4,
                         scattered ? ~0u : imm / 4 + dwords};
  settle_guards(true);
  if (stores && overwrites_private(line)) {
    settle_matrix();
    checkpoint(unit_.instructions[at_].pc);
    forget_read();
  }
  if (!stores)
    private_read_.push_back(line);
  if (scattered) {
    Access a{bytes, is_signed, stores ? op.c : op.dst, base, place, false, 1};
    a.part = part, a.is_private = true;
    private_items(a, stores);
    return true;
  }
  const uint32_t shift = 8 * in_dword, bits = 8 * std::min(bytes, 4u);
  for (uint32_t d = 0; d < dwords; ++d) {
    const uint32_t data = (stores ? op.c : op.dst) + d * machine::vgpr_bytes;
    const Rows from = stores ? rows_at(data) : Rows{};
    Rows out;
    out.fill(poison(words_));
    for (int r = 0; r < rows && !dry_; ++r) {
      Value* p = b_.CreateIntToPtr(b_.CreateAdd(base, i64((imm / 4 + d) * machine::vgpr_bytes + uint64_t(r) * 64)),
                                   b_.getPtrTy());
      const auto load = [&] { return b_.CreateAlignedLoad(words_, p, llvm::Align(4)); };
      Value* v = stores ? from[size_t(r)] : load();
      if (!stores) {
        if (bits < 32) {
          v = b_.CreateShl(v, uint64_t(32 - bits - shift));
          v = is_signed ? b_.CreateAShr(v, uint64_t(32 - bits)) : b_.CreateLShr(v, uint64_t(32 - bits));
        }
        out[size_t(r)] = v;
        continue;
      }
      if (bits < 32) {
        const uint32_t field = ((1u << bits) - 1) << shift;
        v = b_.CreateOr(b_.CreateAnd(load(), splat(i32(~field))),
                        b_.CreateAnd(b_.CreateShl(v, uint64_t(shift)), splat(i32(field))));
      }
      if (all_lanes())
        b_.CreateAlignedStore(v, p, llvm::Align(4));
      else
        b_.CreateMaskedStore(v, p, llvm::Align(4), mask_row(exec(), r));
    }
    if (!stores)
      write_rows(data, out);
  }
  return true;
}

} // namespace crosslane::jit
