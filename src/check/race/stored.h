// Owns the data that a store is about to write: what it leaves in the shadow, whether it is what is there already, and
// whether lanes write different data to one place.
#pragma once
#include "events/listener.h"
#include <optional>

namespace crosslane::check::race {

// Of one address of each lane, in registers. Not known of stores that convert, of those whose data comes from LDS, and
// of scalar ones.
class Stored {
public:
  Stored(const events::Access&, bool second);
  bool known() const { return registers_ != nullptr; }
  // Bytes [from, from + count) of what a lane writes.
  void copy(int lane, uint32_t from, uint32_t count, uint8_t* to) const;
  // The same of lanes that write `count` bytes one behind the other, the first from `from` on.
  void copy_run(uint64_t lanes, uint32_t bytes, uint64_t from, uint64_t count, uint8_t* to) const;

private:
  const uint8_t* registers_ = nullptr;
  uint32_t shift_ = 0; // bytes
};

// Bytes of the shadow, of [begin, end).
struct Bytes {
  uint64_t begin, end;
  const uint8_t* at;
};
bool writes_what_is_there(const events::Access&, const Bytes&);

// Two lanes, or the two addresses of one, that write to the same byte.
struct Clash {
  int first, second;
  uint64_t address;
};
// The first that writes something else there, or may do so.
std::optional<Clash> clash_of(const events::Access&);

} // namespace crosslane::check::race
