// Owns the question which launch has the wave that is to be traced: of those that are asked for, the first that has one
// there. A kernel may be launched in many sizes, and under `crosslane run` nobody knows them beforehand.
#pragma once
#include "engine/dispatch.h"
#include "profile/options.h"

namespace crosslane::profile {

// What the launch has instead of such a wave, as the rest of a sentence: "has 8 workgroups, 0 to 7"; empty: it has one.
std::string lacks_wave(const TracedWave&, const engine::AqlPacket&);

class TraceSearch {
public:
  explicit TraceSearch(std::optional<TracedWave> wanted) : wanted_(wanted) {}
  // Once for each launch that is asked for: the wave of it that is to be recorded; null: none.
  const TracedWave* take(const engine::AqlPacket&);
  // The launch that was taken has ended before that wave began: another one may have it.
  void missed();
  // Why nothing was recorded, in a sentence; to be asked if nothing was.
  std::string why_none() const;

private:
  const std::optional<TracedWave> wanted_;
  bool taken_ = false, missed_ = false;
  uint64_t launches_ = 0;
  // What the launch with most workgroups, or with most waves in the wanted one, has instead.
  uint64_t most_groups_ = 0, most_waves_ = 0;
  std::string nearest_;
};

} // namespace crosslane::profile
