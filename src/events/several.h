// Owns Several: one listener that passes what it hears on to several.
#pragma once
#include "events/listener.h"
#include <algorithm>
#include <vector>

namespace crosslane::events {

class Several : public Listener {
public:
  void add(Listener& listener) { listeners_.push_back(&listener); }
  bool empty() const { return listeners_.empty(); }
  // In its place, if there is but one: what it hears comes straight. Null: there are others.
  Listener* only() const { return listeners_.size() == 1 ? listeners_.front() : nullptr; }

  bool wants_branches() const override { return any(&Listener::wants_branches); }
  bool wants_issued() const override { return any(&Listener::wants_issued); }
  bool wants_accesses() const override { return any(&Listener::wants_accesses); }
  bool wants_space(Space space) const override {
    return std::ranges::any_of(listeners_,
                               [&](const Listener* l) { return l->wants_accesses() && l->wants_space(space); });
  }
  bool wants_steps() const override { return any(&Listener::wants_steps); }
  bool wants_waves() const override { return any(&Listener::wants_waves); }
  bool wants_barriers() const override { return any(&Listener::wants_barriers); }
  bool wants_waits() const override { return any(&Listener::wants_waits); }
  bool wants_memory() const override { return any(&Listener::wants_memory); }
  bool takes_counts() const override {
    return std::ranges::all_of(listeners_, [](const Listener* l) { return l->takes_counts(); });
  }
  // All of them hear of what one of them wants.
  bool wants_workgroup(const machine::Workgroup& group) const override {
    return std::ranges::any_of(listeners_, [&](const Listener* l) { return l->wants_workgroup(group); });
  }
  void branch(const Branch& event) override { tell<&Listener::branch>(event); }
  void issued(const Issued& event) override { tell<&Listener::issued>(event); }
  void counted(const Counted& event) override { tell<&Listener::counted>(event); }
  void branch_counted(const BranchCounted& event) override { tell<&Listener::branch_counted>(event); }
  void access(const Access& event) override { tell<&Listener::access>(event); }
  void step(const Step& event) override { tell<&Listener::step>(event); }
  void began(const Began& event) override { tell<&Listener::began>(event); }
  void wave_ended(const WaveEnded& event) override { tell<&Listener::wave_ended>(event); }
  void group_ended(const GroupEnded& event) override { tell<&Listener::group_ended>(event); }
  void arrived(const Arrived& event) override { tell<&Listener::arrived>(event); }
  void released(const Released& event) override { tell<&Listener::released>(event); }
  void wait(const Wait& event) override { tell<&Listener::wait>(event); }
  void allocated(const machine::Allocation& event) override { tell<&Listener::allocated>(event); }
  void freed(const machine::Allocation& event) override { tell<&Listener::freed>(event); }

private:
  template <auto Hears, class Event> void tell(const Event& event) const {
    for (Listener* l : listeners_)
      (l->*Hears)(event);
  }
  bool any(bool (Listener::*wants)() const) const {
    return std::ranges::any_of(listeners_, [&](const Listener* l) { return (l->*wants)(); });
  }
  std::vector<Listener*> listeners_;
};

} // namespace crosslane::events
