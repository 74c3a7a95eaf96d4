// Owns the conflicts of one access on their way to Found: those with one other instruction are one.
#pragma once
#include "check/race/found.h"
#include "check/race/stored.h"
#include <algorithm>

namespace crosslane::check::race {

class Reporter {
public:
  Reporter(Found& found, const events::Access& e, const Record& me) : found_(found), event_(e), me_(me) {}
  ~Reporter() {
    flush();
    if (again_)
      if (const auto clash = clash_of(event_))
        found_.clash(event_, me_, clash->first, clash->second, clash->address);
  }
  Reporter(const Reporter&) = delete;

  // `value`: what the last store has left from `address` on, null if that is not known.
  void conflict(const Record& other, uint64_t address, uint32_t bytes, const uint8_t* value) {
    const bool same = value && is_same(other, address, {value, bytes});
    if (times_ && (other.site != other_.site || same != same_))
      flush();
    if (!times_)
      other_ = other, address_ = address, same_ = same;
    times_ += std::max(1u, bytes / 4);
  }
  void again() { again_ = true; }
  void reads_own(const Record& r) {
    if (compares_and_swaps(event_) && r.site != swapped_)
      found_.swaps_what_it_loaded(swapped_ = r.site);
  }

private:
  Found& found_;
  const events::Access& event_;
  const Record& me_;
  Record other_;
  uint64_t address_ = 0, times_ = 0;
  uint32_t swapped_ = UINT32_MAX;
  bool same_ = false, again_ = false;
  // Whichever of the two comes first, the outcome is the same.
  bool is_same(const Record& other, uint64_t address, std::span<const uint8_t> value) {
    const auto is = [](const Record& r, Kind kind) { return Kind(r.kind) == kind; };
    if (is(me_, Kind::store) && !writes_what_is_there(event_, {address, address + value.size(), value.data()}))
      return false;
    const Agreed::Place place{event_.space == events::Space::lds, address, value};
    if (is(me_, Kind::store) && is(other, Kind::store)) {
      found_.agree(place, me_.wave, other.wave);
      return true;
    }
    if (is(me_, Kind::load) && is(other, Kind::store))
      return found_.agreed(place, me_.wave);
    return is(me_, Kind::store) && is(other, Kind::load) && found_.agreed(place, other.wave);
  }
  void flush() {
    if (times_)
      found_.race(event_, me_, other_, address_, times_, same_);
    times_ = 0;
  }
};

} // namespace crosslane::check::race
