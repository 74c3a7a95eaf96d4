// Owns Gds: what all workgroups of one dispatch share besides memory. That is the global data share of 64 KiB, the 64
// resources of the global wave sync (GWS), and whose turn it is to count in order. Made on first use; everything but
// the epoch is read and written under the mutex. Source: Vega ISA manual, 2.2.2 "Global Data Share" and the formulas of
// DS_GWS_*.
#pragma once
#include "machine/wave.h"
#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

namespace crosslane::machine {

inline constexpr uint32_t gds_bytes = 65536;

// A semaphore or a barrier, whichever instructions use it.
struct SyncResource {
  int64_t counter = 0;
  uint64_t generation = 0;     // barriers passed: a wave waits until it is another one
  uint64_t head = 0, tail = 0; // of the queue at the semaphore: who is next, who comes next
};

// The next wave to count, in the order of launch.
struct Turn {
  uint64_t group = 0, wave = 0;
};

class Gds {
public:
  struct Content {
    alignas(64) uint8_t memory[gds_bytes + 64] = {}; // slack as LDS has it
    SyncResource resources[64];
    std::vector<Turn> turns; // one for the first ordered count of each wave, one for the second, ...
  };
  struct State : Content {
    Workgroup view = {};        // the GDS dressed up as LDS, for the wave that holds the mutex
    Workgroup* owner = nullptr; // that wave's own workgroup
  };
  std::mutex mutex;
  State& state() {
    if (!state_)
      state_ = std::make_unique<State>();
    return *state_;
  }
  // Moves with whatever may let a waiting wave go on.
  std::atomic<uint64_t> epoch{0};

  // What is in it, to be put back when somebody has tried something; null: nothing has ever been.
  std::unique_ptr<Content> content();
  void put_back(const Content*);

private:
  std::unique_ptr<State> state_;
};

inline std::unique_ptr<Gds::Content> Gds::content() {
  const std::lock_guard lock(mutex);
  return state_ ? std::make_unique<Content>(*state_) : nullptr;
}

inline void Gds::put_back(const Content* before) {
  const std::lock_guard lock(mutex);
  if (!state_)
    return;
  static_cast<Content&>(*state_) = before ? *before : Content();
  ++epoch;
}

} // namespace crosslane::machine
