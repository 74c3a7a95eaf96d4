// Owns Slot: the memory that a thread keeps for one resident workgroup after the other, that is LDS, wave states,
// scratch.
#pragma once
#include "engine/counts.h"
#include "engine/dispatch/runner.h"
#include "engine/hook_clock.h"
#include <cstdlib>
#include <memory>

namespace crosslane::engine {

struct Placed : machine::Workgroup {
  Shared* shared = nullptr;
  Place place; // once one of its waves has asked
};

// One resident workgroup.
struct Slot {
  Placed group{};
  std::unique_ptr<uint8_t, void (*)(void*)> memory{nullptr, std::free};
  uint8_t* scratch = nullptr; // lazily touched pages
  size_t scratch_size = 0;
  size_t wave_stride = 0;
  size_t memory_bytes = 0;
  machine::Fault fault;

  Slot(Shared& shared, HookClock& hooks, Counts& counts);
  ~Slot();
  Slot(const Slot&) = delete;
  // A workgroup is about to begin: nothing of the one before, if that is asked for (Options::poison).
  void fill_memory(const LaunchState&) const;
  Wave& wave(uint32_t i) { return *reinterpret_cast<Wave*>(memory.get() + lds_offset_ + i * wave_stride); }

private:
  size_t lds_offset_ = 0;
};

} // namespace crosslane::engine
