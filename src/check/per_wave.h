// Owns what a check keeps of each wave while it runs. A wave is on one thread at a time, so its state needs no lock,
// once it has been found.
#pragma once
#include "check/per_thread.h"
#include "machine/wave.h"
#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <unordered_map>

namespace crosslane::check {

template <class State> class PerWave {
public:
  // A new one if the wave has none. It stays where it is, also for the next wave that runs in the same place: who hears
  // of the end of a wave resets it.
  State& operator[](const machine::Wave* wave) {
    auto& recent = per_thread<std::array<Recent, 64>>();
    Recent& r = recent[(reinterpret_cast<uintptr_t>(wave) / alignof(machine::Wave) * 0x9e3779b97f4a7c15) >> 58];
    if (r.serial != serial_ || r.wave != wave)
      r = {serial_, wave, &find(wave)};
    return *r.state;
  }
  void reset(const machine::Wave* wave) { // in its place: some are large
    State& state = (*this)[wave];
    std::destroy_at(&state);
    std::construct_at(&state);
  }

private:
  // Where a thread has been lately. States stay as long as this does, so that it need not be told of their end.
  struct Recent {
    uint64_t serial = 0;
    const machine::Wave* wave = nullptr;
    State* state = nullptr;
  };
  struct Shelf {
    std::mutex mutex;
    std::unordered_map<const machine::Wave*, std::unique_ptr<State>> waves;
  };
  static inline std::atomic<uint64_t> next_serial{1};
  const uint64_t serial_ = next_serial++;
  std::array<Shelf, 64> shelves_; // waves of several threads seldom meet on one
  State& find(const machine::Wave* wave) {
    Shelf& s = shelves_[(reinterpret_cast<uintptr_t>(wave) >> 12) % shelves_.size()];
    const std::lock_guard lock(s.mutex);
    auto& found = s.waves[wave];
    if (!found)
      found = std::make_unique<State>();
    return *found;
  }
};

} // namespace crosslane::check
