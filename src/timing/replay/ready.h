// Owns Ready: which of a few waves is the next, as a tree of winners.
#pragma once
#include <array>
#include <cstdint>

namespace crosslane::timing::replay {

template <uint32_t size> class Ready {
public:
  static_assert((size & (size - 1)) == 0 && size <= 64);
  static constexpr uint64_t never = ~uint64_t(0);
  Ready() { tree_.fill(never); }
  void set(uint32_t slot, uint64_t time) { update(slot, time << 6 | slot); }
  void remove(uint32_t slot) { update(slot, never); }
  bool any() const { return tree_[1] != never; }
  uint64_t time() const { return any() ? tree_[1] >> 6 : never; }
  uint32_t slot() const { return uint32_t(tree_[1] & 63); }

private:
  void update(uint32_t slot, uint64_t key) {
    uint32_t n = size + slot;
    tree_[n] = key;
    for (n /= 2; n; n /= 2) {
      const uint64_t a = tree_[2 * n], b = tree_[2 * n + 1], least = a < b ? a : b;
      if (tree_[n] == least)
        return;
      tree_[n] = least;
    }
  }
  std::array<uint64_t, size_t(2) * size> tree_;
};

} // namespace crosslane::timing::replay
