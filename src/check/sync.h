// Owns barriers that not all come to: waves of a workgroup that wait at different ones, or end while others wait, and
// lanes that go around one and go on. Hardware counts waves, so it lets all of these pass; to who wrote the kernel a
// barrier is of work-items. Waves that never come are a fault of the dispatch (deadlock), with and without this check.
//
// GCC's code has a wave for each thread of OpenMP and each worker of OpenACC, and turns its lanes, which are those of
// SIMD, on by constants (s_mov_b64 exec, 1). Where it has, hardware's rule is the only one: libgomp's threads meet at
// whichever barriers they have come to.
//
// Barriers of a library that is not inlined are one instruction for all that call it: findings say which call it was.
// Waves that meet there by different calls are not told of: OpenMP's teams do, as its library has them.
#pragma once
#include "check/call_stack.h"
#include "check/per_wave.h"
#include "check/sync_code.h"
#include "check/told.h"
#include "events/listener.h"
#include <atomic>
#include <optional>

namespace crosslane::check {

// What the instruction sets EXEC to, if that is a constant.
std::optional<uint64_t> constant_exec(const isa::Instruction&);

// Of one dispatch.
class Sync final : public events::Listener {
public:
  Sync(SyncCode code, Told& told) : code_(code), told_(told) {}
  bool wants_waves() const override { return code_.has_barriers; }
  bool wants_barriers() const override { return code_.has_barriers; }
  bool wants_issued() const override {
    return code_.has_barriers && (code_.lanes_stay_out || code_.has_constant_lanes || code_.has_calls);
  }
  void arrived(const events::Arrived&) override;
  void released(const events::Released&) override;
  void issued(const events::Issued&) override;
  void wave_ended(const events::WaveEnded&) override;

private:
  struct OfWave {
    uint64_t barrier = 0;          // where it has arrived last
    uint64_t around = 0;           // lanes that were off there, and have done nothing since
    bool is_thread = false;        // EXEC is a constant
    CallStack calls;               // if the code has any
    std::vector<uint64_t> callers; // at `barrier`
  };
  void tell_around(OfWave&, const machine::Wave&, uint64_t lanes, uint64_t next);
  const SyncCode code_;
  Told& told_;
  PerWave<OfWave> waves_;
  std::atomic<uint64_t> around_{0}; // waves that have lanes in `around`
};

} // namespace crosslane::check
