// Operands on their way to an operation and results on their way from it, and what looks at other lanes. Values that
// staging computes are the library's; moves are written here.
#include "cross_lane/control.h"
#include "isa/float_mode.h"
#include "isa/op.h"
#include "jit/compile/by_lane.h"

namespace crosslane::jit {

using engine::UopKind;
using isa::Type;

bool Emitter::staging(const engine::UnitUop& u) {
  const Uop& op = u.op;
  // A body over one row, or over a scalar where all sources are uniform.
  const auto apply = [&](const std::string& name, std::initializer_list<uint32_t> offsets,
                         std::vector<Value*> parameters) -> bool {
    bool uniform = bodies_.has("s1." + name);
    std::vector<Lane> sources;
    for (const uint32_t offset : offsets) {
      sources.push_back(read_lane(offset));
      uniform = uniform && sources.back().uniform();
    }
    const std::string body = (uniform ? "s1." : "v16.") + name;
    const llvm::Function* f = bodies_.find(body);
    if (!f)
      return false;
    std::vector<Rows> values;
    if (!uniform)
      for (const Lane& l : sources)
        values.push_back(rows_of(l));
    Rows out{};
    for (int r = 0; r < (uniform ? 1 : rows); ++r) {
      std::vector<Value*> arguments;
      for (size_t i = 0; i < sources.size(); ++i) {
        Value* v = uniform ? sources[i].base : values[i][size_t(r)];
        llvm::Type* wanted = f->getFunctionType()->getParamType(unsigned(i));
        if (wanted->getScalarSizeInBits() < 32)
          v = b_.CreateTrunc(v, wanted);
        arguments.push_back(v);
      }
      arguments.insert(arguments.end(), parameters.begin(), parameters.end());
      Value* v = this->body(body, arguments);
      if (f->getReturnType()->getScalarSizeInBits() < 32)
        v = b_.CreateZExt(v, uniform ? int32_ : words_);
      out[size_t(r)] = v;
    }
    const bool masked = u.kind == UopKind::put_field;
    if (uniform)
      write_lane(op.dst, uniform_lane(out[0]), masked);
    else
      write_rows(op.dst, out, masked);
    return true;
  };
  switch (u.kind) {
  case UopKind::broadcast: write_lane(op.dst, operand(op.a, op.k0), false); return true;
  case UopKind::copy: write_lane(op.dst, read_lane(op.a), false); return true;
  case UopKind::put: write_lane(op.dst, read_lane(op.a)); return true;
  case UopKind::mask: write_scalar64((op.dst - machine::sgpr_offset(0)) / 4, i64(op.k0)); return true;
  case UopKind::condition: {
    Value* bit;
    switch (op.k1) {
    case isa::code::vccz: bit = b_.CreateNot(any(mask_of(vcc_pair))); break;
    case isa::code::execz: bit = b_.CreateNot(any(exec())); break;
    case isa::code::scc: bit = scc(); break;
    default: return false;
    }
    write_scalar64((op.dst - machine::sgpr_offset(0)) / 4, b_.CreateZExt(bit, int64_));
    return true;
  }
  case UopKind::bits: {
    // LLVM must not see that a sign is turned: it subtracts instead of adding, and a NaN comes through as it was.
    const auto flipped = uint32_t(op.k0 >> 32);
    return apply("stage.bits", {op.a}, {i32(uint32_t(op.k0)), flipped ? opaque(flipped) : i32(0)});
  }
  case UopKind::field:
    return apply(op.k1 ? "stage.field_s" : "stage.field_u", {op.a}, {i32(uint32_t(op.imm)), i32(op.aux)});
  case UopKind::halves: return apply("stage.halves", {op.a}, {i32(op.aux & 1), i32(op.aux >> 1)});
  case UopKind::half_to_float: return apply("stage.half_to_float", {op.a}, {});
  case UopKind::put_field: {
    const auto unused = isa::SdwaUnused(op.k1);
    const char* name = unused == isa::SdwaUnused::preserve ? "stage.put_field.preserve"
                       : unused == isa::SdwaUnused::sext   ? "stage.put_field.sext"
                                                           : "stage.put_field.pad";
    return apply(name, {op.dst, op.a}, {i32(uint32_t(op.k0)), i32(uint32_t(op.imm)), i32(op.aux)});
  }
  case UopKind::put_float: put_float(op); return true;
  default: return false;
  }
}

// Output modifiers and clamp, of what an operation has left in temporary registers.
void Emitter::put_float(const Uop& op) {
  const auto type = Type(op.k1);
  const std::string name = type == Type::F64     ? "stage.put_float.f64"
                           : type == Type::F16   ? "stage.put_float.f16"
                           : type == Type::PkF16 ? "stage.put_float.pkf16"
                                                 : "stage.put_float.f32"; // of a pair in two registers, for each
  const bool wide = type == Type::F64;
  for (uint32_t d = 0; d < uint32_t(type == Type::PkF32 ? 2 : 1); ++d) {
    const uint32_t at = op.dst + d * machine::vgpr_bytes;
    const Lane low = read_lane(at), high = wide ? read_lane(at + machine::vgpr_bytes) : low;
    const bool one = low.uniform() && high.uniform();
    const std::string body = (one ? "s1." : "v16.") + name;
    llvm::Type* const value = bodies_.find(body)->getFunctionType()->getParamType(0);
    const auto result = [&](Value* v, Value* v_high) {
      v = b_.CreateZExtOrTrunc(v, value);
      if (wide)
        v = b_.CreateOr(v, b_.CreateShl(b_.CreateZExt(v_high, value), 32));
      return this->body(body, std::array<Value*, 4>{v, i32(uint32_t(op.imm)), i32(op.aux), i32(request_.mode)},
                        isa::uses_mode64(type));
    };
    Rows low_rows{}, high_rows{};
    Rows of[2];
    if (!one)
      of[0] = rows_of(low), of[1] = rows_of(high);
    for (int r = 0; r < (one ? 1 : rows); ++r) {
      Value* v =
          one ? result(low.base, high.base) : in_row(r, [&] { return result(of[0][size_t(r)], of[1][size_t(r)]); });
      llvm::Type* const dword = one ? int32_ : words_;
      low_rows[size_t(r)] = b_.CreateZExtOrTrunc(v, dword);
      if (wide)
        high_rows[size_t(r)] = b_.CreateTrunc(b_.CreateLShr(v, 32), dword);
    }
    const auto write = [&](uint32_t to, const Rows& v) {
      if (one)
        write_lane(to, uniform_lane(v[0]), false);
      else
        write_rows(to, v, false);
    };
    write(at, low_rows);
    if (wide)
      write(at + machine::vgpr_bytes, high_rows);
  }
}

// ---- Lanes

bool Emitter::lanes(const engine::UnitUop& u) {
  const Uop& op = u.op;
  const auto scalar_number = [](uint32_t offset) { return (offset - machine::sgpr_offset(0)) / 4; };
  if (!narrowed_)
    merge_all();
  switch (u.kind) {
  case UopKind::read_first_lane: {
    const Lane l = read_lane(op.a);
    if (l.kind == Lane::affine && (l.uniform() || all_lanes())) {
      write_scalar(scalar_number(op.dst), l.base);
      return true;
    }
    if (all_lanes()) {
      write_scalar(scalar_number(op.dst), b_.CreateExtractElement(l.row[0], uint64_t(0)));
      return true;
    }
    Value* first = b_.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, mask_bits(exec()), b_.getFalse());
    write_scalar(scalar_number(op.dst), in_lane_of(l, b_.CreateAnd(first, i64(63)))); // of none, lane 0
    return true;
  }
  case UopKind::read_lane: {
    const Lane l = read_lane(op.a);
    const auto to = scalar_number(op.dst);
    if (l.uniform() || dry_) {
      write_scalar(to, l.uniform() ? l.base : poison(int32_));
    } else if (op.b == machine::sgpr_offset(machine::scalar_zero)) {
      const uint32_t lane = uint32_t(op.k0) & 63;
      write_scalar(to, b_.CreateExtractElement(rows_of(l)[lane / 16], uint64_t(lane % 16)));
    } else {
      write_scalar(to, in_lane_of(l, b_.CreateZExt(b_.CreateAnd(scalar_at(op.b, op.k0), i32(63)), int64_)));
    }
    return true;
  }
  case UopKind::write_lane: {
    Rows r = rows_at(op.dst);
    Value* v = scalar_at(op.a, op.k0);
    if (op.b == machine::sgpr_offset(machine::scalar_zero)) {
      const uint32_t lane = uint32_t(op.k1) & 63;
      r[lane / 16] = b_.CreateInsertElement(r[lane / 16], v, uint64_t(lane % 16));
    } else {
      Value* lane = b_.CreateAnd(scalar_at(op.b, op.k1), i32(63));
      for (uint32_t n = 0; n < rows; ++n)
        r[n] = b_.CreateSelect(b_.CreateICmpEQ(iota(1), splat(b_.CreateSub(lane, i32(16 * n)))), splat(v), r[n]);
    }
    write_rows(op.dst, r, false);
    return true;
  }
  case UopKind::count_lanes: {
    const bool high = unit_.instructions[at_].inst.op == isa::Op::v_mbcnt_hi_u32_b32;
    const Lane mask = read_lane(op.a), add = read_lane(op.b);
    // Of a mask that is all ones the lane number comes out, as compilers ask for it.
    if (!mask.uniform())
      return false;
    const Rows added = rows_of(add);
    Rows out;
    for (int r = 0; r < rows; ++r) {
      std::array<uint32_t, 16> below{};
      for (int i = 0; i < 16; ++i) {
        const uint32_t n = uint32_t(16 * r + i), ones = n % 32 ? (1u << n % 32) - 1 : 0;
        below[size_t(i)] = high ? (n < 32 ? 0 : ones) : (n < 32 ? ones : ~0u);
      }
      Value* bits = b_.CreateAnd(splat(mask.base), llvm::ConstantDataVector::get(c_, below));
      Value* count = dry_ ? poison(words_) : b_.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, bits);
      out[size_t(r)] = b_.CreateAdd(count, added[size_t(r)]);
    }
    write_rows(op.dst, out);
    return true;
  }
  case UopKind::swap: {
    const Lane a = read_lane(op.a), d = read_lane(op.dst);
    write_lane(op.dst, a);
    write_lane(op.a, d);
    return true;
  }
  case UopKind::dpp: return dpp(op, false);
  case UopKind::dpp_mov: return dpp(op, true);
  case UopKind::dpp_end:
    st_.m[exec_pair] = exec_before_dpp_;
    narrowed_ = false;
    return true;
  default: return false;
  }
}

// What DPP_CTRL says is known here: each row is a shuffle of one or two others.
bool Emitter::dpp(const Uop& op, bool move) {
  const auto from = cross_lane::dpp_sources(unit_.instructions[at_].inst.dpp_ctrl);
  const Rows source = rows_at(op.a);
  const Mask before = exec();
  Rows out;
  Mask readable;
  readable.kind = Mask::rows;
  uint64_t valid = 0;
  for (int i = 0; i < 64; ++i)
    if (from[size_t(i)] >= 0)
      valid |= uint64_t(1) << i;
  const auto constant_mask = [&](uint64_t bits, int r) -> Value* {
    llvm::SmallVector<llvm::Constant*, 16> items;
    for (int i = 0; i < 16; ++i)
      items.push_back(b_.getInt1(bits >> (16 * r + i) & 1));
    return llvm::ConstantVector::get(items);
  };
  const auto shuffled = [&](const Rows& v, int r) -> Value* {
    int low = -1, high = -1;
    for (int i = 0; i < 16; ++i)
      if (const int lane = from[size_t(16 * r + i)]; lane >= 0) {
        if (low < 0 || low == lane / 16)
          low = lane / 16;
        else if (high < 0 || high == lane / 16)
          high = lane / 16;
        else
          return nullptr;
      }
    if (low < 0)
      return llvm::Constant::getNullValue(v[0]->getType());
    llvm::SmallVector<int, 16> index;
    for (int i = 0; i < 16; ++i) {
      const int lane = from[size_t(16 * r + i)];
      index.push_back(lane < 0 ? i : lane % 16 + (lane / 16 == low ? 0 : 16));
    }
    return b_.CreateShuffleVector(v[size_t(low)], v[size_t(high < 0 ? low : high)], index);
  };
  Rows masks;
  for (int r = 0; r < rows; ++r)
    masks[size_t(r)] = mask_row(before, r);
  for (int r = 0; r < rows; ++r) {
    Value* values = shuffled(source, r);
    Value* active = before.kind == Mask::full ? constant_mask(valid, r) : shuffled(masks, r);
    if (!values || !active)
      return false;
    if (before.kind != Mask::full)
      active = b_.CreateAnd(active, constant_mask(valid, r));
    readable.row[size_t(r)] = active;
    out[size_t(r)] = b_.CreateSelect(active, values, llvm::Constant::getNullValue(words_));
  }
  Mask writable;
  writable.kind = Mask::rows;
  for (int r = 0; r < rows; ++r) {
    Value* m = b_.CreateAnd(mask_row(before, r), constant_mask(op.k0, r));
    writable.row[size_t(r)] = op.imm ? m : b_.CreateAnd(m, readable.row[size_t(r)]);
  }
  if (move) {
    const Mask kept = exec();
    st_.m[exec_pair] = writable, narrowed_ = true;
    write_rows(op.dst, out);
    st_.m[exec_pair] = kept, narrowed_ = false;
    return true;
  }
  exec_before_dpp_ = before, narrowed_ = true;
  const bool dirty = st_.m[exec_pair].dirty;
  write_rows(op.dst, out, false);
  st_.m[exec_pair] = writable;
  st_.m[exec_pair].dirty = dirty;
  return true;
}

} // namespace crosslane::jit
