// Owns counting bank conflicts of LDS instructions. LDS has 32 banks of 4 bytes, bank = address bits 6:2. The lanes of an
// access are served in groups, a group in as many cycles as the fullest bank has different dwords; lanes that read the same
// dword share it (broadcast), lanes that write the same dword cost one write, atomics on it go one after the other.
// Groups by access width:
//   up to 4 bytes  {0-31} {32-63}
//   8 bytes        16 lanes each
//   12, 16 bytes   {0-3,20-23} {4-7,16-19} {8-11,28-31} {12-15,24-27}, and the same of lanes 32 to 63
// A two-address instruction is two accesses.
#pragma once
#include "events/listener.h"
#include "views/lane_example.h"
#include <cstdint>
#include <memory>
#include <vector>

namespace crosslane::views {

struct LdsCounts {
  uint64_t accesses = 0;        // wave-instructions with at least one lane
  uint64_t lanes = 0;           // sum of those lanes
  uint64_t cycles = 0;          // of the banks
  uint64_t ideal_cycles = 0;    // one for each group with a lane
  uint64_t broadcasts = 0;      // accesses where lanes shared a dword
  uint64_t same_address_atomics = 0; // lanes beyond the first at one dword, of atomics
  uint64_t conflict_cycles() const { return cycles - ideal_cycles; }
  LdsCounts& operator+=(const LdsCounts&);
  bool operator==(const LdsCounts&) const = default;
};

struct LdsSite {
  uint64_t pc = 0; // address in loaded code
  isa::Instruction instruction;
  events::AccessKind kind{};
  uint32_t bytes = 0; // of a lane
  LdsCounts counts;
  // The worst access: how many cycles one group needed, in which bank, and two lanes that met there.
  uint32_t worst_degree = 0; // 1: no conflict
  uint32_t worst_bank = 0, worst_lane[2] = {0, 0};
  uint64_t worst_address[2] = {0, 0}; // byte offsets in LDS
  LaneExample worst;
};

// Attach to one dispatch or several; read when none is running.
class LdsBanks final : public events::Listener {
public:
  LdsBanks();
  ~LdsBanks() override;
  bool wants_accesses() const override { return true; }
  void access(const events::Access&) override;

  std::vector<LdsSite> sites() const; // by pc

private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

} // namespace crosslane::views
