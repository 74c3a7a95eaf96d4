// Owns the priorities of a GPU's queues: how many dispatches run that a queue of a lower priority gives way to
// (engine::Options::give_way). Where no queue has been given a priority nothing is counted.
#pragma once
#include <atomic>
#include <cstdint>
#include <hsa/hsa_ext_amd.h>

namespace crosslane::hsa {

class Precedence {
public:
  void begin_use() { used_ = true; }
  bool used() const { return used_.load(std::memory_order_relaxed); }
  // Not 0 while a dispatch of a higher priority runs; null if there is none higher.
  const std::atomic<uint32_t>* above(hsa_amd_queue_priority_t priority) const {
    return priority == HSA_AMD_QUEUE_PRIORITY_HIGH ? nullptr : &above_[priority];
  }

  // A dispatch of a queue, for as long as it runs.
  class Dispatch {
  public:
    Dispatch(Precedence& precedence, hsa_amd_queue_priority_t priority)
        : precedence_(precedence), priority_(precedence.used() ? priority : HSA_AMD_QUEUE_PRIORITY_LOW) {
      for (int lower = 0; lower < priority_; ++lower)
        ++precedence_.above_[lower];
    }
    ~Dispatch() {
      for (int lower = 0; lower < priority_; ++lower)
        --precedence_.above_[lower];
    }
    Dispatch(const Dispatch&) = delete;

  private:
    Precedence& precedence_;
    const hsa_amd_queue_priority_t priority_;
  };

private:
  static_assert(HSA_AMD_QUEUE_PRIORITY_LOW == 0 && HSA_AMD_QUEUE_PRIORITY_HIGH == 2);
  std::atomic<bool> used_{false};
  std::atomic<uint32_t> above_[HSA_AMD_QUEUE_PRIORITY_HIGH] = {}; // by priority
};

} // namespace crosslane::hsa
