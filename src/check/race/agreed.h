// Owns which waves have stored one and the same value to a byte, in no order: a load of one of them gets this value,
// whoever of the others comes before it. libgomp's teams set global variables so, each of them, before they read them.
#pragma once
#include "check/race/record.h"
#include <span>
#include <unordered_map>
#include <vector>

namespace crosslane::check::race {

// Not safe for threads.
class Agreed {
public:
  // A place of global memory, or of the LDS of a wave's workgroup.
  struct Place {
    bool lds;
    uint64_t address;
    std::span<const uint8_t> value;
  };
  void add(const Place&, uint32_t wave, uint32_t other);
  bool has(const Place&, uint32_t wave) const;

private:
  struct Waves {
    uint8_t value = 0;
    std::vector<uint32_t> all; // sorted
  };
  std::unordered_map<uint64_t, Waves> bytes_;
};

} // namespace crosslane::check::race
