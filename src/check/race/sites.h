// Owns numbers of instructions, which are smaller than addresses.
#pragma once
#include <cstdint>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace crosslane::check::race {

class Sites {
public:
  static constexpr uint32_t most = (1u << 24) - 1; // beyond, all have this number
  // From any thread.
  uint32_t number(uint64_t pc);
  uint64_t pc(uint32_t number) const {
    const std::lock_guard lock(mutex_);
    return pcs_[number];
  }

private:
  mutable std::mutex mutex_;
  std::unordered_map<uint64_t, uint32_t> numbers_;
  std::vector<uint64_t> pcs_;
};

} // namespace crosslane::check::race
