// Owns races: two accesses of one place by different waves, at least one of which writes, that nothing orders; and
// lanes of one instruction that write different values to one place. In LDS (check/race/lds.h) and in global memory
// (check/race/global.h), of one dispatch; and of several, if it is told of their order (check/between.h). What
// counts is what orders two accesses, not which comes first when it runs here; the lanes of a wave go in lock-step, and
// its instructions in their order.
//
// Not judged: accesses of the host; scratch; GDS; workgroups of more than 1024 work-items;
// and of two workgroups where code may wait in the global wave sync.
#pragma once
#include "check/between.h"
#include "check/race/dispatch.h"
#include "check/race/lds.h"
#include "isa/wait_counts.h"

namespace crosslane::lint {
struct Subject;
}

namespace crosslane::check {

// What code may learn from other waves by, so that nothing is kept where it cannot.
struct Fences {
  bool global = false; // it invalidates the cache somewhere
  bool lds = false;    // atomics of LDS have results
  bool gws = false;    // it waits in the global wave sync, of which nothing is told
};
Fences fences_of(const lint::Subject&);

// Of one dispatch; or of several, one after the other.
class Race final : public events::Listener {
public:
  Race(const Fences&, isa::Generation, const Allocations*, Told&);
  // The dispatch that it is to hear is this one, among others.
  void is_one_of(std::shared_ptr<Between>, std::string kernel, uint64_t launch, Operation);
  ~Race() override; // tells
  bool wants_accesses() const override { return true; }
  bool wants_waves() const override { return true; }
  bool wants_barriers() const override { return true; }
  bool wants_waits() const override { return true; }
  bool wants_issued() const override { return fences_.global; }
  void began(const events::Began&) override;
  void group_ended(const events::GroupEnded&) override;
  void wave_ended(const events::WaveEnded&) override;
  void access(const events::Access&) override;
  void released(const events::Released&) override;
  void wait(const events::Wait&) override;
  void issued(const events::Issued&) override;

private:
  struct OfWave : race::WaveState {
    std::span<const events::Site> ahead; // of the block that it is in, if it invalidates the cache there
  };
  struct OfGroup {
    uint32_t interval = 0; // barriers that it has passed
    std::array<OfWave, race::waves_per_group> waves;
    race::Lds lds;
  };
  const Fences fences_;
  const isa::WaitCounts most_;
  // Before gfx90a LLVM waits for all LDS accesses in front of s_barrier, and manuals ask for it. On gfx90a it relies on
  // it that LDS takes the accesses of all waves in one order (SIMemoryLegalizer, insertWait of the workgroup's scope).
  const bool barriers_need_waits_;
  std::unique_ptr<race::Dispatch> dispatch_;
  race::Found& found_;
  race::Global& global_;
  std::shared_ptr<Between> between_; // null: there are no others
  static std::atomic<uint64_t> last_id;
  std::mutex mutex_; // of what follows
  uint64_t id_ = ++last_id;
  std::unordered_map<const machine::Workgroup*, std::unique_ptr<OfGroup>> groups_;
  std::vector<std::unique_ptr<OfGroup>> spare_;
  OfGroup* group_of(const machine::Workgroup*); // null: not judged
  uint32_t site_of(uint64_t pc);
  void invalidate_before(OfWave&, uint64_t pc);
};

} // namespace crosslane::check
