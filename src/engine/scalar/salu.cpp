// Scalar ALU: SOP1, SOP2, SOPC and the arithmetic of SOPK. One handler template per shape; the rows fill the table.
#include "engine/decode/lowering.h"
#include "engine/own.h"
#include "engine/types.h"
#include "isa/op.h"
#include "semantics/all.h"

namespace crosslane::engine {

using isa::has;
using isa::Implicit;

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

// Calls the semantics with what the row says it reads: sources, old destination, SCC.
template <class F, Type D, Implicit I, class... S> CROSSLANE_INLINE auto call(const Uop* op, const Wave* w, S... s) {
  if constexpr (has(I, Implicit::dst_r) && has(I, Implicit::scc_r))
    return F{}(s..., read<D>(w, op->dst, 0), Mask<1>(w->scc != 0));
  else if constexpr (has(I, Implicit::dst_r))
    return F{}(s..., read<D>(w, op->dst, 0));
  else if constexpr (has(I, Implicit::scc_r))
    return F{}(s..., Mask<1>(w->scc != 0));
  else
    return F{}(s...);
}

template <Implicit I, class R> CROSSLANE_INLINE void finish(const Uop* op, Wave* w, R result) {
  if constexpr (has(I, Implicit::scc_w)) {
    write(w, op->dst, result.value);
    w->scc = result.flag.bits;
  } else {
    write(w, op->dst, result);
  }
}

template <class F, Type D, Type A, Implicit I> CROSSLANE_CC void sop1(const Uop* op, Wave* w) {
  finish<I>(op, w, call<F, D, I>(op, w, read<A>(w, op->a, op->k0)));
  CROSSLANE_NEXT(op, w);
}
template <class F, Type D, Type A, Type B, Implicit I> CROSSLANE_CC void sop2(const Uop* op, Wave* w) {
  finish<I>(op, w, call<F, D, I>(op, w, read<A>(w, op->a, op->k0), read<B>(w, op->b, op->k1)));
  CROSSLANE_NEXT(op, w);
}
template <class F, Type A, Type B> CROSSLANE_CC void sopc(const Uop* op, Wave* w) {
  w->scc = F{}(read<A>(w, op->a, op->k0), read<B>(w, op->b, op->k1)).bits;
  CROSSLANE_NEXT(op, w);
}

template <class F, Type D, Type A, Implicit I> constexpr Handler sop1_handler() {
  using R = decltype(call<F, D, I>(nullptr, nullptr, Vec<element_t<A>, 1>{}));
  if constexpr (std::is_same_v<R, semantics::Unimplemented>)
    return nullptr;
  else
    return sop1<F, D, A, I>;
}
template <class F, Type D, Type A, Type B, Implicit I> constexpr Handler sop2_handler() {
  using R = decltype(call<F, D, I>(nullptr, nullptr, Vec<element_t<A>, 1>{}, Vec<element_t<B>, 1>{}));
  if constexpr (std::is_same_v<R, semantics::Unimplemented>)
    return nullptr;
  else
    return sop2<F, D, A, B, I>;
}
template <class F, Type A, Type B> constexpr Handler sopc_handler() {
  using R = decltype(F{}(Vec<element_t<A>, 1>{}, Vec<element_t<B>, 1>{}));
  if constexpr (std::is_same_v<R, semantics::Unimplemented>)
    return nullptr;
  else
    return sopc<F, A, B>;
}
// A compare has a source besides the immediate.
template <class F, Type D, Type S0, Implicit I> constexpr Handler sopk_handler() {
  if constexpr (S0 == Type::None)
    return sop1_handler<F, D, D, I>();
  else if constexpr (has(I, Implicit::scc_w))
    return sopc_handler<F, S0, S0>();
  else
    return nullptr;
}

struct Table {
  Handler handler[size_t(isa::Op::count)] = {};
  constexpr Table() {
    using enum isa::Implicit;
#define CALL(m) decltype([](auto... s) { return own::m(s...); })
#define SOP1(m, opcodes, D, S0, implicit, timing)                                                                      \
  handler[size_t(isa::Op::m)] = sop1_handler<CALL(m), Type::D, Type::S0, implicit>();
#define SOP2(m, opcodes, D, S0, S1, implicit, timing)                                                                  \
  handler[size_t(isa::Op::m)] = sop2_handler<CALL(m), Type::D, Type::S0, Type::S1, implicit>();
#define SOPC(m, opcodes, S0, S1, implicit, timing)                                                                     \
  handler[size_t(isa::Op::m)] = sopc_handler<CALL(m), Type::S0, Type::S1>();
#define SOPK(m, opcodes, D, S0, imm, implicit, timing)                                                                 \
  handler[size_t(isa::Op::m)] = sopk_handler<CALL(m), Type::D, Type::S0, implicit>();
#include "isa/rows/all.inc"
#undef CALL
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
