// The rows, brought together by what the first instruction does.
#include "lint/checks/hazard_traces.h"
#include <algorithm>

namespace crosslane::lint {

using isa::hazards::Hazard;

HazardTraces::HazardTraces(isa::Generation g) {
  for (const Hazard& h : isa::hazards::all())
    if (h.on(g))
      add(h);
  for (size_t t = 0; t < traces_.size(); ++t)
    traces_of_[size_t(traces_[t].who)] |= uint64_t(1) << t;
}

void HazardTraces::add(const Hazard& h) {
  auto found = std::ranges::find_if(traces_, [&](const Trace& t) {
    return t.who == h.first && t.which.written == h.which_of_first.written &&
           t.which.registers == h.which_of_first.registers && t.which.roles == h.which_of_first.roles;
  });
  if (found == traces_.end())
    found = traces_.insert(found, {h.first, h.which_of_first});
  found->rows.push_back(&h);
  found->most = std::max(found->most, h.states.count);
  found->seconds |= bit(h.second), seconds_ |= bit(h.second);
}

} // namespace crosslane::lint
