// Owns Clock: what happens before a wave goes on, of waves in other workgroups. Sparse, and shared: waves that learn of
// each other in a chain have most of their clocks in common.
#pragma once
#include "check/race/record.h"
#include <array>
#include <memory>

namespace crosslane::check::race {

class Clock {
public:
  // Of one workgroup: all that its waves did before this many barriers, and each wave's first so many instructions.
  struct Group {
    uint32_t interval = 0;
    std::array<uint32_t, waves_per_group> count{};
    bool operator==(const Group&) const = default;
  };

  bool covers(const Record&) const;
  bool empty() const { return !root_; }
  void join(const Clock&);
  void join(uint32_t group, const Group&);
  bool operator==(const Clock&) const = default; // of one origin

private:
  struct Node;
  using Pointer = std::shared_ptr<const void>; // a Node, or at the bottom a Group
  Pointer root_;
  uint32_t height_ = 0; // Nodes on the way down; groups below 16^height
  static Pointer joined(const Pointer&, const Pointer&, uint32_t height);
  void grow(uint32_t height);
};

} // namespace crosslane::check::race
