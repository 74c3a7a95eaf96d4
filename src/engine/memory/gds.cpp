// GDS access, GWS and ordered counts. Not per level: the vector work is that of the LDS handlers.
// Source: Vega ISA manual, 12.13; RDNA3 ISA manual for the fields of DS_ORDERED_COUNT; LLVM SIISelLowering for the
// number of a GWS resource; docs/isa-errata.md.
#include "engine/memory/gds.h"
#include "machine/gds.h"
#include <algorithm>
#include <cstring>

namespace crosslane::engine {
namespace {

using isa::Op;
using machine::Gds;
using machine::SyncResource;
using machine::Turn;
using machine::WaveState;

CROSSLANE_CC void enter(const Uop* op, Wave* w) {
  Gds& gds = *w->workgroup->gds;
  gds.mutex.lock();
  Gds::State& state = gds.state();
  const uint32_t m0 = w->s[isa::code::m0], base = m0 >> 16, size = m0 & 0xffff;
  state.owner = w->workgroup;
  state.view = *w->workgroup;
  state.view.lds = state.memory + base;
  state.view.lds_bytes = std::min(size, machine::gds_bytes - base);
  state.view.lds_faults = false;
  w->workgroup = &state.view;
  CROSSLANE_NEXT(op, w);
}
CROSSLANE_CC void leave(const Uop* op, Wave* w) {
  Gds& gds = *w->workgroup->gds;
  w->workgroup = gds.state().owner;
  gds.mutex.unlock();
  CROSSLANE_NEXT(op, w);
}

// The operand of the first active lane; 0 without one.
uint32_t first_value(const Wave* w, uint32_t vgpr_offset) {
  const uint64_t exec = w->exec();
  uint32_t value = 0;
  if (exec)
    std::memcpy(&value, reinterpret_cast<const char*>(w) + vgpr_offset + 4 * __builtin_ctzll(exec), 4);
  return value;
}

enum Sync : uint32_t { init, sema_v, sema_br, sema_p, release_all, barrier };

// True: the wave goes on. False: it is in the queue, and looks again later.
bool synchronize(const Uop* op, Wave* w) {
  Gds& gds = *w->workgroup->gds;
  const std::lock_guard lock(gds.mutex);
  // The base of the process's resources is 0. LLVM: "(<isa opaque base> + M0[21:16] + offset field) % 64".
  SyncResource& r = gds.state().resources[((w->s[isa::code::m0] >> 16) + uint32_t(op->imm)) & 63];
  const auto value = int32_t(first_value(w, op->a));
  if (!w->queued) {
    ++gds.epoch;
    switch (op->aux) {
    case init: r.counter = value; return true;
    case sema_v: ++r.counter; return true;
    case sema_br: r.counter += value; return true;
    case release_all: r.counter = int64_t(r.tail - r.head); return true;
    case sema_p: w->ticket = r.tail++; break;
    case barrier:
      if (r.counter <= 0) { // the last one: all go on, and the next barrier has the size that it brings
        ++r.generation;
        r.counter = value;
        return true;
      }
      --r.counter;
      w->ticket = r.generation;
      break;
    }
  }
  bool go_on;
  if (op->aux == barrier) {
    go_on = r.generation != w->ticket;
  } else {
    go_on = r.counter > 0 && r.head == w->ticket;
    if (go_on)
      --r.counter, ++r.head, ++gds.epoch;
  }
  w->queued = !go_on;
  return go_on;
}

// Uop::imm is the whole offset field: [7:2] counter in dwords, [8] release, [13:12] operation.
bool count(const Uop* op, Wave* w) {
  Gds& gds = *w->workgroup->gds;
  const std::lock_guard lock(gds.mutex);
  Gds::State& state = gds.state();
  if (state.turns.size() <= w->ordered_counts)
    state.turns.resize(w->ordered_counts + 1);
  Turn& turn = state.turns[w->ordered_counts];
  if (turn.group != w->workgroup->number || turn.wave != w->id) {
    if (!w->queued)
      w->queued = 1, ++gds.epoch;
    return false;
  }
  w->queued = 0;

  const auto field = uint32_t(op->imm);
  const uint32_t at = (w->s[isa::code::m0] >> 16 & ~3u) + (field & 0xfc), given = first_value(w, op->a);
  uint32_t before = 0;
  if (at < machine::gds_bytes) {
    std::memcpy(&before, state.memory + at, 4);
    const uint32_t after = field >> 12 & 1 ? given : before + given;
    std::memcpy(state.memory + at, &after, 4);
  }
  auto* dst = reinterpret_cast<uint32_t*>(reinterpret_cast<char*>(w) + op->dst);
  for (uint64_t left = w->exec(); left; left &= left - 1)
    dst[__builtin_ctzll(left)] = before;
  if (field >> 8 & 1) {
    turn = w->id + 1u < w->workgroup->wave_count ? Turn{turn.group, turn.wave + 1} : Turn{turn.group + 1, 0};
    ++w->ordered_counts;
  }
  ++gds.epoch;
  return true;
}

template <bool (*Try)(const Uop*, Wave*)> CROSSLANE_CC void or_wait(const Uop* op, Wave* w) {
  if (!Try(op, w)) {
    w->state = WaveState::waiting;
    w->resume = op;
    w->fault_op = op;
    return;
  }
  CROSSLANE_NEXT(op, w);
}

} // namespace

Handler enter_gds() { return enter; }
Handler leave_gds() { return leave; }

bool lower_gds(Lowering& l) {
  const isa::Instruction& inst = l.inst;
  if (l.row.access == isa::Access::ordered_count) {
    if (inst.imm >> 13 & 1)
      return false; // wrap, whose second operand no source describes
    Uop& op = l.emit(UopKind::gds_wait, or_wait<count>);
    op.a = vgpr(inst.addr), op.dst = vgpr(inst.dst), op.imm = inst.imm;
    return true;
  }
  const auto kind = [&]() -> int {
    switch (inst.op) {
    case Op::ds_gws_init: return init;
    case Op::ds_gws_sema_v: return sema_v;
    case Op::ds_gws_sema_br: return sema_br;
    case Op::ds_gws_sema_p: return sema_p;
    case Op::ds_gws_sema_release_all: return release_all;
    case Op::ds_gws_barrier: return barrier;
    default: return -1;
    }
  }();
  if (kind < 0)
    return false;
  Uop& op = l.emit(UopKind::gds_wait, or_wait<synchronize>);
  if (is_vector(inst.data))
    op.a = vgpr(inst.data);
  op.imm = inst.imm, op.aux = uint32_t(kind);
  return true;
}

} // namespace crosslane::engine
