// Rounds: workgroups are placed, all clusters run a while by themselves, L2 answers them in the order of time.
#include "timing/replay/replay.h"
#include <algorithm>
#include <fmt/format.h>
#include <tuple>

namespace crosslane::timing::replay {

Replay::Replay(const Machine& machine, const Needs& needs, std::function<const events::Block*(uint32_t)> find)
    : machine_(machine), needs_(needs), find_(std::move(find)), program_(machine_), l2_(machine_) {
  engines_.resize(machine_.engines);
  next_unit_.resize(machine_.engines);
  // Units of an engine follow each other, and share caches with their neighbours.
  const uint32_t per_engine = (machine_.units + machine_.engines - 1) / machine_.engines;
  for (uint32_t unit = 0, engine = 0; unit < machine_.units; ++engine) {
    const uint32_t end = std::min(machine_.units, unit + per_engine);
    while (unit < end) {
      const uint32_t count = std::min(machine_.units_per_cache, end - unit);
      clusters_.push_back(std::make_unique<Cluster>(machine_, program_, count));
      for (uint32_t i = 0; i < count; ++i)
        engines_[engine].push_back({uint32_t(clusters_.size() - 1), i});
      unit += count;
    }
  }
}

// Engines take turns; one that has no room is passed over.
bool Replay::place(GroupTrace& trace, const Needs& needs) {
  if (resident_ && resident_ + needs.waves > machine_.waves_in_flight)
    return false;
  for (size_t tries = 0; tries < engines_.size(); ++tries) {
    const uint32_t e = next_engine_;
    next_engine_ = uint32_t((next_engine_ + 1) % engines_.size());
    const auto& units = engines_[e];
    for (size_t i = 0; i < units.size(); ++i) {
      const Place at = units[(next_unit_[e] + i) % units.size()];
      Cluster& cluster = *clusters_[at.cluster];
      if (!cluster.fits(at.unit, needs))
        continue;
      next_unit_[e] = uint32_t((next_unit_[e] + i + 1) % units.size());
      const double launch = std::max(dispatcher_, double(cluster.released(at.unit)));
      dispatcher_ = launch + std::max(double(machine_.launch_period), machine_.wave_launch * needs.waves);
      resident_ += needs.waves;
      cluster.place(at.unit, std::move(trace), needs, std::max(uint64_t(launch) + machine_.launch_latency, now_));
      return true;
    }
  }
  return false;
}

void Replay::exchange() {
  asked_.clear();
  for (const auto& cluster : clusters_)
    for (Request& r : cluster->requests())
      asked_.push_back({r.time, uint32_t(asked_.size()), &r});
  // Those of one time stay in the order of clusters and of asking.
  std::ranges::sort(
      asked_, [](const Asked& a, const Asked& b) { return std::tie(a.time, a.order) < std::tie(b.time, b.order); });
  for (const Asked& a : asked_)
    l2_.serve(*a.request);
  for (const auto& cluster : clusters_)
    cluster->answer();
}

std::string Replay::run(Source& source) {
  const uint64_t round = std::min({machine_.l2_latency, machine_.scalar_latency + machine_.scalar_miss});
  GroupTrace trace;
  bool more = source.next(trace), fresh = more;
  for (;;) {
    resident_ = 0;
    for (const auto& cluster : clusters_)
      resident_ += cluster->resident();
    while (more) {
      Needs needs = needs_;
      needs.waves = uint32_t(trace.waves.size());
      if (fresh)
        for (const auto& words : trace.waves) {
          if (words.empty())
            return fmt::format("workgroup {} has a wave that did not execute anything", trace.number);
          program_.know(words, find_);
        }
      fresh = false;
      if (!place(trace, needs))
        break;
      trace = {};
      more = fresh = source.next(trace);
    }
    uint64_t next = Cluster::never;
    for (const auto& cluster : clusters_)
      next = std::min(next, cluster->next());
    if (next == Cluster::never) {
      if (more)
        return fmt::format("a workgroup of {} waves with {} VGPRs, {} SGPRs and {} bytes of LDS does not fit into a "
                           "compute unit of this card",
                           trace.waves.size(), needs_.vgprs, needs_.sgprs, needs_.lds);
      return {};
    }
    now_ = std::max(now_, next) + round;
    for (const auto& cluster : clusters_)
      if (cluster->next() < now_)
        cluster->run(now_);
    exchange();
  }
}

Figures Replay::figures() const {
  Figures f;
  for (const auto& cluster : clusters_) {
    cluster->add_to(f);
    f.cycles = std::max(f.cycles, cluster->ended());
  }
  f.memory = l2_.figures();
  f.nanoseconds = machine_.launch_ns + double(f.cycles) / machine_.mhz * 1e3;
  return f;
}

} // namespace crosslane::timing::replay
