// Owns the variables of a code object: what of its image is one object of the source, so that an access that leaves it
// is known to be wrong; and what of it is for reading alone.
#pragma once
#include "check/allocations.h"
#include "lint/subject.h"
#include <vector>

namespace crosslane::check {

class Variables {
public:
  explicit Variables(const lint::Subject&);
  // The one that has this address; null: none has, or nobody knows how large it is.
  const Allocations::Named* find(uint64_t address) const;
  // The segment that is not writable and has some of these bytes; null: none.
  struct Segment : Extent {
    bool executable = false;
  };
  const Segment* read_only(const Extent&) const;

private:
  std::vector<Segment> read_only_;
  std::vector<Allocations::Named> all_; // by address, none over another one
};

} // namespace crosslane::check
