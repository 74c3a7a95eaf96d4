// Vector arithmetic: by rules that keep addresses scalar (affine.cpp, apart.cpp), as one scalar operation (uniform
// operands), or row by row. What is computed is the library's, always.
#include "isa/float_mode.h"
#include "isa/op.h"
#include "isa/row.h"
#include "isa/shape.h"
#include "jit/compile/emitter.h"

namespace crosslane::jit {

using engine::UopKind;
using isa::Op;
using isa::Type;

namespace {

constexpr uint32_t vgpr_bytes = machine::vgpr_bytes;

int bits_of(Type t) {
  if (t == Type::B16 || t == Type::U16 || t == Type::I16 || t == Type::F16)
    return 16;
  return isa::dwords(t) == 2 && t != Type::Mask ? 64 : 32;
}

} // namespace

bool Emitter::vector(const engine::UnitUop& u) {
  const Sources sources = sources_of(u);
  if (!pair(u) && !computed(u))
    return false;
  note_wide(u, sources);
  return true;
}

bool Emitter::computed(const engine::UnitUop& u) {
  const Uop& op = u.op;
  const isa::Instruction& inst = unit_.instructions[at_].inst;
  const isa::Row& row = isa::row(inst.op);
  const bool shift = u.kind == UopKind::shift;
  Type types[3] = {row.src[0], row.src[1], row.src[2]};
  int count = 0;
  for (int i = 0; i < 3; ++i)
    if (types[i] != Type::None)
      count = i + 1;
  if (isa::shape(inst.op).k)
    types[0] = types[1] = types[2] = row.dst, count = 3;
  if (row.encoding == isa::Encoding::VOPC)
    count = 2;
  const bool mode64 = isa::runs_in_mode64(row.dst, types[0]);
  const bool masked = isa::has(row.implicit, isa::Implicit::vcc_r),
             reads_old = isa::has(row.implicit, isa::Implicit::dst_r);
  const bool to_mask = row.dst == Type::Mask;
  const std::string name = std::string(row.mnemonic) + (u.kind == UopKind::saturated ? ".clamped" : "");
  if (!bodies_.has("v16." + name))
    return false;
  const uint32_t mask_at = count > 2 ? op.aux : op.c;
  if (masked && !is_pair(mask_at))
    return false;
  if (to_mask ? !is_pair(op.dst) : isa::dwords(row.sdst) && !is_pair(uint32_t(op.imm)))
    return false;

  if (u.kind == UopKind::vector && affine(op))
    return true;

  if (shift && affine_shift(op))
    return true;

  const std::optional<Apart> parts = u.kind == UopKind::vector ? result_apart(op) : std::nullopt;
  if (parts && write_affine(op.dst, *parts))
    return true;

  // Where each source is: a scalar operand, or a VGPR.
  struct Source {
    bool scalar;
    uint32_t offset;
    uint64_t k;
  };
  Source sources[3] = {{!is_lane(op.a), op.a, op.k0}, {!is_lane(op.b), op.b, op.k0}, {!is_lane(op.c), op.c, op.k0}};
  if (shift) { // the amount is a, the value b
    const bool amount_second = bits_of(types[0]) == 64;
    if (amount_second)
      std::swap(sources[0], sources[1]);
  }
  Lane lane[3][2], old[2];
  bool uniform = true;
  for (int i = 0; i < count; ++i) {
    if (sources[i].scalar)
      continue;
    for (uint32_t d = 0; d < (bits_of(types[i]) == 64 ? 2u : 1u); ++d) {
      lane[i][d] = read_lane(sources[i].offset + d * vgpr_bytes);
      uniform = uniform && lane[i][d].uniform();
    }
  }
  const int result_bits = to_mask ? 32 : bits_of(row.dst);
  if (reads_old)
    for (uint32_t d = 0; d < (result_bits == 64 ? 2u : 1u); ++d) {
      old[d] = read_lane(op.dst + d * vgpr_bytes);
      uniform = uniform && old[d].uniform();
    }
  Mask mask;
  if (masked) {
    mask = mask_in_exec((mask_at - machine::sgpr_offset(0)) / 8);
    uniform = uniform && mask.kind != Mask::rows;
  }
  const bool one = uniform && bodies_.has("s1." + name);
  const std::string body = (one ? "s1." : "v16.") + name;

  // The type that a body takes of `bits` bits.
  const auto type_of = [&](int bits) -> llvm::Type* {
    llvm::Type* t = bits == 16 ? int16_ : bits == 64 ? int64_ : int32_;
    return one ? t : llvm::FixedVectorType::get(t, 16);
  };
  const auto pair = [&](Value* low, Value* high) {
    llvm::Type* t = type_of(64);
    return b_.CreateOr(b_.CreateZExt(low, t), b_.CreateShl(b_.CreateZExt(high, t), 32));
  };
  Rows lanes_rows[3][2], old_rows[2];
  if (!one) {
    for (int i = 0; i < count; ++i)
      if (!sources[i].scalar)
        for (int d = 0; d < (bits_of(types[i]) == 64 ? 2 : 1); ++d)
          lanes_rows[i][d] = rows_of(lane[i][d]);
    if (reads_old)
      for (int d = 0; d < (result_bits == 64 ? 2 : 1); ++d)
        old_rows[d] = rows_of(old[d]);
  }
  const auto vector_value = [&](int bits, const Lane* l, const Rows* r, int n) -> Value* {
    Value* low = one ? l[0].base : r[0][size_t(n)];
    if (bits == 64)
      return pair(low, one ? l[1].base : r[1][size_t(n)]);
    return bits == 16 ? b_.CreateTrunc(low, type_of(16)) : low;
  };
  Value* scalars[3] = {};
  for (int i = 0; i < count; ++i)
    if (sources[i].scalar) {
      const int bits = bits_of(types[i]);
      Value* v = bits == 64 ? scalar64_at(sources[i].offset, sources[i].k) : scalar_at(sources[i].offset, sources[i].k);
      if (bits == 16)
        v = b_.CreateTrunc(v, int16_);
      scalars[i] = one ? v : b_.CreateVectorSplat(16, v);
    }
  std::array<Value*, rows> results{};
  const int times = one ? 1 : rows;
  for (int r = 0; r < times; ++r) {
    std::vector<Value*> arguments;
    for (int i = 0; i < count; ++i)
      arguments.push_back(sources[i].scalar ? scalars[i] : vector_value(bits_of(types[i]), lane[i], lanes_rows[i], r));
    if (reads_old)
      arguments.push_back(vector_value(result_bits, old, old_rows, r));
    if (masked)
      arguments.push_back(!one                         ? mask_row(mask, r)
                          : mask.kind == Mask::uniform ? mask.bit
                                                       : b_.getInt1(mask.kind == Mask::full));
    arguments.push_back(i32(request_.mode));
    const auto result = [&] { return this->body(body, arguments, mode64); };
    results[size_t(r)] = one ? result() : in_row(r, result);
  }
  // Apart: value and flags.
  Mask flags;
  flags.kind = one ? Mask::uniform : Mask::rows;
  const auto set_flag = [&](int r, Value* v) { (one ? flags.bit : flags.row[size_t(r)]) = v; };
  if (to_mask) {
    for (int r = 0; r < times; ++r)
      set_flag(r, results[size_t(r)]);
    const auto compared = [&](uint32_t offset, int i) -> std::optional<Compared> {
      if (bits_of(types[i]) != 64)
        return Compared{operand(offset, op.k0)};
      if (!sources[i].scalar)
        return lane[i][1].uniform() ? std::optional(Compared{lane[i][0], lane[i][1].base}) : std::nullopt;
      Value* v = scalar64_at(offset, op.k0);
      return Compared{uniform_lane(b_.CreateTrunc(v, int32_)), b_.CreateTrunc(b_.CreateLShr(v, 32), int32_)};
    };
    if (!one) {
      const auto x = compared(op.a, 0), y = compared(op.b, 1);
      if (x && y)
        flags.all = holds_in_all(inst.op, *x, *y, false), flags.no = holds_in_all(inst.op, *x, *y, true);
    }
    const Mask m = masked_by_exec(flags);
    write_mask((op.dst - machine::sgpr_offset(0)) / 8, m);
    if (isa::has(row.implicit, isa::Implicit::exec_w))
      write_mask(exec_pair, m);
    return true;
  }
  const bool has_flags = results[0]->getType()->isStructTy();
  if (has_flags)
    for (int r = 0; r < times; ++r) {
      set_flag(r, b_.CreateExtractValue(results[size_t(r)], 1));
      results[size_t(r)] = b_.CreateExtractValue(results[size_t(r)], 0);
    }
  Rows low{}, high{};
  for (int r = 0; r < times; ++r) {
    Value* v = results[size_t(r)];
    if (result_bits == 16)
      v = b_.CreateZExt(v, type_of(32));
    low[size_t(r)] = result_bits == 64 ? b_.CreateTrunc(v, type_of(32)) : v;
    if (result_bits == 64)
      high[size_t(r)] = b_.CreateTrunc(b_.CreateLShr(v, 32), type_of(32));
  }
  const auto put = [&](uint32_t offset, const Rows& v) {
    if (one)
      write_lane(offset, uniform_lane(v[0]));
    else
      write_rows(offset, v);
  };
  std::optional<Lane> affine_low; // of v_mad_u64_u32, if it is; what is clamped depends on the other half
  if (inst.op == Op::v_mad_u64_u32 && !one && u.kind != UopKind::saturated)
    affine_low = low_of_mad(lane, sources[0].scalar ? scalar_at(op.a, op.k0) : nullptr,
                            sources[1].scalar ? scalar_at(op.b, op.k0) : nullptr);
  if (affine_low)
    write_lane(op.dst, *affine_low);
  else
    put(op.dst, low);
  if (result_bits == 64)
    put(op.dst + vgpr_bytes, high);
  if (parts)
    note_apart(op.dst, *parts);
  if (has_flags)
    write_mask((uint32_t(op.imm) - machine::sgpr_offset(0)) / 8, masked_by_exec(flags));
  return true;
}

} // namespace crosslane::jit
