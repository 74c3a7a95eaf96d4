// Addresses of all lanes are worked out once more, beside the handler that will use them: handlers stay free of events,
// and kernels without a listener of their cost.
#include "engine/memory/access_event.h"
#include "engine/context.h"
#include "engine/decode/backend.h"
#include "engine/hook_clock.h"
#include "engine/memory/image.h"
#include "engine/memory/lane_address.h"
#include "isa/access.h"
#include <algorithm>
#include <bit>

namespace crosslane::engine {

namespace {

using events::AccessKind;
using events::Space;
using isa::Access;

AccessKind kind_of(Access access) {
  return isa::is_load(access) ? AccessKind::load : isa::is_store(access) ? AccessKind::store : AccessKind::atomic;
}

struct Window {
  uint64_t lanes[3] = {0, 0, 0}; // LDS, scratch, global
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

// The lanes whose `bytes` bytes lie within `size`.
uint64_t within(const uint64_t* address, uint64_t lanes, uint64_t bytes, uint64_t size) {
  if (size < bytes)
    return 0;
  const uint64_t last = size - bytes;
  if (backend().addresses.highest(address, lanes) <= last)
    return lanes;
  for (uint64_t left = lanes; left; left &= left - 1)
    if (address[std::countr_zero(left)] > last)
      lanes &= ~(left & -left);
  return lanes;
}

// Lanes, and of two addresses halves, that do not reach LDS are left out. `size`: as far as it goes for this
// instruction.
void tell_lds(events::Listener& listener, events::Access& event, const LaneAccesses& a, uint64_t size) {
  event.space = Space::lds;
  const auto tell = [&](AccessKind kind, uint64_t lanes, const uint64_t* address, const uint64_t* second) {
    event.kind = kind, event.lanes = lanes, event.address = address, event.second = second;
    if (lanes)
      listener.access(event);
  };
  // Dwords of loads and stores are judged one by one; the first stands for all.
  const bool whole = event.kind == AccessKind::atomic || a.second_is == Second::operand;
  const uint64_t bytes = whole ? a.bytes : std::min(a.bytes, 4u);
  const uint64_t first = within(a.address, event.lanes, bytes, size);
  if (a.second_is == Second::none)
    return tell(event.kind, first, a.address, nullptr);
  const uint64_t second = within(a.second, event.lanes, bytes, size);
  if (a.second_is == Second::operand) {
    const AccessKind kind = event.kind;
    tell(AccessKind::load, first & second, a.second, nullptr);
    return tell(kind, first, a.address, nullptr);
  }
  tell(event.kind, first & second, a.address, a.second);
  tell(event.kind, first & ~second, a.address, nullptr);
  tell(event.kind, second & ~first, a.second, nullptr);
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
    for (uint64_t& address : a.address)
      address -= machine::apertures().shared_base;
    event.lanes = lds;
    tell_lds(listener, event, a, event.wave->workgroup->lds_bytes);
  }
}

// Loads whose data goes to LDS, and the way back. Lanes without LDS do nothing, lanes outside of their buffer load 0.
void tell_transfer(events::Listener& listener, events::Access event, LaneAccesses& a) {
  const isa::Instruction& inst = *event.site.instruction;
  const Wave& w = *event.wave;
  const bool loads = event.kind == AccessKind::load;
  LaneAccesses lds;
  lds_offsets(inst, w, event.lanes, lds);
  lds.lanes = within(lds.address, event.lanes, lds.bytes, w.workgroup->lds_bytes);
  lane_accesses(inst, w, lds.lanes, a);
  events::Access there = event;
  there.space = Space::lds, there.kind = loads ? AccessKind::store : AccessKind::load;
  there.bytes = lds.bytes, there.lanes = loads ? lds.lanes : a.lanes, there.address = lds.address;
  event.bytes = a.bytes, event.lanes = a.lanes;
  if (!loads && there.lanes)
    listener.access(there);
  if (event.lanes)
    tell_by_lane(listener, event, a);
  if (loads && there.lanes)
    listener.access(there);
}

// All texels of a lane are one request.
void tell_samples(events::Listener& listener, events::Access event) {
  image::Samples samples;
  image::find_samples(*event.site.instruction, *event.wave, event.lanes, samples);
  events::Places more[image::most_texels - 1];
  size_t count = 0;
  for (; count < std::size(more) && samples.lanes[count + 1]; ++count)
    more[count] = {samples.lanes[count + 1], samples.address[count + 1]};
  event.bytes = samples.bytes, event.lanes = samples.lanes[0], event.address = samples.address[0];
  event.more = {more, count}, event.filtered = samples.filtered;
  if (event.lanes)
    listener.access(event);
}

bool reads_lds_direct(const isa::Instruction& inst) { return std::ranges::count(inst.src, isa::code::lds_direct) != 0; }

// A source operand in LDS, one item for all lanes. See stage_lds_direct in engine/decode/operand.cpp.
void tell_lds_direct(events::Listener& listener, events::Access event) {
  const uint32_t m0 = event.wave->s[isa::code::m0], type = m0 >> 16 & 7;
  event.space = Space::lds, event.kind = AccessKind::load;
  event.bytes = type == 2 ? 4 : type % 4 == 1 ? 2 : 1;
  event.lanes &= -event.lanes;
  uint64_t address[64];
  std::ranges::fill(address, m0 & 0xffff & -event.bytes);
  event.address = address;
  event.lanes = within(address, event.lanes, event.bytes, event.wave->workgroup->lds_bytes);
  if (event.lanes)
    listener.access(event);
}

// How far LDS goes for a DS instruction: before gfx9 M0 limits it, but where it is the address.
uint64_t lds_size(const isa::Instruction& inst, const isa::Row& row, const Wave& w) {
  const bool at_m0 = row.access == Access::append || row.access == Access::consume;
  if (isa::info(inst.target).generation >= isa::Generation::gfx9 || at_m0)
    return w.workgroup->lds_bytes;
  return std::min(w.workgroup->lds_bytes, w.s[isa::code::m0]);
}

} // namespace

void tell_accesses(events::Listener& listener, const isa::Instruction* inst, uint64_t pc, const Wave& w) {
  using enum isa::Encoding;
  const isa::Row& row = isa::row(inst->op);
  LaneAccesses a;
  events::Access event{{pc, inst}, &w, Space::global, kind_of(row.access), 0, w.exec(), a.address, nullptr};
  if (reads_lds_direct(*inst))
    return tell_lds_direct(listener, event);
  if (samples_image(*inst))
    return tell_samples(listener, event);
  if (transfers_lds(*inst))
    return tell_transfer(listener, event, a);
  if (row.encoding == DS)
    lds_offsets(*inst, w, w.exec(), a);
  else
    lane_accesses(*inst, w, row.encoding == SMEM ? 1 : w.exec(), a);
  if (!a.lanes)
    return;
  event.bytes = a.bytes, event.lanes = a.lanes;
  switch (row.encoding) {
  case DS:
    // The wave as a whole counts once, not each lane.
    if (row.access == Access::append || row.access == Access::consume)
      event.lanes &= -event.lanes;
    return tell_lds(listener, event, a, lds_size(*inst, row, w));
  case SMEM: event.space = Space::scalar; return listener.access(event);
  case GLOBAL:
  case MIMG: return listener.access(event);
  default: return tell_by_lane(listener, event, a);
  }
}

namespace {

CROSSLANE_CC void event_access(const Uop* op, Wave* w) {
  hook(w, [&] {
    tell_accesses(*context(w).options->listener, reinterpret_cast<const isa::Instruction*>(op->target), op->k1, *w);
  });
  CROSSLANE_NEXT(op, w);
}

} // namespace

bool tells_accesses(const isa::Instruction& inst) { return reads_lds_direct(inst) || accesses_memory(inst); }

void emit_access_event(Lowering& l, const isa::Instruction* kept, bool memory, bool lds) {
  const bool direct = reads_lds_direct(*kept),
             may_reach_lds = l.row.encoding == isa::Encoding::FLAT || transfers_lds(*kept);
  const bool wanted = l.row.encoding == isa::Encoding::DS || direct ? lds : memory || (lds && may_reach_lds);
  if (!wanted || !tells_accesses(*kept))
    return;
  Uop& op = l.emit(UopKind::event, event_access);
  op.k1 = l.address, op.target = reinterpret_cast<const Uop*>(kept);
}

} // namespace crosslane::engine
