// An event for each space that lanes reach.
#include "profile/traced_events.h"
#include "isa/access.h"
#include "isa/table.h"
#include "machine/apertures.h"
#include <bit>

namespace crosslane::profile {

using events::Access;
using events::AccessKind;
using events::Space;

TracedEvents::TracedEvents(rewrite::TraceReader reader, const rewrite::MemoryPlan& plan, const views::Image& image)
    : reader_(std::move(reader)), group_(), wave_(std::make_unique<machine::Wave>()) {
  for (const rewrite::TracedAccess& place : plan.places)
    pcs_.push_back(image.base + (place.address - image.object->image_begin()));
  wave_->workgroup = &group_;
}

namespace {

AccessKind kind_of(const isa::Instruction& in) {
  const isa::Access access = isa::row(in.op).access;
  return isa::is_store(access) ? AccessKind::store : isa::is_atomic(access) ? AccessKind::atomic : AccessKind::load;
}

// Lanes of flat addresses that mean LDS or scratch.
struct Generic {
  uint64_t lds = 0, scratch = 0;
};
Generic generic_lanes(const rewrite::LaneAddresses& at) {
  Generic out;
  for (uint64_t left = at.lanes; left; left &= left - 1) {
    const uint32_t window = machine::aperture_window(uint32_t(at.address[std::countr_zero(left)] >> 32));
    (window == 0 ? out.lds : out.scratch) |= window < 2 ? left & -left : 0;
  }
  return out;
}

} // namespace

void TracedEvents::tell(const rewrite::Tally::TracedWave& wave, uint64_t number,
                        std::span<events::Listener* const> listeners) {
  group_.number = number;
  std::copy_n(wave.workgroup, 3, group_.id);
  wave_->id = uint16_t(wave.wave);
  const auto tell_all = [&](const Access& event) {
    for (events::Listener* listener : listeners)
      if (event.lanes && listener->wants_space(event.space))
        listener->access(event);
  };
  reader_.each(wave, [&](uint32_t place, rewrite::LaneAddresses at) {
    ++told_;
    const isa::Instruction& in = reader_.instructions()[place];
    Access event{.site = {pcs_[place], &in},
                 .wave = wave_.get(),
                 .space = at.space == "lds"      ? Space::lds
                          : at.space == "scalar" ? Space::scalar
                                                 : Space::global,
                 .kind = kind_of(in),
                 .bytes = at.bytes,
                 .lanes = at.lanes,
                 .address = at.address.data(),
                 .second = at.two ? at.second.data() : nullptr};
    if (at.space != "flat")
      return tell_all(event);
    const Generic generic = generic_lanes(at);
    event.lanes = at.lanes & ~generic.lds & ~generic.scratch;
    tell_all(event);
    for (uint64_t left = generic.lds; left; left &= left - 1)
      at.address[size_t(std::countr_zero(left))] -= machine::apertures().shared_base;
    event.space = Space::lds, event.lanes = generic.lds;
    tell_all(event);
  });
}

} // namespace crosslane::profile
