// Owns running a dispatch in the time of the cycle model: a wave that asks for the time, or looks at what others write,
// waits until the model has come there. The model runs on the dispatch's thread, when that has nothing else to do; so
// the answer is the same each time.
#pragma once
#include "events/pace.h"
#include "timing/replay/replay.h"
#include "views/trace_writer.h"
#include <string>

namespace crosslane::views {

class PacedTraces final : public events::Listener, public events::Pace, private timing::replay::Source {
public:
  // `ticks`: what s_memtime reads at cycle 0 of the dispatch; `nanoseconds`: what s_memrealtime counts from, in units
  // of `tick_ns`. A cycle takes `cycle_ns`.
  struct Clock {
    uint64_t cycles = 0;
    double nanoseconds = 0, cycle_ns = 1, tick_ns = 10;
  };
  // `stores`: others look at what waves write.
  PacedTraces(const Clock& clock, bool stores) : clock_(clock), stores_(stores) {}
  void attach(timing::replay::Replay& replay) { replay_ = &replay; } // before anything runs

  bool wants_issued() const override { return true; }
  bool wants_accesses() const override { return true; }
  bool wants_waves() const override { return true; }
  void began(const events::Began&) override;
  void issued(const events::Issued&) override;
  void access(const events::Access& e) override { recorder_.access(e); }
  void group_ended(const events::GroupEnded&) override;

  bool paces_stores() const override { return stores_; }
  bool pass(const events::Site&, const machine::Wave&, uint64_t& clock) override;
  bool begins() override { return over_ || wants_group_; }
  bool go_on(bool more) override;

  // The dispatch is over: the model goes on to its end. Empty: all is well; else what cannot be replayed.
  std::string finish();
  const events::Block* block(uint32_t number) const { return blocks_[number]; } // that traces name

private:
  Next next(timing::replay::GroupTrace&) override;
  void hand_over();
  timing::replay::Replay::State advance();

  struct Group {
    const machine::Workgroup* group = nullptr; // null: it has ended
    std::vector<std::vector<uint64_t>> words;  // of each wave, that were not handed over
    struct Wave {
      bool fresh = false;   // it ran since that was done
      bool asks = false;    // it stands at a pause,
      bool granted = false; // may pass it,
      uint64_t time = 0;    // at this cycle
    };
    std::vector<Wave> waves;
    bool placed = false; // the model has it
  };
  Group& of(const machine::Workgroup& group) { return groups_.find(group.number)->second; }
  void touch(const machine::Wave&);

  const Clock clock_;
  const bool stores_;
  timing::replay::Replay* replay_ = nullptr;
  TraceWriter recorder_;
  std::unordered_map<uint64_t, Group> groups_; // that have begun, by number
  std::vector<std::pair<uint64_t, uint32_t>> fresh_;
  std::vector<uint64_t> ended_;
  uint64_t to_place_ = 0; // number of the next workgroup for the model
  std::vector<const events::Block*> blocks_;
  bool wants_group_ = false, more_ = true;
  bool over_ = false; // the model is: nobody waits for it any more
  std::string incomplete_;
};

} // namespace crosslane::views
