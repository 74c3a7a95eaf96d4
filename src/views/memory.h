// Owns counting what memory instructions ask of the caches: cache lines per wavefront (L2), how lanes coalesce on their
// way to L1, and what it would take at best. Covers FLAT, GLOBAL, SCRATCH, MUBUF, MTBUF, MIMG and SMEM; lanes of FLAT
// instructions that reach LDS are the LDS view's.
// Source: Lottes, "Understanding Memory Coalescing on GCN" (GPUOpen).
//
// L2: all lanes of a wavefront are grouped into the fewest aligned 64-byte requests. Loads and stores of several lanes
// to one line are one request; stores to one address collapse into one write. Atomics do not: each stays an operation.
// The ideal is what the distinct bytes of the request would fill side by side from a line's start on. L1: lanes of
// single accesses of 32 bits or less are taken in aligned groups of 16, at one clock, where the group fits one of the
// three cases below; else, and always for wider accesses, several channels (buffer_load_format_xy) and images, in
// aligned groups of 4, at one clock for each that has a lane. A full wavefront takes 4 to 16 clocks; images that are
// sampled through a linear filter take 32 with texels of 64 bits and 64 with 128, by point 16 as those without a
// sampler. The ideal is a clock for each group of 16 with a lane where the three cases apply at all; elsewhere there is
// nothing to win, and it is the clocks that were taken. Image samples read several texels for each lane (2 x 2 for a
// linear filter). They are one request: its lines and bytes are those of all texels together, its pattern and the
// example that is kept are those of each lane's first texel. Scratch is interleaved: what neighbours in a request are
// is dwords of neighbouring lanes, and a lane's own dwords are 256 bytes, four lines, apart. Scalar accesses go through
// a cache of their own: they have lines, but no clocks and no groups.
//
// assumed: an inactive lane fits any case, and a group of 4 without a lane takes no clock. A counter of TA busy cycles
// over
//   kernels with partial EXEC would settle it.
// assumed: of a linear filter only texels that have a weight are fetched: of a coordinate in the middle of a texel,
// that one. So
//   the emulator does it; counting L1's reads of such a kernel would tell what a card does.
// assumed: image_gather4, which fetches what a linear filter does, goes like one. The source names filters and points
// only. assumed: "a block of 4 consecutive addresses" is elements of the access's own size, anywhere: the source asks
// for no alignment. assumed: atomics reach L1 as loads and stores do, and so do FLAT and GLOBAL, which the source does
// not name beside buffers.
#pragma once
#include "events/listener.h"
#include "views/lane_example.h"
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace crosslane::views {

// How an aligned group of 16 lanes reached L1: the first that fits.
enum class L1Case : uint8_t {
  same_address,       // all lanes one address
  quads_same_address, // each aligned group of 4 lanes one address
  quads_one_block,    // each aligned group of 4 lanes within 4 consecutive addresses, in any order
  separate_quads,     // 32 bits or less, none of these: 4 groups of 4
  wide,               // more than 32 bits, several channels, images: always 4 groups of 4
};
inline constexpr int l1_cases = 5;

// What addresses of neighbouring lanes are to each other, most telling first. A stride is seen from lane number to lane
// number or, where only that fits or is contiguous, from active lane to active lane.
enum class Pattern : uint8_t {
  broadcast,  // one address
  contiguous, // the stride is an element: the bytes of a lane, in scratch a dword
  reversed,   // ... backwards
  strided,    // another stride, of three lanes or more
  block,      // none of these, in no more lines than the lanes' elements fill, and one
  random,     // none of these
  single,     // one lane
};

struct MemoryCounts {
  uint64_t requests = 0;             // wave-instructions with at least one lane that accesses memory
  uint64_t lanes = 0;                // sum of those lanes
  uint64_t lines = 0;                // 64-byte lines touched, summed over requests
  uint64_t ideal_lines = 0;          // ... if the same distinct bytes lay side by side, aligned
  uint64_t bytes_asked = 0;          // lanes times bytes; of image samples, texels times bytes
  uint64_t bytes_moved = 0;          // lines times 64
  uint64_t l2_operations = 0;        // lines for loads and stores, lanes for atomics
  uint64_t address_collisions = 0;   // atomics: lanes beyond the first at one address
  uint64_t clocks = 0;               // of L1 address coalescing, summed over requests
  uint64_t ideal_clocks = 0;         // 4 for a full wavefront of 32 bits or less, 16 for wider; see above
  uint64_t l1_groups[l1_cases] = {}; // groups of 16 lanes with at least one lane, by L1Case
  uint64_t misaligned_lanes = 0;     // address no multiple of the access size (of 4 for more than 4 bytes)
  uint64_t split_lanes = 0; // lanes whose bytes lie in two lines; of scratch, where dwords never lie together, none
  uint64_t excess_lines() const { return lines - ideal_lines; }
  MemoryCounts& operator+=(const MemoryCounts&);
  bool operator==(const MemoryCounts&) const = default;
};

struct MemorySite {
  uint64_t pc = 0; // address in loaded code
  isa::Instruction instruction;
  events::Space space{}; // global, scratch or scalar; FLAT may have one site for each
  events::AccessKind kind{};
  uint32_t bytes = 0; // of a lane; the most, where a buffer's or image's format decides
  MemoryCounts counts;
  Pattern pattern{};        // of most requests
  double pattern_share = 0; // of the requests that have it, 0 to 1
  int64_t stride = 0;       // strided: bytes from a lane to the next, most often
  uint32_t alignment = 0;   // bytes, a power of two up to 4096, that every request's lowest address is a multiple of
  LaneExample worst;        // the request with most excess lines: of such, the first one of the first wave
};

// Of a site: "broadcast", "contiguous", "contiguous, reversed", "stride 8 bytes", "contiguous, permuted", "one address
// per 4 lanes", "one address per 16 lanes", "random", "single lane", "scalar".
std::string describe_pattern(const MemorySite&);

// Attach to one dispatch or several; read when none is running.
class MemoryCoalescing final : public events::Listener {
public:
  MemoryCoalescing();
  ~MemoryCoalescing() override;
  bool wants_accesses() const override { return true; }
  bool wants_space(events::Space space) const override { return space != events::Space::lds; }
  void access(const events::Access&) override;

  std::vector<MemorySite> sites() const; // by pc, space

private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

} // namespace crosslane::views
