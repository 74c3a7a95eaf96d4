// Owns the shadow of 256 bytes, which is what a wave accesses at once if each lane has a dword: cells of bytes that are
// accessed alike, from one for all of them to one for each. They lie in order without gaps, so that shadow memory grows
// with how memory is divided and not with its bytes.
#pragma once
#include "check/race/record.h"
#include <algorithm>
#include <array>
#include <bit>
#include <memory>

namespace crosslane::check::race {

struct Cell {
  Record writer; // a store or an atomic
  // Plain loads. In place of the second, where the writer is an atomic: one of another wave that was there before.
  std::array<Record, 2> readers;
};

inline constexpr uint32_t line_bytes = 256;

class Line {
public:
  // Of all bytes, one cell that nothing has accessed.
  void clear() {
    count_ = 1, starts_ = 1, byte_starts_.reset();
    *cells() = {};
  }
  Cell& at(uint32_t byte) { return cells()[index_of(byte)]; }
  // The cell of just these bytes, where it is found without a search; else null.
  Cell* exactly(uint32_t first, uint32_t bytes) {
    if (count_ == 1)
      return bytes == line_bytes ? cells() : nullptr;
    return in_dwords() && bytes == 4 && first % 4 == 0 ? &many_[first / 4] : nullptr;
  }
  // Where the next cell begins, or the line ends.
  uint32_t next(uint32_t byte) const {
    if (byte_starts_) {
      const uint32_t unit = byte + 1;
      for (uint32_t word = unit / 64; word < 4; ++word)
        if (const uint64_t left = (*byte_starts_)[word] >> (word == unit / 64 ? unit % 64 : 0))
          return (word == unit / 64 ? unit : word * 64) + uint32_t(std::countr_zero(left));
      return line_bytes;
    }
    const uint64_t left = starts_ & ~uint64_t(1) << byte / 4;
    return left ? uint32_t(std::countr_zero(left)) * 4 : line_bytes;
  }
  // A cell begins there.
  void divide_at(uint32_t byte) {
    if (byte % line_bytes && !begins(byte))
      divide(byte);
  }
  // Those of [first, end), at both of which cells begin, are one.
  void unite(uint32_t first, uint32_t end);
  uint32_t count() const { return count_; }

private:
  using ByteStarts = std::array<uint64_t, line_bytes / 64>;
  uint32_t count_ = 1, room_ = 1;
  uint64_t starts_ = 1;                     // dwords at which cells begin, a bit each
  std::unique_ptr<ByteStarts> byte_starts_; // in its place, once one begins within a dword
  Cell one_;
  std::unique_ptr<Cell[]> many_; // in its place, once there was more than one

  Cell* cells() { return many_ ? many_.get() : &one_; }
  bool in_dwords() const { return count_ == line_bytes / 4 && !byte_starts_; }
  bool begins(uint32_t byte) const {
    return byte_starts_ ? (*byte_starts_)[byte / 64] >> byte % 64 & 1 : byte % 4 == 0 && starts_ >> byte / 4 & 1;
  }
  // Of the cell that the byte is in.
  uint32_t index_of(uint32_t byte) const {
    if (count_ == 1)
      return 0;
    if (in_dwords())
      return byte / 4;
    if (!byte_starts_)
      return uint32_t(std::popcount(starts_ << (63 - byte / 4))) - 1;
    uint32_t number = 0;
    for (uint32_t word = 0; word < byte / 64; ++word)
      number += uint32_t(std::popcount((*byte_starts_)[word]));
    return number + uint32_t(std::popcount((*byte_starts_)[byte / 64] << (63 - byte % 64))) - 1;
  }
  void divide(uint32_t byte);
};

} // namespace crosslane::check::race
