// Owns barriers that not all come to: waves of a workgroup that wait at different ones, or end while others wait, and
// lanes that go around one and go on. Hardware counts waves, so it lets all of these pass; to who wrote the kernel a
// barrier is of work-items. Waves that never come are a fault of the dispatch (deadlock), with and without this check.
#pragma once
#include "check/per_wave.h"
#include "check/told.h"
#include "events/listener.h"
#include <atomic>

namespace crosslane::check {

// Of one dispatch.
class Sync final : public events::Listener {
public:
  explicit Sync(Told& told) : told_(told) {}
  bool wants_waves() const override { return true; }
  bool wants_barriers() const override { return true; }
  bool wants_issued() const override { return true; }
  void arrived(const events::Arrived&) override;
  void released(const events::Released&) override;
  void issued(const events::Issued&) override;
  void wave_ended(const events::WaveEnded&) override;

private:
  struct OfWave {
    uint64_t barrier = 0; // where it has arrived last
    uint64_t around = 0;  // lanes that were off there, and have done nothing since
  };
  void tell_around(OfWave&, const machine::Wave&, uint64_t lanes, uint64_t next);
  Told& told_;
  PerWave<OfWave> waves_;
  std::atomic<uint64_t> around_{0}; // waves that have lanes in `around`
};

} // namespace crosslane::check
