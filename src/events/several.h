// Owns Several: one listener that passes what it hears on to several.
#pragma once
#include "events/listener.h"
#include <algorithm>
#include <vector>

namespace crosslane::events {

class Several final : public Listener {
public:
  void add(Listener& listener) { listeners_.push_back(&listener); }
  bool empty() const { return listeners_.empty(); }

  bool wants_branches() const override { return any(&Listener::wants_branches); }
  bool wants_issued() const override { return any(&Listener::wants_issued); }
  bool wants_accesses() const override { return any(&Listener::wants_accesses); }
  bool wants_space(Space space) const override {
    return std::ranges::any_of(listeners_,
                               [&](const Listener* l) { return l->wants_accesses() && l->wants_space(space); });
  }
  bool wants_steps() const override { return any(&Listener::wants_steps); }
  // All of them hear of what one of them wants.
  bool wants_workgroup(const machine::Workgroup& group) const override {
    return std::ranges::any_of(listeners_, [&](const Listener* l) { return l->wants_workgroup(group); });
  }
  void branch(const Branch& event) override {
    for (Listener* l : listeners_)
      l->branch(event);
  }
  void issued(const Issued& event) override {
    for (Listener* l : listeners_)
      l->issued(event);
  }
  void access(const Access& event) override {
    for (Listener* l : listeners_)
      l->access(event);
  }
  void step(const Step& event) override {
    for (Listener* l : listeners_)
      l->step(event);
  }

private:
  bool any(bool (Listener::*wants)() const) const {
    return std::ranges::any_of(listeners_, [&](const Listener* l) { return (l->*wants)(); });
  }
  std::vector<Listener*> listeners_;
};

} // namespace crosslane::events
