// Owns reading one memory request of a wavefront: its cache lines, distinct bytes, L1 groups and pattern. Views add
// these up. What is counted, and what is assumed: views/memory.h.
#pragma once
#include "events/listener.h"
#include "views/memory.h"
#include "views/pattern_memo.h"
#include <array>
#include <cstdint>

namespace crosslane::views {

// How an access reaches L1.
enum class L1Path : uint8_t {
  sixteens, // a single channel: groups of 16 where they coalesce, if no wider than 32 bits
  quads,    // several channels, or an image without a filter
  filtered, // an image with a filter: 32 bits of a quad per clock
  none,     // scalar: another cache
};
// From the encoding alone: whether a sampler filters, only the access tells (events::Access::filtered).
L1Path l1_path(const isa::Instruction&, events::Space);

// The lines that a request touches and what it touches of each. Keeps no memory of its own to clear: a stamp tells what
// is old.
class LineSet {
public:
  void clear() {
    ++stamp_;
    lines_ = distinct_bytes_ = distinct_starts_ = 0;
    last_number_ = ~uint64_t(0); // no address is in it: the last one is short of 2^58
  }
  // `bytes` bytes, at most 64, from `address` on. `start`: an access begins there, for distinct_starts().
  void add(uint64_t address, uint32_t bytes, bool start = true);
  void add_all(const uint64_t* address, int count, uint32_t bytes);
  uint64_t lines() const { return lines_; }
  uint64_t distinct_bytes() const { return distinct_bytes_; }
  uint64_t distinct_starts() const { return distinct_starts_; }

private:
  struct Line {
    uint64_t number, stamp = 0;
    uint64_t bytes, starts; // bit masks over the line's 64 bytes
  };
  Line& line(uint64_t number);
  void touch(Line&, uint64_t bytes, uint32_t count);

  // 64 lanes of 64 bytes in scratch, a line for each dword and one more, misaligned, are 1088 lines.
  static constexpr int bits = 11;
  std::array<Line, size_t(1) << bits> table_ = {};
  uint64_t stamp_ = 0, lines_ = 0, distinct_bytes_ = 0, distinct_starts_ = 0;
  uint64_t last_number_ = ~uint64_t(0);
  size_t last_ = 0;
};

struct MemoryRequest {
  MemoryCounts counts; // requests is 1
  Pattern pattern{};
  int64_t stride = 0;               // strided
  uint64_t lowest = 0, highest = 0; // address
  uint32_t bank_clocks = 0;         // `counts.clocks` where L1 has banks (timing/l1_banks.h)
  bool quads_apart = false;         // wide texels: of most groups of 4, lanes are not next to each other
};

// Reads requests, and remembers patterns of them. One for each thread.
class MemoryReader {
public:
  // What is remembered of a pattern holds but for the addresses: `lowest` is the request's own.
  struct Read {
    const MemoryRequest& request; // until the next
    uint64_t lowest;
  };
  struct Relative {
    MemoryRequest request;
    uint64_t low, high; // its addresses, from that of the first lane on
  };
  using Known = PatternMemo<Relative>::Entry;
  // `last`: of the instruction in its space, null at first.
  Read read(const events::Access&, L1Path, const Known*& last);
  // The same for one that is like none before.
  const MemoryRequest& read_anew(const events::Access&, L1Path);

private:
  LineSet lines_;
  MemoryRequest anew_;
  PatternMemo<Relative> memo_{lane_loops()};
};

} // namespace crosslane::views
