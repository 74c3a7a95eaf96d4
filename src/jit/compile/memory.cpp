// Memory: what lies side by side in memory, or at one place, by plain accesses; all else by gathers and scatters.
// Addresses outside of the device's window leave for the interpreter, which knows what they are.
#include "isa/classify.h"
#include "isa/op.h"
#include "isa/operands.h"
#include "jit/compile/access.h"
#include "jit/compile/corners.h"
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/MDBuilder.h>

namespace crosslane::jit {

using isa::Type;
using machine::Wave;

namespace {

uint32_t vgpr_at(uint16_t code) { return machine::vgpr_offset(uint32_t(code - isa::code::vgpr0)); }
uint32_t number(uint32_t offset) { return (offset - machine::sgpr_offset(0)) / 4; }

} // namespace

uint32_t item_bytes(Type t) {
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

template <class F> Value* Emitter::all_corners(const Lane& l, F f) {
  return b_.CreateAnd(f(l.base), at_corners(b_, l, f));
}

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

// The bytes that an access of affine addresses may touch, from and to.
std::pair<Value*, Value*> Emitter::interval(const Access& a) {
  const Lane& l = a.offset;
  Value* first = b_.CreatePtrToInt(first_of(a, 0), int64_);
  Value *from = b_.CreateAdd(first, i64(uint64_t(below(l)))),
        *to = b_.CreateAdd(first, i64(uint64_t(above(l)) + a.bytes));
  if (l.dynamic && !dry_) {
    Value* step = b_.CreateMul(b_.CreateSExt(l.step, int64_), i64(l.most_times()));
    from = b_.CreateAdd(from, b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, step, i64(0)));
    to = b_.CreateAdd(to, b_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, step, i64(0)));
  }
  return {from, to};
}

// In a loop that stores nothing, to know where would cost more than the checkpoint behind it that this spares.
void Emitter::has_read(Value* from, Value* to) {
  st_.loaded = true;
  if (dry_)
    return;
  if (in_reading_loop_)
    st_.read_elsewhere = b_.getTrue();
  else
    st_.read.push_back({from, to});
}
void Emitter::has_read(const Access& a) {
  if (a.is_private)
    return;
  if (a.offset.kind == Lane::affine) {
    const auto [from, to] = interval(a);
    return has_read(from, to);
  }
  st_.loaded = true;
  if (!dry_)
    st_.read_elsewhere = b_.getTrue();
}

// A store that may overwrite what a replay would read again needs the Wave as it is now. Whether it does is asked where
// the intervals are known.
void Emitter::about_to_store(const Access& a) {
  settle_guards(true);
  if (a.is_private || !st_.loaded || (a.in_lds() && goes_to_barrier())) // LDS is there, as guards have asked
    return;
  if (!together_.empty())
    return settle_matrix();
  const uint32_t pc = unit_.instructions[at_].pc;
  if (a.offset.kind != Lane::affine) {
    checkpoint(pc);
    forget_read();
    return;
  }
  if (dry_)
    return;
  const auto [from, to] = interval(a);
  Value* apart = st_.read_elsewhere ? b_.CreateNot(st_.read_elsewhere) : b_.getTrue();
  for (const auto& [low, high] : st_.read)
    apart = b_.CreateAnd(apart, b_.CreateOr(b_.CreateICmpULE(high, from), b_.CreateICmpULE(to, low)));
  auto* overlaps = llvm::BasicBlock::Create(c_, "", function_);
  auto* on = llvm::BasicBlock::Create(c_, "", function_);
  b_.CreateCondBr(apart, on, overlaps, llvm::MDBuilder(c_).createBranchWeights(1000, 1));
  auto* before = b_.GetInsertBlock();
  b_.SetInsertPoint(overlaps);
  const State kept = st_;
  checkpoint(pc);
  if (note_)
    --note_->checkpoints, ++note_->overlaps;
  st_ = kept; // on one way only
  overlaps = b_.GetInsertBlock();
  b_.CreateBr(on);
  b_.SetInsertPoint(on);
  const auto forgotten = [&](Value* v, uint64_t there) {
    llvm::PHINode* phi = b_.CreatePHI(int64_, 2);
    phi->addIncoming(v, before), phi->addIncoming(i64(there), overlaps);
    return phi;
  };
  for (auto& [low, high] : st_.read)
    low = forgotten(low, ~uint64_t(0)), high = forgotten(high, 0);
  st_.read_elsewhere = nullptr;
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
    settle_guards(true);
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

// Where lanes access memory: a base that all have, and offsets of 32 bits.
void Emitter::address_from(Value* base, const Lane& offset, Access& a) {
  // Any address that a 32-bit offset makes of it is within the window, or where nothing is mapped.
  Value* high = b_.CreateTrunc(b_.CreateLShr(base, 32), int32_);
  guard(b_.CreateICmpULT(b_.CreateSub(high, b_.CreateSub(reach_first(), i32(1))), b_.CreateAdd(reach_count(), i32(1))));
  a.base = base, a.offset = offset;
  if (offset.kind == Lane::affine)
    guard(does_not_wrap(offset));
}

// ... addresses in two registers, of which `low` is the first one, to which `more` is added: less than what is unmapped
// around the window, or, if that is not `near`, anything.
void Emitter::address_in(uint32_t registers, Lane low, Value* more, bool near, Access& a) {
  const Lane high = read_lane(registers + machine::vgpr_bytes);
  if (access_address(low, high, more, near, a))
    return;
  const auto in_reach = [&](Value* h, auto f) {
    return b_.CreateICmpULT(b_.CreateSub(h, f(reach_first())), f(reach_count()));
  };
  const auto one = [](Value* v) { return v; };
  const auto with_base = [&](Value* base, const Lane& offset) {
    if (!near)
      return address_from(b_.CreateAdd(base, more), offset, a);
    guard(in_reach(b_.CreateTrunc(b_.CreateLShr(base, 32), int32_), one));
    a.base = b_.CreateAdd(base, more), a.offset = offset;
    if (offset.kind == Lane::affine)
      guard(does_not_wrap(offset));
  };
  const auto with_top = [&](Value* top) { with_base(b_.CreateShl(b_.CreateZExt(top, int64_), 32), low); };
  if (high.uniform())
    return with_top(high.base);
  if (low.wide && low.wide == high.wide && low.wide->base && !low.high_half && high.high_half) {
    const Wide& w = *low.wide;
    a.shift = w.shift, a.signed_offset = w.is_signed;
    low.row = w.offset;
    return with_base(w.base, low);
  }
  const Rows h = rows_of(high);
  if (low.kind == Lane::affine && all_lanes()) { // one high half, as good as always
    Value* top = dry_ ? poison(int32_) : b_.CreateExtractElement(h[0], uint64_t(0));
    for (int r = 0; r < rows && !dry_; ++r)
      guard(b_.CreateNot(b_.CreateOrReduce(b_.CreateICmpNE(h[size_t(r)], splat(top)))));
    return with_top(top);
  }
  a.offset.kind = Lane::vector, a.offset.row = rows_of(low), a.high = h;
  a.base = more;
  for (size_t r = 0; r < rows && !dry_; ++r) {
    if (!near) {
      Value* sum = b_.CreateAdd(join_halves(a.offset.row[r], h[r]), b_.CreateVectorSplat(16, more));
      a.offset.row[r] = b_.CreateTrunc(sum, words_), a.high[r] = b_.CreateTrunc(b_.CreateLShr(sum, 32), words_);
    }
    guard(b_.CreateAndReduce(
        b_.CreateOr(in_reach(a.high[r], [&](Value* v) { return splat(v); }), b_.CreateNot(mask_row(exec(), int(r))))));
  }
  if (!near)
    a.base = i64(0);
}

// Whether LLVM keeps an access whose addresses are from `low` on, where it must.
bool Emitter::is_kept(Access& a, const Lane& low, bool loads) {
  const bool limited = is_linear_buffer() && !unit_.instructions[at_].inst.addr64;
  // What other waves may be waiting for or telling is accessed each time; masked accesses do not promise that.
  if (a.is_volatile && (exec().kind != Mask::full || low.kind != Lane::affine || !low.whole_rows() || limited))
    return false;
  if (!loads)
    return true;
  // What nobody reads may fault all the same, and must not be left out.
  uint32_t unread = 0;
  for (uint32_t d = 0; d < a.dwords(); ++d)
    unread += is_unread(live_lane(lane_index(a.data + d * machine::vgpr_bytes)));
  if (low.kind == Lane::affine && low.whole_rows() && !limited && (exec().kind == Mask::full || !low.column))
    a.is_volatile = a.is_volatile || unread;
  else if (unread == a.dwords())
    return false;
  return true;
}

// What the first address register has. That of buffers may be staged, which is not looked at here.
Lane Emitter::first_address(const Uop& op) {
  const isa::Instruction& inst = unit_.instructions[at_].inst;
  if (!is_linear_buffer())
    return read_lane(op.a);
  return inst.addr64 || inst.offen ? read_lane(vgpr_at(inst.addr)) : uniform_lane(i32(0));
}

bool Emitter::flat(const Uop& op) {
  const isa::Instruction& inst = unit_.instructions[at_].inst;
  const isa::Row& row = isa::row(inst.op);
  const bool loads = loads_item(row.access), stores = stores_item(row.access);
  const uint32_t bytes = item_bytes(row.memory);
  if (!loads && !stores)
    return memory_atomic(op);
  if (!bytes || inst.lds || row.encoding == isa::Encoding::SCRATCH || exec().kind == Mask::empty ||
      exec().kind == Mask::uniform)
    return false;
  Access a{bytes,
           row.memory == Type::I8 || row.memory == Type::I16,
           loads ? op.dst : op.c,
           nullptr,
           {},
           inst.glc || inst.slc,
           1};
  a.part = Access::part_of(row.access);
  const Lane low = first_address(op);
  if (!is_kept(a, low, loads))
    return false;
  address(op, low, a);
  access(a);
  return true;
}

void Emitter::access(const Access& a) {
  if (loads_item(isa::row(unit_.instructions[at_].inst.op).access))
    load(a);
  else
    store({a});
}

// Of FLAT, GLOBAL and MUBUF instructions.
void Emitter::address(const Uop& op, const Lane& low, Access& a) {
  const isa::Instruction& inst = unit_.instructions[at_].inst;
  if (is_linear_buffer())
    buffer_address(low, a);
  else if (isa::is_scalar_register(inst.saddr))
    address_from(b_.CreateAdd(scalar64_at(op.b, 0), i64(op.k0)), low, a);
  else
    address_in(op.a, low, i64(op.k0), true, a);
}

namespace {
// Affine, and all lanes as well aligned as the first one, but for the step.
bool keeps_alignment(const Lane& l, uint32_t aligned) {
  const uint32_t distances = uint32_t(l.column) | uint32_t(l.fixed[0]) | uint32_t(l.fixed[1]) | uint32_t(l.fixed[2]);
  return l.kind == Lane::affine && !(distances & ~aligned);
}
} // namespace

// The bytes of LDS that may be accessed.
Value* Emitter::lds_limit(Value* m0) {
  return m0 ? b_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, lds_bytes_, m0) : lds_bytes_;
}

// One interval for all of a block that are as far from the same number; what lies between them is inside, too.
void Emitter::guard_lds(LdsInterval asked, const Uop& op, uint32_t first, uint32_t end) {
  const auto same = [&](const LdsInterval& other) {
    return other.base == asked.base && other.m0 == asked.m0 && other.misaligned == asked.misaligned &&
           !((other.from ^ asked.from) & asked.misaligned);
  };
  const auto inside = [&](const LdsInterval& other) {
    return same(other) && other.from <= asked.from && asked.to <= other.to;
  };
  if (std::ranges::any_of(lds_asked_, inside) || std::ranges::any_of(lds_pending_, inside))
    return;
  if (op.a >= machine::vgpr_offset(0) && !asked.m0)
    with_those_to_come(asked, op, first, end);
  if (note_)
    ++note_->guards;
  if (const auto pending = std::ranges::find_if(lds_pending_, same); pending != lds_pending_.end())
    pending->from = std::min(pending->from, asked.from), pending->to = std::max(pending->to, asked.to);
  else
    lds_pending_.push_back(asked);
}

// What is asked of an access holds for those behind it in the block, too, that have the same address register: one
// question for all, and none between them.
void Emitter::with_those_to_come(LdsInterval& asked, const Uop& op, uint32_t first, uint32_t end) const {
  const int64_t below = asked.from - first, above = asked.to - end;
  const uint32_t last = block_->first + block_->count;
  const uint32_t number = (op.a - machine::vgpr_offset(0)) / machine::vgpr_bytes;
  const auto writes_address = [&](uint32_t i) {
    return std::ranges::any_of(isa::operands(unit_.instructions[i].inst), [&](const isa::Operand& o) {
      return o.written && o.file == isa::RegisterFile::vgpr && o.first <= number &&
             number < uint32_t(o.first) + o.dwords;
    });
  };
  for (uint32_t i = at_; i < last; ++i) {
    const engine::UnitInstruction& u = unit_.instructions[i];
    if (u.way != engine::Way::lowered)
      return;
    const engine::UnitUop* uop = u.count == 1 ? &unit_.uops[u.first] : nullptr;
    if (uop && uop->kind == engine::UopKind::lds && uop->op.a == op.a && uop->op.k0 == op.k0 && uop->op.aux == op.aux &&
        !u.inst.gds) {
      const isa::Row& row = isa::row(u.inst.op);
      const uint32_t bytes = item_bytes(row.memory);
      const auto more = [&](uint32_t add) {
        if (int64_t from = below + add; bytes && !((from ^ asked.from) & asked.misaligned))
          asked.from = std::min(asked.from, from), asked.to = std::max(asked.to, above + add + bytes);
      };
      using enum isa::Access;
      if (loads_item(row.access) || (stores_item(row.access) && row.src[0] != Type::None))
        more(uint32_t(uop->op.imm));
      if (row.access == load2 || row.access == load2_st64 || row.access == store2 || row.access == store2_st64)
        more(uint32_t(uop->op.imm)), more(uint32_t(uop->op.k1 >> 32));
    }
    if (writes_address(i))
      return;
  }
}

// The lowest byte and what is above it do not go past the limit, so nothing wraps.
Value* Emitter::is_inside(const LdsInterval& i) {
  Value* from = b_.CreateAdd(i.base, i32(uint32_t(i.from)));
  Value* to = b_.CreateAdd(b_.CreateZExt(from, int64_), i64(uint64_t(i.to - i.from)));
  Value* inside = b_.CreateICmpULE(to, b_.CreateZExt(lds_limit(i.m0), int64_));
  return i.misaligned ? b_.CreateAnd(inside, b_.CreateICmpEQ(b_.CreateAnd(from, i32(i.misaligned)), i32(0))) : inside;
}

// One item of LDS per lane. What is not wholly inside of the workgroup's leaves for the interpreter.
Emitter::Access Emitter::lds_item(const Uop& op, uint32_t bytes, bool is_signed, uint32_t add, uint32_t data) {
  const Lane address = read_lane(op.a);
  const auto aligned = uint32_t(op.k0); // ~0, or the mask of what addresses keep
  Lane offset;
  if (keeps_alignment(address, aligned)) {
    offset = *sum(address, uniform_lane(i32(add)), false, nullptr);
  } else {
    offset.kind = Lane::vector, offset.row = rows_of(address);
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
    Value* m0 = op.aux ? nullptr : read_scalar(isa::code::m0);
    if (offset.kind == Lane::affine && !offset.dynamic) {
      const int64_t from = int64_t(add) + below(address);
      guard_lds({address.base, m0, ~aligned, from, int64_t(add) + above(address) + bytes}, op, add, add + bytes);
    } else {
      Value* limit = lds_limit(m0);
      guard(b_.CreateICmpUGE(limit, i32(bytes)));
      Value* last = b_.CreateSub(limit, i32(bytes));
      if (offset.kind == Lane::affine) {
        guard(does_not_wrap(offset));
        guard(all_corners(offset, [&](Value* v) { return b_.CreateICmpULE(v, last); }));
        if (~aligned)
          guard(b_.CreateICmpEQ(b_.CreateAnd(b_.CreateOr(offset.base, offset.step), i32(~aligned)), i32(0)));
      } else {
        Value* beyond = nullptr;
        for (int r = 0; r < rows; ++r) {
          Value* here = b_.CreateAnd(b_.CreateICmpUGT(offset.row[size_t(r)], splat(last)), mask_row(exec(), r));
          beyond = beyond ? b_.CreateOr(beyond, here) : here;
        }
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
  const uint32_t bytes = item_bytes(row.memory);
  if (const bool pushes = row.access == permute; pushes || row.access == bpermute)
    return pushes ? push(op) : pull(op);
  if (!bytes || inst.gds || exec().kind == Mask::empty || exec().kind == Mask::uniform || !isa::is_vgpr(inst.addr))
    return false;
  const bool is_signed = row.memory == Type::I8 || row.memory == Type::I16;
  const Lane address = read_lane(op.a);
  const bool scattered = !keeps_alignment(address, uint32_t(op.k0));
  const auto add = uint32_t(op.imm), add1 = uint32_t(op.k1 >> 32), data1 = uint32_t(op.k1);
  // Of two items each, where lanes overlap the order of dwords would show.
  const auto can_store = [&](uint32_t n) {
    return n <= 4 || (!scattered && uint32_t(address.column) == n && address.whole_rows());
  };
  switch (row.access) {
  case isa::Access::load:
  case load_d16:
  case load_d16_hi: {
    Access a = lds_item(op, bytes, is_signed, add, op.dst);
    a.part = Access::part_of(row.access);
    this->load(a);
    return true;
  }
  case isa::Access::store:
  case store_d16_hi: {
    if (row.src[0] == Type::None)
      return false;
    Access a = lds_item(op, bytes, is_signed, add, op.c);
    a.part = Access::part_of(row.access);
    this->store({a});
    return true;
  }
  case load2:
  case load2_st64: {
    // The address may be among what the first load writes.
    const uint32_t dwords = bytes / 4;
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
    if (add1 == add || !can_store(bytes))
      return false;
    this->store({lds_item(op, bytes, false, add, op.c), lds_item(op, bytes, false, add1, data1)});
    return true;
  default: return lds_atomic(op);
  }
}

} // namespace crosslane::jit
