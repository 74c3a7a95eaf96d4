// Each asks what the listener wants, which the dispatch has found out once.
#include "engine/dispatch/tell.h"
#include "engine/scalar/flow.h"
#include <vector>

namespace crosslane::engine {

using machine::WaveState;

namespace {

events::Listener& listener(const Wave& w) { return *context(&w).options->listener; }

// The waves for which `f` holds, by number.
template <class F> std::vector<const Wave*> waves_of(Slot& slot, F f) {
  std::vector<const Wave*> waves;
  for (uint32_t i = 0; i < slot.group.wave_count; ++i)
    if (const Wave& w = slot.wave(i); f(w))
      waves.push_back(&w);
  return waves;
}

// Instructions that a wave has executed, wherever it stopped.
uint64_t executed(const Wave& w) {
  if (w.state == WaveState::ended)
    return uint64_t(w.instructions);
  const auto* at = static_cast<const Uop*>(w.state == WaveState::faulted ? w.fault_op : w.resume);
  // A link has the number of the instruction before it.
  return uint64_t(w.instructions + (at ? int64_t(at->ordinal) + (at->fn == link) : 0));
}

} // namespace

void tell_began(Slot& slot) {
  const Wave& first = slot.wave(0);
  if (!context(&first).tells_waves)
    return;
  const auto waves = waves_of(slot, [](const Wave&) { return true; });
  hook(&first, [&] { listener(first).began({&slot.group, waves}); });
}

void tell_ended(const Wave& w, events::End end) {
  if (context(&w).tells_waves)
    hook(&w, [&] { listener(w).wave_ended({&w, end, executed(w)}); });
}

void tell_ended(Slot& slot, events::End end) {
  const Wave& first = slot.wave(0);
  if (context(&first).tells_waves)
    hook(&first, [&] { listener(first).group_ended({&slot.group, end}); });
}

void tell_abandoned(Slot& slot) {
  events::End group_end = events::End::abandoned;
  for (const Wave* w : waves_of(slot, [](const Wave& w) { return w.state != WaveState::ended; })) {
    const bool faulted = w->state == WaveState::faulted;
    if (faulted)
      group_end = events::End::faulted;
    tell_ended(*w, faulted ? events::End::faulted : events::End::abandoned);
  }
  tell_ended(slot, group_end);
}

void tell_released(Slot& slot) {
  const Wave& first = slot.wave(0);
  if (!context(&first).tells_barriers)
    return;
  const auto waves = waves_of(slot, [](const Wave& w) { return w.state == WaveState::barrier; });
  hook(&first, [&] { listener(first).released({&slot.group, waves}); });
}

} // namespace crosslane::engine
