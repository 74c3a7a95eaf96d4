// Where a wave stops until the time has come that it lives in (events/pace.h).
#include "engine/scalar/flow.h"
#include "engine/scalar/flow_common.h"

namespace crosslane::engine {

namespace {

// Apart, as its variable must be gone when the handler leaves.
[[gnu::noinline]] bool passes(const Uop* op, Wave* w) {
  const events::Site site{op->k1, reinterpret_cast<const isa::Instruction*>(op->target)};
  uint64_t clock = 0;
  if (!context(w).options->pace->pass(site, *w, clock))
    return false;
  if (op->aux)
    write64(w, op->dst, clock);
  return true;
}

CROSSLANE_CC void pace(const Uop* op, Wave* w) {
  if (!passes(op, w)) {
    w->resume = op;
    w->state = machine::WaveState::waiting;
    return;
  }
  CROSSLANE_NEXT(op, w);
}

} // namespace

bool emit_pace(Lowering& l, const isa::Instruction* kept) {
  const bool reads_clock = l.row.access == isa::Access::time && isa::is_scalar_register(l.inst.dst);
  Uop& op = l.emit(UopKind::event, pace);
  op.k1 = l.address, op.target = reinterpret_cast<const Uop*>(kept);
  op.aux = reads_clock;
  if (reads_clock)
    op.dst = machine::sgpr_offset(l.inst.dst);
  return reads_clock;
}

} // namespace crosslane::engine
