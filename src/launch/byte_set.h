// Owns ByteSet: which bytes of a dispatch's memory something is true of. A bit for each byte, in memory that nobody has
// touched but where bits are set; so it costs what it holds, wherever in the window that lies.
#pragma once
#include "capture/dispatch.h"
#include <optional>
#include <span>

namespace crosslane::launch {

struct Interval {
  uint64_t begin = 0, end = 0; // addresses
  bool operator==(const Interval&) const = default;
};

class ByteSet {
public:
  // Of bytes in these ranges, by address. An error if the host lacks the address space.
  static llvm::Expected<ByteSet> create(std::span<const capture::Range>);
  ByteSet(ByteSet&& other) noexcept;
  ~ByteSet();

  // From any thread. What lies outside of all ranges is left out.
  void add(uint64_t begin, uint64_t end);
  // The first of the longest intervals within [begin, end), all of whose bytes are in the set.
  std::optional<Interval> first(uint64_t begin, uint64_t end) const;
  // All of them there, by address.
  void append(uint64_t begin, uint64_t end, std::vector<Interval>& to) const;

private:
  ByteSet() = default;
  uint64_t words() const { return (end_ - begin_) / 64; }
  uint64_t chunks() const;
  uint64_t find(uint64_t bit, uint64_t end, bool set) const;

  uint64_t begin_ = 0, end_ = 0; // multiples of a page
  uint64_t* bits_ = nullptr;     // one mapping with
  uint8_t* chunks_ = nullptr;    // one for each page of bits: not 0 if any is set
};

} // namespace crosslane::launch
