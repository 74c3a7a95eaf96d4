// The scalar unit: masks as masks where they are, all else as the library computes it.
#include "isa/classify.h"
#include "isa/op.h"
#include "jit/compile/emitter.h"

namespace crosslane::jit {

using isa::Implicit;
using isa::Op;
using isa::Type;

namespace {
uint32_t number(uint32_t offset) { return (offset - machine::sgpr_offset(0)) / 4; }
} // namespace

// AND, OR and their like on what is known as masks of lanes.
bool Emitter::scalar_mask(const Uop& op) {
  const isa::Instruction& inst = unit_.instructions[at_].inst;
  struct Rule {
    Op op;
    Logic logic;
    bool invert_second, invert_result;
  };
  static constexpr Rule rules[] = {
      {Op::s_and_b64, Logic::and_, false, false}, {Op::s_or_b64, Logic::or_, false, false},
      {Op::s_xor_b64, Logic::xor_, false, false}, {Op::s_andn2_b64, Logic::and_, true, false},
      {Op::s_orn2_b64, Logic::or_, true, false},  {Op::s_nand_b64, Logic::and_, false, true},
      {Op::s_nor_b64, Logic::or_, false, true},   {Op::s_xnor_b64, Logic::xor_, false, true},
  };
  if (!is_pair(op.dst))
    return false;
  const auto is_mask = [&](uint32_t offset, uint64_t k) {
    if (offset == machine::sgpr_offset(machine::scalar_zero))
      return k == 0 || ~k == 0;
    return is_pair(offset) && st_.m[number(offset) / 2].kind != Mask::none;
  };
  const auto mask = [&](uint32_t offset, uint64_t k) {
    if (offset != machine::sgpr_offset(machine::scalar_zero))
      return st_.m[number(offset) / 2];
    Mask m;
    m.kind = k ? Mask::full : Mask::empty;
    return m;
  };
  const bool to_exec = number(op.dst) == 126;
  if (inst.op == Op::s_mov_b64) {
    if (is_mask(op.a, op.k0) && (op.a != machine::sgpr_offset(machine::scalar_zero) || to_exec)) {
      write_mask(number(op.dst) / 2, mask(op.a, op.k0));
      return true;
    }
    if (to_exec && is_pair(op.a)) {
      write_mask(exec_pair, as_mask(scalar64_at(op.a, op.k0)));
      return true;
    }
    return false;
  }
  if (inst.op == Op::s_not_b64 && is_mask(op.a, op.k0)) {
    const Mask m = invert(mask(op.a, op.k0));
    write_mask(number(op.dst) / 2, m);
    write_scc(any(m));
    return true;
  }
  for (const Rule& rule : rules) {
    if (rule.op != inst.op)
      continue;
    const bool a = is_mask(op.a, op.k0), b = is_mask(op.b, op.k1);
    const bool constants =
        op.a == machine::sgpr_offset(machine::scalar_zero) || op.b == machine::sgpr_offset(machine::scalar_zero);
    if (!(a && b) && !((a || b || to_exec) && !constants && is_pair(op.a) && is_pair(op.b)))
      return false;
    const Mask x = a ? mask(op.a, op.k0) : as_mask(scalar64_at(op.a, op.k0));
    Mask y = b ? mask(op.b, op.k1) : as_mask(scalar64_at(op.b, op.k1));
    if (rule.invert_second)
      y = invert(y);
    Mask m = combine(rule.logic, x, y);
    if (rule.invert_result)
      m = invert(m);
    write_mask(number(op.dst) / 2, m);
    write_scc(any(m));
    return true;
  }
  return false;
}

// What computes it in the library, of two sources and of what it reads besides; null: nothing does.
const llvm::Function* Emitter::scalar_body(const isa::Row& row) const {
  const llvm::Function* f = bodies_.find("salu." + std::string(row.mnemonic));
  const unsigned implicit =
      unsigned(isa::has(row.implicit, Implicit::dst_r)) + unsigned(isa::has(row.implicit, Implicit::scc_r));
  return f && f->getFunctionType()->getNumParams() <= 2 + implicit ? f : nullptr;
}

bool Emitter::scalar(const Uop& op) {
  if (scalar_mask(op))
    return true;
  const isa::Instruction& inst = unit_.instructions[at_].inst;
  const isa::Row& row = isa::row(inst.op);
  const std::string body = "salu." + std::string(row.mnemonic);
  const llvm::Function* f = scalar_body(row);
  if (!f)
    return false;
  const auto read = [&](uint32_t offset, uint64_t k, llvm::Type* type) -> Value* {
    if (type->getIntegerBitWidth() == 64)
      return scalar64_at(offset, k);
    Value* v = scalar_at(offset, k);
    return type->getIntegerBitWidth() < 32 ? b_.CreateTrunc(v, type) : v;
  };
  const bool reads_dst = isa::has(row.implicit, Implicit::dst_r), reads_scc = isa::has(row.implicit, Implicit::scc_r);
  const llvm::FunctionType* type = f->getFunctionType();
  const unsigned sources = type->getNumParams() - unsigned(reads_dst) - unsigned(reads_scc);
  std::vector<Value*> arguments;
  if (sources > 0)
    arguments.push_back(read(op.a, op.k0, type->getParamType(0)));
  if (sources > 1)
    arguments.push_back(read(op.b, op.k1, type->getParamType(1)));
  if (reads_dst)
    arguments.push_back(read(op.dst, 0, type->getParamType(sources)));
  if (reads_scc)
    arguments.push_back(scc());
  Value* result = this->body(body, arguments);
  const auto put = [&](Value* v) {
    if (v->getType()->getIntegerBitWidth() == 64)
      write_scalar64(number(op.dst), v);
    else
      write_scalar(number(op.dst), v);
  };
  if (type->getReturnType()->isStructTy()) {
    put(b_.CreateExtractValue(result, 0));
    write_scc(b_.CreateExtractValue(result, 1));
  } else if (type->getReturnType()->isIntegerTy(1)) {
    write_scc(result);
  } else {
    put(result);
  }
  // EXEC is a mask always.
  if (row.dst != Type::None && number(op.dst) / 2 == exec_pair)
    write_mask(exec_pair, as_mask(scalar64_at(machine::sgpr_offset(126), 0)));
  return true;
}

} // namespace crosslane::jit
