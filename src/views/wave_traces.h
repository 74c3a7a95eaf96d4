// Owns making the traces that the cycle model replays (timing/replay/trace.h), of all workgroups of one dispatch or of
// those that the model plans, while it runs: the model takes them in the order of launch from another thread, and is
// not left far behind.
#pragma once
#include "events/listener.h"
#include "timing/replay/trace.h"
#include <memory>
#include <string>

namespace crosslane::views {

class WaveTraces final : public events::Listener, public timing::replay::Source {
public:
  // `planned`: the model says which workgroups it wants (plan()), else it wants all. `ahead`: a workgroup waits to
  // begin while so many before it have not been taken.
  explicit WaveTraces(bool planned = false, uint64_t ahead = 4096);
  ~WaveTraces() override;

  bool wants_issued() const override { return true; }
  bool wants_accesses() const override { return true; }
  bool wants_waves() const override { return true; }
  bool wants_workgroup(const machine::Workgroup&) const override;
  void began(const events::Began&) override;
  void issued(const events::Issued&) override;
  void access(const events::Access&) override;
  void group_ended(const events::GroupEnded&) override;

  // The dispatch is over: there is nothing more to come.
  void finish();
  // Nobody takes any more, so nobody waits.
  void abandon();

  Next next(timing::replay::GroupTrace&) override; // blocks until there is one, or are no more
  void plan(uint64_t end, timing::replay::Fate) override;
  // By the number that traces name it with.
  const events::Block* block(uint32_t number) const;
  // Empty: every workgroup came to its end.
  std::string incomplete() const;

private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

} // namespace crosslane::views
