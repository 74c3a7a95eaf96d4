// Counts what launches have at the wanted place.
#include "profile/trace_search.h"
#include "profile/collector.h"
#include <fmt/format.h>

namespace crosslane::profile {

namespace {

// "8 workgroups, 0 to 7"
std::string numbered(uint64_t count, const char* noun) {
  return count == 1 ? fmt::format("1 {}, 0", noun) : fmt::format("{} {}s, 0 to {}", count, noun, count - 1);
}

bool is_inside(const std::array<uint32_t, 3>& workgroup, const std::array<uint32_t, 3>& groups) {
  return workgroup[0] < groups[0] && workgroup[1] < groups[1] && workgroup[2] < groups[2];
}

bool has_workgroup(const TracedWave& wanted, const engine::AqlPacket& packet) {
  if (wanted.number)
    return *wanted.number < workgroup_count(packet);
  return is_inside(wanted.workgroup, workgroups_of(packet));
}

// Of the wanted workgroup, which may be a partial one; 0: there is none.
uint64_t waves(const TracedWave& wanted, const engine::AqlPacket& packet) {
  if (!has_workgroup(wanted, packet))
    return 0;
  const auto workgroup = wanted.workgroup_in(workgroups_of(packet));
  uint64_t items = 1;
  for (size_t d = 0; d < 3; ++d) {
    const uint64_t begin = uint64_t(workgroup[d]) * packet.workgroup_size[d];
    items *= std::min<uint64_t>(packet.workgroup_size[d], packet.grid_size[d] - begin);
  }
  return (items + 63) / 64;
}

std::string name_of(const TracedWave& wanted) {
  return wanted.number ? fmt::format("wave {} of workgroup {}", wanted.wave, *wanted.number)
                       : fmt::format("wave {} of workgroup {},{},{}", wanted.wave, wanted.workgroup[0],
                                     wanted.workgroup[1], wanted.workgroup[2]);
}

} // namespace

std::string lacks_wave(const TracedWave& wanted, const engine::AqlPacket& packet) {
  const auto groups = workgroups_of(packet);
  const uint64_t count = workgroup_count(packet), there = waves(wanted, packet);
  if (!count)
    return "is empty";
  if (!there && wanted.number)
    return "has " + numbered(count, "workgroup");
  if (!there)
    return fmt::format("has {} x {} x {} workgroups", groups[0], groups[1], groups[2]);
  return wanted.wave < there ? "" : "has " + numbered(there, "wave") + ", in that workgroup";
}

const TracedWave* TraceSearch::take(const engine::AqlPacket& packet) {
  if (!wanted_)
    return nullptr;
  ++launches_;
  const std::string instead = lacks_wave(*wanted_, packet);
  if (instead.empty())
    return std::exchange(taken_, true) ? nullptr : &*wanted_;
  const uint64_t groups = workgroup_count(packet), there = waves(*wanted_, packet);
  if (nearest_.empty() || there > most_waves_ || (there == most_waves_ && groups > most_groups_))
    most_groups_ = groups, most_waves_ = there, nearest_ = instead;
  return nullptr;
}

void TraceSearch::missed() { taken_ = false, missed_ = true; }

std::string TraceSearch::why_none() const {
  if (!wanted_)
    return "";
  const std::string lead = name_of(*wanted_) + " was not traced: ";
  if (taken_ || missed_)
    return lead + "the launch that has it did not get that far";
  if (!launches_)
    return lead + "nothing that is profiled was launched";
  if (launches_ == 1)
    return lead + "the only launch " + nearest_;
  return lead + fmt::format("none of the {} launches has it; the {} {}", launches_, most_waves_ ? "nearest" : "largest",
                            nearest_);
}

} // namespace crosslane::profile
