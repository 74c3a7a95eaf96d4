// Owns counting bank conflicts of LDS instructions. LDS has 32 banks of 4 bytes, bank = address bits 6:2. The lanes of
// an access are served in groups, a group in as many cycles as the fullest bank has different dwords; lanes that read
// the same dword share it (broadcast), lanes that write the same dword cost one write, atomics on it go one after the
// other. Lanes that are served together, by bytes of a lane:
//   up to 4        {0-31} {32-63}
//   8              {0-15} {16-31} {32-47} {48-63}
//   12, 16 loads   {0-3,20-23} {4-7,16-19} {8-11,28-31} {12-15,24-27}, and the same of lanes 32 to 63
//   12, 16 stores  {0-7} {8-15} ... {56-63}
// What a group needs beyond its first cycle are conflict cycles. They add to what the instruction takes without any,
// which is timing/lds_cycles.h's. A two-address instruction is two accesses, one after the other; if its addresses are
// next to each other, one access of twice the width.
//
// How sure that is (more in docs/bank-conflicts.md):
// - Loads of 4, 8 and 16 bytes are measured on gfx942 (amd-shark-ai, docs/empirical-lds). AMD's omniprobe has the same
//   groups for gfx906, gfx908 and gfx90a.
// - Stores of 16 bytes are as AMD says of its MI cards ("Avoiding LDS Bank Conflicts on AMD GPUs", rocm.blogs.amd.com).
//   omniprobe takes them for served like loads.
// - Of gfx6 and those after it AMD's OpenCL guide says that half a wavefront is checked at a time, and that float2 in
//   sequence has no conflict, which takes quarters. assumed: those quarters, and 16 bytes of gfx7 to gfx900 as measured
//   on gfx942. The same measurement on such a card would settle it.
// - That conflicts add to stores and atomics, which have cycles to spare at their banks, is CLRX's ("any bank conflict
// adds
//   penalty to timing and throughput").
// - assumed: what two addresses cost. LLVM merges accesses at any distance into such instructions, so that they cannot
//   cost more than both; and takes ds_read2_b32 for a ds_read_b64 that is not aligned, as fast as that.
// - assumed: 12 bytes go like 16. Stores of bytes and halves to one dword merge like those of whole dwords (as global
//   stores do). What is not aligned costs the dword more that it touches and nothing else.
// - assumed: atomics on one dword take a cycle each. AMD's counters have those apart, as SQ_LDS_ADDR_CONFLICT.
#pragma once
#include "events/listener.h"
#include "views/lane_example.h"
#include <cstdint>
#include <memory>
#include <vector>

namespace crosslane::views {

struct LdsCounts {
  uint64_t accesses = 0;             // wave-instructions with at least one lane
  uint64_t lanes = 0;                // sum of those lanes
  uint64_t cycles = 0;               // ideal_cycles and those of conflicts
  uint64_t ideal_cycles = 0;         // what the accesses take without conflicts
  uint64_t broadcasts = 0;           // loads in which lanes of a group shared a dword
  uint64_t same_address_atomics = 0; // of atomics: lanes beyond the first at one dword, in each group
  uint64_t same_address_cycles = 0;  // of atomics: that they take longer so than if lanes at one dword were one
  uint64_t conflict_cycles() const { return cycles - ideal_cycles; }
  // Without those of atomics at one dword, which are no matter of banks.
  uint64_t bank_conflict_cycles() const { return conflict_cycles() - same_address_cycles; }
  LdsCounts& operator+=(const LdsCounts&);
  bool operator==(const LdsCounts&) const = default;
};

struct LdsSite {
  uint64_t pc = 0; // address in loaded code
  isa::Instruction instruction;
  events::AccessKind kind{};
  uint32_t bytes = 0; // of a lane
  LdsCounts counts;
  // The worst access: how many cycles one group needed, in which bank, and two lanes that met there. Of several that
  // are as bad, the one of the first workgroup (by z, y, x) and wave.
  uint32_t worst_degree = 0; // 1: no conflict, and then there is no such bank
  uint32_t worst_bank = 0, worst_lane[2] = {0, 0};
  uint64_t worst_address[2] = {0, 0}; // byte offsets in LDS of the two dwords; of atomics they may be equal
  LaneExample worst;
};

// Attach to one dispatch or several; read when none is running.
class LdsBanks final : public events::Listener {
public:
  LdsBanks();
  ~LdsBanks() override;
  bool wants_accesses() const override { return true; }
  bool wants_space(events::Space space) const override { return space == events::Space::lds; }
  void access(const events::Access&) override;

  std::vector<LdsSite> sites() const; // by pc

private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

} // namespace crosslane::views
