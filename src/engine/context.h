// Owns DispatchContext: what the waves of one dispatch share, read-only while it runs (but for the claim counter).
#pragma once
#include "engine/decode/program.h"
#include "engine/dispatch.h"
#include <atomic>

namespace crosslane::engine {

// The code as a workgroup runs it.
struct Programs {
  Program* kernel = nullptr;
  Program* trap = nullptr; // of the trap handler, if there is one
};

struct DispatchContext {
  const Code* code;
  const AqlPacket* packet;
  const Options* options;
  std::string kernel;
  uint64_t packet_address = 0;        // of dispatch_ptr
  Programs plain = {}, observed = {}; // without and with the events that the listener wants,
  Programs repeats = {};              // and for what was counted (Hooks::repeats, Wave::counted)
  // In place of `plain`: where loops are compiled, or what is executed is to be found out.
  mutable std::atomic<const Programs*> special{nullptr};
  bool tells_waves = false, tells_barriers = false; // what of an observed workgroup the runner tells of
};

inline const DispatchContext& context(const Wave* w) {
  return *static_cast<const DispatchContext*>(w->workgroup->dispatch);
}

inline const Programs& programs(const Wave* w) {
  const DispatchContext& c = context(w);
  if (w->counted)
    return c.repeats;
  if (w->workgroup->observed)
    return c.observed;
  const Programs* special = c.special.load(std::memory_order_acquire);
  return special ? *special : c.plain;
}

// The decoded code at an address, of the kernel or of the trap handler, for the mode that the wave is in.
inline Program::Entry find_code(const Wave* w, uint64_t address) {
  const Programs& of = programs(w);
  Program* p = of.trap && of.trap->contains(address) ? of.trap : of.kernel;
  return p->at(address, *w);
}

} // namespace crosslane::engine
