// Owns telling a listener of guest memory as it is allocated and freed: what a launch or the runtime hands out, under
// the names that messages have for it (machine/memory.h).
//
// Memory outlives dispatches, so a listener is attached to it by itself, for as long as a MemoryEvents lives. First it
// is told, as allocated, of all that is there. From then on `allocated` comes before anybody has the address, and
// `freed` before the address can be handed out again. Calls come from the threads that allocate and free, one at a
// time; the listener must neither allocate nor free guest memory in them.
#pragma once
#include "events/listener.h"
#include "machine/memory.h"

namespace crosslane::events {

class MemoryEvents final : machine::MemoryWatcher {
public:
  // Both outlive this.
  MemoryEvents(machine::Memory& memory, Listener& listener) : memory_(memory), listener_(listener) {
    if (listener_.wants_memory())
      memory_.watch(*this);
  }
  ~MemoryEvents() { memory_.unwatch(*this); }
  MemoryEvents(const MemoryEvents&) = delete;

private:
  void allocated(const machine::Allocation& a) override { listener_.allocated(a); }
  void freed(const machine::Allocation& a) override { listener_.freed(a); }
  machine::Memory& memory_;
  Listener& listener_;
};

} // namespace crosslane::events
