// Addresses of all lanes are worked out once more, beside the handler that will use them: handlers stay free of events, and
// kernels without a listener of their cost.
#include "engine/access_event.h"
#include "engine/context.h"
#include "engine/lane_address.h"
#include <bit>

namespace crosslane::engine {

namespace {

using events::AccessKind;
using events::Space;
using isa::Access;

AccessKind kind_of(Access access) {
  switch (access) {
  case Access::load: case Access::load_d16: case Access::load_d16_hi: case Access::load_format: case Access::load_format_d16:
  case Access::load_format_d16_hi: case Access::load2: case Access::load2_st64: case Access::lds_add_tid_load: case Access::load_to_lds:
    return AccessKind::load;
  case Access::store: case Access::store_d16_hi: case Access::store_format: case Access::store_format_d16:
  case Access::store_format_d16_hi: case Access::store2: case Access::store2_st64: case Access::lds_add_tid_store:
  case Access::store_from_lds:
    return AccessKind::store;
  default: return AccessKind::atomic;
  }
}

struct Window {
  uint64_t lanes[3] = {0, 0, 0};  // LDS, scratch, global
};
Window split(const LaneAccesses& a) {
  Window w;
  const auto high = [&](int lane) { return uint32_t(a.address[lane] >> 32); };
  for (uint64_t left = a.lanes; left; left &= left - 1) {
    const int lane = std::countr_zero(left);
    const uint32_t window = machine::aperture_window(high(lane));
    w.lanes[window < 2 ? window : 2] |= left & -left;
  }
  return w;
}

// Where dword 0 of a scratch access really lies: dword i of lane l is at (i * 64 + l) * 4 of the wave's block.
uint64_t interleaved(const Wave& w, uint64_t generic, int lane) {
  const uint64_t offset = generic - machine::apertures().private_base;
  return reinterpret_cast<uint64_t>(w.scratch) + (offset / 4 * 64 + uint64_t(lane)) * 4 + offset % 4;
}

void tell(events::Listener& listener, const isa::Instruction* inst, uint64_t pc, const Wave& w) {
  const isa::Row& row = isa::row(inst->op);
  const bool scalar = row.encoding == isa::Encoding::SMEM;
  LaneAccesses a;
  lane_accesses(*inst, w, scalar ? 1 : w.exec(), a);
  if (!a.lanes) return;
  events::Access event{{pc, inst}, &w, Space::global, kind_of(row.access), a.bytes, a.lanes, a.address, a.two_addresses ? a.second : nullptr};
  if (scalar) {
    event.space = Space::scalar;
    return listener.access(event);
  }
  if (row.encoding == isa::Encoding::GLOBAL) return listener.access(event);
  const Window window = split(a);
  if (uint64_t lds = window.lanes[0]) {
    const uint64_t base = machine::apertures().shared_base, size = w.workgroup->lds_bytes;
    uint64_t offset[64], second[64];
    // The wave as a whole counts once, not each lane.
    if (row.access == Access::append || row.access == Access::consume) lds &= -lds;
    for (uint64_t left = lds; left; left &= left - 1) {
      const int lane = std::countr_zero(left);
      offset[lane] = a.address[lane] - base;
      second[lane] = a.two_addresses ? a.second[lane] - base : offset[lane];
      if (offset[lane] + a.bytes > size || second[lane] + a.bytes > size) lds &= ~(left & -left);  // does not reach LDS
    }
    events::Access part = event;
    part.space = Space::lds, part.lanes = lds, part.address = offset, part.second = a.two_addresses ? second : nullptr;
    if (lds) listener.access(part);
  }
  if (const uint64_t scratch = window.lanes[1]; scratch && w.scratch) {
    uint64_t place[64];
    for (uint64_t left = scratch; left; left &= left - 1) {
      const int lane = std::countr_zero(left);
      place[lane] = interleaved(w, a.address[lane], lane);
    }
    events::Access part = event;
    part.space = Space::scratch, part.lanes = scratch, part.address = place;
    listener.access(part);
  }
  if (window.lanes[2]) {
    event.lanes = window.lanes[2];
    listener.access(event);
  }
}

CROSSLANE_CC void event_access(const Uop* op, Wave* w) {
  tell(*context(w).options->listener, reinterpret_cast<const isa::Instruction*>(op->target), op->k1, *w);
  CROSSLANE_NEXT(op, w);
}

}  // namespace

void emit_access_event(Lowering& l, const isa::Instruction* kept) {
  if (!accesses_memory(*kept)) return;
  Uop& op = l.emit(event_access);
  op.k1 = l.address, op.target = reinterpret_cast<const Uop*>(kept);
}

}  // namespace crosslane::engine
