// Scalar ALU: SOP1, SOP2, SOPC and the arithmetic of SOPK (engine/values/salu.h). One handler template; the rows
// fill the table.
#include "engine/values/salu.h"
#include "engine/decode/lowering.h"
#include "isa/op.h"

namespace crosslane::engine {

namespace {

template <Type T> CROSSLANE_INLINE Vec<element_t<T>, 1> read(const Wave* w, uint32_t offset, uint64_t k) {
  using E = element_t<T>;
  const char* p = reinterpret_cast<const char*>(w) + offset;
  if constexpr (sizeof(E) == 8) {
    uint64_t bits;
    std::memcpy(&bits, p, 8);
    return lanes::bitcast<E>(Vec<uint64_t, 1>(bits | k));
  } else {
    uint32_t bits;
    std::memcpy(&bits, p, 4);
    return lanes::bitcast<E>(Vec<uint32_t, 1>(bits | uint32_t(k)));
  }
}

template <class E> CROSSLANE_INLINE void write(Wave* w, uint32_t offset, Vec<E, 1> value) {
  std::memcpy(reinterpret_cast<char*>(w) + offset, &value.v, sizeof(E));
}

// What is not read stands for nothing.
template <Type T, bool Reads = T != Type::None>
CROSSLANE_INLINE Vec<element_t<T>, 1> source(const Wave* w, uint32_t offset, uint64_t k) {
  if constexpr (Reads)
    return read<T>(w, offset, k);
  else
    return {};
}

// F: the row's SaluFunction.
template <class F> CROSSLANE_CC void salu(const Uop* op, Wave* w) {
  const auto result = F::compute(source<F::a>(w, op->a, op->k0), source<F::b>(w, op->b, op->k1),
                                 source<F::dst, F::reads_dst>(w, op->dst, 0), Mask<1>(F::reads_scc && w->scc != 0));
  using Result = std::remove_const_t<decltype(result)>;
  if constexpr (std::is_same_v<Result, Mask<1>>) {
    w->scc = result.bits;
  } else if constexpr (IsPair<Result>::value) {
    write(w, op->dst, result.value);
    w->scc = result.flag.bits;
  } else {
    write(w, op->dst, result);
  }
  CROSSLANE_NEXT(op, w);
}

template <class F> constexpr Handler handler_of() {
  if constexpr (F::implemented)
    return salu<F>;
  else
    return nullptr;
}

struct Table {
  Handler handler[size_t(isa::Op::count)] = {};
  constexpr Table() {
    using enum isa::Implicit;
#define SOP1(m, opcodes, D, S0, implicit, timing)                                                                      \
  handler[size_t(isa::Op::m)] = handler_of<SaluFunction<CROSSLANE_CALL(m), Type::D, implicit, Type::S0>>();
#define SOP2(m, opcodes, D, S0, S1, implicit, timing)                                                                  \
  handler[size_t(isa::Op::m)] = handler_of<SaluFunction<CROSSLANE_CALL(m), Type::D, implicit, Type::S0, Type::S1>>();
#define SOPC(m, opcodes, S0, S1, implicit, timing)                                                                     \
  handler[size_t(isa::Op::m)] = handler_of<SaluFunction<CROSSLANE_CALL(m), Type::None, implicit, Type::S0, Type::S1>>();
#define SOPK(m, opcodes, D, S0, imm, implicit, timing)                                                                 \
  handler[size_t(isa::Op::m)] = handler_of<SopkFunction<CROSSLANE_CALL(m), Type::D, Type::S0, implicit>>();
#include "isa/rows/all.inc"
  }
};
constexpr Table table;

} // namespace

bool lower_salu(Lowering& l) {
  const Handler handler = table.handler[size_t(l.inst.op)];
  if (!handler)
    return false;
  const auto& row = l.row;
  ScalarOperand a{machine::sgpr_offset(machine::scalar_zero), 0}, b = a;
  if (row.encoding == isa::Encoding::SOPK) { // the immediate comes last
    const uint64_t imm = uint64_t(int64_t(l.inst.imm)) & (row.src[1] == Type::Uimm16 ? 0xffff : ~uint64_t(0));
    if (row.src[0] != Type::None)
      a = staged_scalar(l, l.inst.src[0], row.src[0], 0), b.k = imm;
    else
      a.k = imm;
  } else {
    a = staged_scalar(l, l.inst.src[0], row.src[0], 0);
    if (row.src[1] != Type::None)
      b = staged_scalar(l, l.inst.src[1], row.src[1], 1);
  }
  Uop& op = l.emit(UopKind::scalar, handler);
  op.a = a.offset, op.k0 = a.k;
  op.b = b.offset, op.k1 = b.k;
  if (row.dst != Type::None)
    op.dst = machine::sgpr_offset(l.inst.dst);
  return true;
}

} // namespace crosslane::engine
