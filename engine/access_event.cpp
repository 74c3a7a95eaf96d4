// Addresses of all lanes are worked out once more, beside the handler that will use them: handlers stay free of events, and
// kernels without a listener of their cost.
#include "engine/access_event.h"
#include "engine/context.h"
#include "engine/lane_address.h"
#include <algorithm>
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

// Lanes that do not reach LDS are left out.
void tell_lds(events::Listener& listener, events::Access event, const LaneAccesses& a) {
  const uint64_t size = event.wave->workgroup->lds_bytes;
  uint64_t last = 0;
  for (int lane = 0; lane < 64; ++lane) last = std::max(last, a.address[lane]);
  if (a.two_addresses || last + a.bytes > size)
    for (uint64_t left = event.lanes; left; left &= left - 1) {
      const int lane = std::countr_zero(left);
      const uint64_t furthest = a.two_addresses ? std::max(a.address[lane], a.second[lane]) : a.address[lane];
      if (furthest + a.bytes > size) event.lanes &= ~(left & -left);
    }
  event.space = Space::lds;
  if (event.lanes) listener.access(event);
}

// FLAT, and buffers that may be scratch: each lane goes where its address says.
void tell_by_lane(events::Listener& listener, events::Access event, LaneAccesses& a) {
  const Window window = split(a);
  if (const uint64_t global = window.lanes[2]) {
    event.lanes = global;
    listener.access(event);
  }
  if (const uint64_t scratch = window.lanes[1]; scratch && event.wave->scratch) {
    for (uint64_t left = scratch; left; left &= left - 1) {
      const int lane = std::countr_zero(left);
      a.address[lane] = interleaved(*event.wave, a.address[lane], lane);
    }
    event.space = Space::scratch, event.lanes = scratch;
    listener.access(event);
  }
  if (const uint64_t lds = window.lanes[0]) {
    for (uint64_t& address : a.address) address -= machine::apertures().shared_base;
    event.lanes = lds;
    tell_lds(listener, event, a);
  }
}

void tell(events::Listener& listener, const isa::Instruction* inst, uint64_t pc, const Wave& w) {
  using enum isa::Encoding;
  const isa::Row& row = isa::row(inst->op);
  LaneAccesses a;
  if (row.encoding == DS) lds_offsets(*inst, w, w.exec(), a);
  else lane_accesses(*inst, w, row.encoding == SMEM ? 1 : w.exec(), a);
  if (!a.lanes) return;
  events::Access event{{pc, inst}, &w, Space::global, kind_of(row.access), a.bytes, a.lanes, a.address, a.two_addresses ? a.second : nullptr};
  switch (row.encoding) {
  case DS:
    // The wave as a whole counts once, not each lane.
    if (row.access == Access::append || row.access == Access::consume) event.lanes &= -event.lanes;
    return tell_lds(listener, event, a);
  case SMEM: event.space = Space::scalar; return listener.access(event);
  case GLOBAL: case MIMG: return listener.access(event);
  default: return tell_by_lane(listener, event, a);
  }
}

CROSSLANE_CC void event_access(const Uop* op, Wave* w) {
  tell(*context(w).options->listener, reinterpret_cast<const isa::Instruction*>(op->target), op->k1, *w);
  CROSSLANE_NEXT(op, w);
}

}  // namespace

void emit_access_event(Lowering& l, const isa::Instruction* kept, bool memory, bool lds) {
  const bool wanted = l.row.encoding == isa::Encoding::DS ? lds : memory || (lds && l.row.encoding == isa::Encoding::FLAT);
  if (!wanted || !accesses_memory(*kept)) return;
  Uop& op = l.emit(event_access);
  op.k1 = l.address, op.target = reinterpret_cast<const Uop*>(kept);
}

}  // namespace crosslane::engine
