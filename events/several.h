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

  bool wants_branches() const override {
    return std::ranges::any_of(listeners_, [](const Listener* l) { return l->wants_branches(); });
  }
  bool wants_issued() const override {
    return std::ranges::any_of(listeners_, [](const Listener* l) { return l->wants_issued(); });
  }
  void branch(const Branch& event) override {
    for (Listener* l : listeners_)
      l->branch(event);
  }
  void issued(const Issued& event) override {
    for (Listener* l : listeners_)
      l->issued(event);
  }

private:
  std::vector<Listener*> listeners_;
};

} // namespace crosslane::events
