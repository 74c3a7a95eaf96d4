// Of names for one place the first counts.
#include "check/variables.h"
#include <algorithm>

namespace crosslane::check {

Variables::Variables(const lint::Subject& subject) {
  for (const codeobject::Symbol& s : subject.object->symbols()) {
    if (s.kind != codeobject::Symbol::Kind::object || !s.defined || s.absolute || !s.size)
      continue;
    const uint64_t begin = s.address + subject.image->bias;
    if (all_.empty() || begin >= all_.back().end)
      all_.push_back({{begin, begin + s.size}, codeobject::demangle(s.name), {}});
  }
}

const Allocations::Named* Variables::find(uint64_t address) const {
  const auto above = std::ranges::upper_bound(all_, address, {}, &Allocations::Named::begin);
  if (above == all_.begin() || address >= std::prev(above)->end)
    return nullptr;
  return &*std::prev(above);
}

} // namespace crosslane::check
