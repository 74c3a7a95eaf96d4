// s_cbranch_g_fork, s_cbranch_i_fork, s_cbranch_join: branches that take both sides, the one with fewer lanes first.
// The other waits on a stack in the SGPRs, of which MODE.CSP counts the entries: {EXEC, PC} in four SGPRs each. Source:
// Vega ISA manual, "Arbitrary Divergent Control Flow"; CLRX has the order of the four dwords.
#include "engine/scalar/flow.h"
#include "engine/scalar/flow_common.h"

namespace crosslane::engine {

using isa::Op;

namespace {

uint32_t csp(const Wave* w) { return w->mode >> mode_bit::csp_shift; }
void set_csp(Wave* w, uint32_t n) {
  w->mode = (w->mode & ((1u << mode_bit::csp_shift) - 1)) | n << mode_bit::csp_shift;
}

void push(Wave* w, uint64_t exec, uint64_t pc) {
  const int at = int(csp(w)) * 4;
  w->set_pair(at, exec), w->set_pair(at + 2, pc);
  set_csp(w, csp(w) + 1);
}

// Where a fork goes. b/k1: target of s_cbranch_g_fork; k1 of s_cbranch_i_fork: address of the target. c: next
// instruction.
enum class Side { pass, fail };
Side fork(Wave* w, uint64_t mask, uint64_t target, uint64_t next) {
  const uint64_t exec = w->exec(), pass = mask & exec, fail = ~mask & exec;
  if (pass == exec)
    return Side::pass;
  if (fail == exec)
    return Side::fail;
  if (__builtin_popcountll(fail) < __builtin_popcountll(pass)) {
    push(w, pass, target);
    w->set_pair(126, fail);
    return Side::fail;
  }
  push(w, fail, next);
  w->set_pair(126, pass);
  return Side::pass;
}

uint64_t next_address(const Uop* op) { return uint64_t(op->b) | uint64_t(op->c) << 32; }

CROSSLANE_CC void i_fork(const Uop* op, Wave* w) {
  if (fork(w, read64(w, op->a, op->k0), op->k1, next_address(op)) == Side::fail)
    CROSSLANE_NEXT(op, w);
  w->instructions += op->imm;
  if (must_yield(op, w, op->target))
    return;
  CROSSLANE_JUMP(op->target, w);
}
CROSSLANE_CC void g_fork(const Uop* op, Wave* w) {
  const uint64_t target = read64(w, op->dst, op->k1);
  if (fork(w, read64(w, op->a, op->k0), target, next_address(op)) == Side::fail)
    CROSSLANE_NEXT(op, w);
  const Uop* to = jump_to(op, w, target);
  if (must_yield(op, w, to))
    return;
  CROSSLANE_JUMP(to, w);
}
CROSSLANE_CC void join(const Uop* op, Wave* w) {
  uint64_t target = op->k1;
  if (csp(w) != read32(w, op->a, op->k0)) {
    set_csp(w, csp(w) - 1);
    const int at = int(csp(w)) * 4;
    w->set_pair(126, w->pair(at));
    target = w->pair(at + 2);
  }
  const Uop* to = jump_to(op, w, target);
  if (must_yield(op, w, to))
    return;
  CROSSLANE_JUMP(to, w);
}

} // namespace

void emit_fork(Lowering& l, ScalarOperand a, ScalarOperand b) {
  const uint64_t next = l.address + 4;
  Uop& op = l.emit(l.inst.op == Op::s_cbranch_join ? UopKind::join : UopKind::fork,
                   l.inst.op == Op::s_cbranch_i_fork   ? i_fork
                   : l.inst.op == Op::s_cbranch_g_fork ? g_fork
                                                       : join);
  op.a = a.offset, op.k0 = a.k;
  op.b = uint32_t(next), op.c = uint32_t(next >> 32);
  if (l.inst.op == Op::s_cbranch_g_fork)
    op.dst = b.offset, op.k1 = b.k;
  else
    op.k1 = l.inst.op == Op::s_cbranch_i_fork ? next + uint64_t(int64_t(l.inst.imm) * 4) : next;
}

} // namespace crosslane::engine
