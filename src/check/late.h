// Owns late return: an execution in which everything that s_waitcnt waits for comes at the last moment that the
// counters allow, and registers hold poison until then. A card may do so, and most of the time does not; a missing wait
// is a wrong result here that is the same in every run.
//
// What arrives late: loads, atomics' old values, LDS reads and lane operations of the LDS unit, scalar loads, clocks.
// Each is done when the counters prove it: among its like things come in order (scalar memory does not), different
// kinds on one counter in any order, and a counter that is full holds the next instruction back. A register that
// something else writes before gets what was loaded all the same when that arrives. Not late: memory itself (stores,
// LDS, transfers between the two) and the data that stores read. Registers that are read too soon behind a write
// (wait states) hold their old values for that: check/stale.h.
#pragma once
#include "events/listener.h"
#include <array>
#include <memory>
#include <mutex>
#include <unordered_map>

namespace crosslane::check {

// What registers hold that nothing has arrived in: a NaN as F32 and as F16, and no address.
inline constexpr uint32_t poison = 0xffc0dead;

class Late final : public events::Listener {
public:
  Late();
  ~Late() override;
  bool wants_steps() const override { return true; }
  bool wants_waves() const override { return true; }
  void step(const events::Step&) override;
  void wave_ended(const events::WaveEnded&) override;

private:
  struct OfWave;
  struct Shelf {
    std::mutex mutex;
    std::unordered_map<const machine::Wave*, std::unique_ptr<OfWave>> waves;
  };
  std::array<Shelf, 64> shelves_; // waves of several threads seldom meet on one
  Shelf& shelf(const machine::Wave*);
};

} // namespace crosslane::check
