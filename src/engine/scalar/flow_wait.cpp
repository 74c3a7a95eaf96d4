// Event hooks of what lets a wave wait: s_barrier, s_waitcnt and s_sleep. Each stands before its instruction, which
// knows nothing of it. That waves go on behind a barrier is the runner's to tell (engine/dispatch/runner.cpp), but of a
// wave that is alone in its workgroup: it never stops there.
#include "engine/hook_clock.h"
#include "engine/scalar/flow.h"
#include "engine/scalar/flow_common.h"

namespace crosslane::engine {

namespace {

events::Site site(const Uop* op) { return {op->k1, reinterpret_cast<const isa::Instruction*>(op->target)}; }

void tell_barrier(const Uop* op, const Wave* w) {
  events::Listener& listener = *context(w).options->listener;
  listener.arrived({site(op), w});
  if (w->workgroup->wave_count == 1)
    listener.released({w->workgroup, {&w, 1}});
}
CROSSLANE_CC void event_barrier(const Uop* op, Wave* w) {
  hook(w, [&] { tell_barrier(op, w); });
  CROSSLANE_NEXT(op, w);
}

void tell_wait(const Uop* op, const Wave* w) {
  const events::Site at = site(op);
  const bool sleeps = at.instruction->op == isa::Op::s_sleep;
  const auto counts = isa::wait_counts(isa::info(at.instruction->target).generation, uint32_t(at.instruction->imm));
  context(w).options->listener->wait({at, w, sleeps, sleeps ? isa::WaitCounts() : counts});
}
CROSSLANE_CC void event_wait(const Uop* op, Wave* w) {
  hook(w, [&] { tell_wait(op, w); });
  CROSSLANE_NEXT(op, w);
}

} // namespace

void emit_wait_event(Lowering& l, const isa::Instruction* kept, bool barriers, bool waits) {
  Handler handler;
  switch (l.inst.op) {
  case isa::Op::s_barrier:
    if (!barriers)
      return;
    handler = event_barrier;
    break;
  case isa::Op::s_waitcnt:
  case isa::Op::s_sleep:
    if (!waits)
      return;
    handler = event_wait;
    break;
  default: return;
  }
  Uop& op = l.emit(UopKind::event, handler);
  op.k1 = l.address, op.target = reinterpret_cast<const Uop*>(kept);
}

} // namespace crosslane::engine
