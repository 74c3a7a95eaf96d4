// Owns which bytes of memory nothing has defined: of LDS and of buffers, and of a wave's scratch. Four bits a dword,
// one a byte; an item is asked for by where it begins, and may lie across dwords.
#pragma once
#include "check/init/registers.h"
#include <algorithm>
#include <atomic>
#include <unordered_map>
#include <vector>

namespace crosslane::check::init {

// Undefined at first. Several threads may use it, as they use the memory; only whole dwords are cheap.
class Bytes {
public:
  explicit Bytes(uint64_t bytes) : size_(bytes), dwords_(size_t(bytes + 3) / 4, 0xf) {}
  // A bit for each of `count` bytes, of at most 4, from `offset` on.
  uint32_t undefined(uint64_t offset, unsigned count) const {
    if (offset % 4 == 0 && count == 4) [[likely]]
      return load(offset / 4);
    return (load(offset / 4) | load(offset / 4 + 1) << 4) >> offset % 4 & uint32_t(ones(count));
  }
  void set(uint64_t offset, unsigned count, uint32_t undefined) {
    if (offset % 4 == 0 && count == 4) [[likely]]
      return store(offset / 4, undefined);
    const uint32_t touched = uint32_t(ones(count)) << offset % 4, value = undefined << offset % 4;
    change(offset / 4, touched & 0xf, value & 0xf), change(offset / 4 + 1, touched >> 4, value >> 4);
  }
  uint64_t size() const { return size_; }
  // Whether all bytes below are defined, as it is of LDS mostly. One thread.
  bool all_below(uint64_t end) {
    while (defined_ * 4 < end && defined_ < dwords_.size() && !dwords_[defined_])
      ++defined_;
    return defined_ * 4 >= end;
  }
  // Of dwords that were written with an undefined value. LDS alone: one thread.
  std::unordered_map<uint64_t, Origin> origins;

private:
  uint64_t size_;
  uint64_t defined_ = 0;                // dwords, from the first one on
  mutable std::vector<uint8_t> dwords_; // atomic_ref wants what may be written
  static constexpr uint64_t ones(unsigned n) { return (uint64_t(1) << n) - 1; }
  uint32_t load(uint64_t dword) const {
    return dword < dwords_.size() ? std::atomic_ref(dwords_[dword]).load(std::memory_order_relaxed) : 0;
  }
  void store(uint64_t dword, uint32_t undefined) {
    if (undefined && dword < defined_)
      defined_ = dword;
    if (dword < dwords_.size())
      std::atomic_ref(dwords_[dword]).store(uint8_t(undefined), std::memory_order_relaxed);
  }
  void change(uint64_t dword, uint32_t touched, uint32_t undefined) {
    if (!touched || dword >= dwords_.size())
      return;
    if (undefined && dword < defined_)
      defined_ = dword;
    const std::atomic_ref<uint8_t> d(dwords_[dword]);
    if (touched & ~undefined)
      d.fetch_and(uint8_t(~(touched & ~undefined)), std::memory_order_relaxed);
    if (undefined)
      d.fetch_or(uint8_t(undefined), std::memory_order_relaxed);
  }
};

// Undefined at first; takes room for what is written. By byte of a lane's scratch, but to the bit: compilers spill
// masks of which only lanes that are on are defined.
class Scratch {
public:
  // Of `count` bytes, of at most 4, from `offset` on.
  uint32_t undefined(uint64_t offset, int lane, unsigned count) const {
    const uint64_t both = load(offset / 4, lane) | uint64_t(offset % 4 ? load(offset / 4 + 1, lane) : 0) << 32;
    return uint32_t(both >> 8 * (offset % 4) & ((uint64_t(1) << 8 * count) - 1));
  }
  void set(uint64_t offset, int lane, unsigned count, uint32_t undefined) {
    const unsigned shift = 8 * (offset % 4);
    const uint64_t touched = ((uint64_t(1) << 8 * count) - 1) << shift, value = uint64_t(undefined) << shift;
    change(offset / 4, lane, uint32_t(touched), uint32_t(value));
    change(offset / 4 + 1, lane, uint32_t(touched >> 32), uint32_t(value >> 32));
  }
  std::unordered_map<uint64_t, Origin> origins; // by dword, of what was written last with an undefined value

private:
  using Line = std::array<uint32_t, machine::lanes_per_wave>;
  std::vector<std::unique_ptr<Line>> lines_; // by dword; null: never written
  uint32_t load(uint64_t dword, int lane) const {
    return dword < lines_.size() && lines_[dword] ? (*lines_[dword])[size_t(lane)] : ~0u;
  }
  void change(uint64_t dword, int lane, uint32_t touched, uint32_t undefined) {
    if (!touched)
      return;
    if (dword >= lines_.size())
      lines_.resize(std::max<size_t>(dword + 1, lines_.size() * 2));
    if (!lines_[dword])
      lines_[dword] = std::make_unique<Line>(), lines_[dword]->fill(~0u);
    uint32_t& d = (*lines_[dword])[size_t(lane)];
    d = (d & ~touched) | undefined;
  }
};

} // namespace crosslane::check::init
