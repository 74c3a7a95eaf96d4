// Owns Recent: where the last lookups in a table of sites ended. A loop has few memory instructions.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

namespace crosslane::views {

template <class T> class Recent {
public:
  // The element of `key`, which must not move: as it was found last time, or else by look_up(). `slot`: numbers that
  // are close to each other for keys that are used together.
  template <class F> T& find(uint64_t key, size_t slot, F look_up) {
    Found& found = found_[slot % found_.size()];
    if (found.key != key || !found.element) [[unlikely]]
      found = {key, look_up()};
    return *found.element;
  }

private:
  struct Found {
    uint64_t key = 0;
    T* element = nullptr;
  };
  std::array<Found, 64> found_;
};

} // namespace crosslane::views
