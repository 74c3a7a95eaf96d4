// What is the same for all workgroups of a dispatch is prepared once, when a slot is made.
#include "engine/dispatch/slot.h"
#include <cstring>
#include <new>
#include <sys/mman.h>

namespace crosslane::engine {

Slot::Slot(Shared& shared, HookClock& hooks, Counts& counts) {
  const LaunchState& launch = shared.launch;
  const DispatchContext& context = shared.context;
  group.shared = &shared;
  wave_stride = machine::wave_bytes(launch.accvgprs) + 64; // waves do not share cache sets
  const size_t lds = (size_t(launch.lds_bytes) + 64 + 63) / 64 * 64;
  memory_bytes = lds + wave_stride * launch.waves_per_group;
  memory.reset(static_cast<uint8_t*>(std::aligned_alloc(64, memory_bytes)));
  if (!memory)
    throw std::bad_alloc();
  group.lds = memory.get();
  std::memset(group.lds, 0, lds);
  group.lds_bytes = launch.lds_bytes;
  group.lds_faults = context.options->lds_faults;
  group.dispatch = &context;
  group.gds = &shared.gds;
  const size_t per_wave = launch.scratch_bytes * 64;
  if (per_wave) {
    scratch_size =
        (per_wave * launch.waves_per_group + 2 * 4096 - 1) / 4096 * 4096; // accesses of whole rows end inside
    scratch = reinterpret_cast<uint8_t*>(machine::map_in_window(scratch_size, PROT_READ | PROT_WRITE));
    if (!scratch)
      throw std::bad_alloc();
  }
  lds_offset_ = lds;
  for (uint32_t i = 0; i < launch.waves_per_group; ++i) {
    Wave& w = wave(i);
    launch.prepare(w);
    w.workgroup = &group;
    w.fault = &fault;
    w.hooks = &hooks;
    w.counts = static_cast<CountTables*>(&counts), w.counted = 0;
    w.scratch = scratch ? scratch + per_wave * i : nullptr;
  }
}

void Slot::fill_memory(const LaunchState& launch) const {
  if (!launch.poisons()) [[likely]]
    return;
  launch.fill_with_poison(group.lds, launch.lds_bytes);
  if (scratch)
    launch.fill_with_poison(scratch, launch.scratch_bytes * 64 * launch.waves_per_group);
}

Slot::~Slot() {
  if (scratch)
    munmap(scratch, scratch_size);
}

} // namespace crosslane::engine
