// Of names for one place the first counts.
#include "check/variables.h"
#include <algorithm>

namespace crosslane::check {

Variables::Variables(const lint::Subject& subject) {
  for (const codeobject::Segment& s : subject.object->segments())
    if (const uint64_t begin = s.address + subject.image->bias; !s.writable)
      read_only_.push_back({{begin, begin + s.size}, s.executable});
  for (const codeobject::Symbol& s : subject.object->symbols()) {
    if (s.kind != codeobject::Symbol::Kind::object || !s.defined || s.absolute || !s.size)
      continue;
    const uint64_t begin = s.address + subject.image->bias;
    if (all_.empty() || begin >= all_.back().end)
      all_.push_back({{begin, begin + s.size}, codeobject::demangle(s.name), {}});
  }
}

const Variables::Segment* Variables::read_only(const Extent& x) const {
  const auto found =
      std::ranges::find_if(read_only_, [&](const Segment& s) { return x.begin < s.end && x.end > s.begin; });
  return found == read_only_.end() ? nullptr : &*found;
}

const Allocations::Named* Variables::find(uint64_t address) const {
  const auto above = std::ranges::upper_bound(all_, address, {}, &Allocations::Named::begin);
  if (above == all_.begin() || address >= std::prev(above)->end)
    return nullptr;
  return &*std::prev(above);
}

} // namespace crosslane::check
