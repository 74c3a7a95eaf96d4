// Owns what a check keeps of each wave while it runs. A wave is on one thread at a time, so its state needs no lock,
// once it has been found.
#pragma once
#include "machine/wave.h"
#include <array>
#include <memory>
#include <mutex>
#include <unordered_map>

namespace crosslane::check {

template <class State> class PerWave {
public:
  // A new one if the wave has none. It stays where it is, also for the next wave that runs in the same place: who hears
  // of the end of a wave sets it back, or drops it.
  State& operator[](const machine::Wave* wave) {
    Shelf& s = shelf(wave);
    const std::lock_guard lock(s.mutex);
    auto& found = s.waves[wave];
    if (!found)
      found = std::make_unique<State>();
    return *found;
  }
  void drop(const machine::Wave* wave) {
    Shelf& s = shelf(wave);
    const std::lock_guard lock(s.mutex);
    s.waves.erase(wave);
  }

private:
  struct Shelf {
    std::mutex mutex;
    std::unordered_map<const machine::Wave*, std::unique_ptr<State>> waves;
  };
  std::array<Shelf, 64> shelves_; // waves of several threads seldom meet on one
  Shelf& shelf(const machine::Wave* w) { return shelves_[(reinterpret_cast<uintptr_t>(w) >> 12) % shelves_.size()]; }
};

} // namespace crosslane::check
