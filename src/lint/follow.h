// Owns following a wave that runs: a check that walks over code (lint/forward.h) goes along the one way that the wave
// takes, where nothing has to be joined and what it holds is what is.
#pragma once
#include "lint/finding.h"
#include "lint/steps.h"
#include <memory>

namespace crosslane::lint {

// What a check knows of one wave.
class WaveState {
public:
  virtual ~WaveState() = default;
};

// A check of one subject; not for several threads at once.
class Follower {
public:
  virtual ~Follower() = default;
  virtual std::unique_ptr<WaveState> enter(const analysis::Function&) = 0;
  // The wave is about to execute it. `judged`: else it does nothing that could be wrong (no lane is on).
  virtual void step(WaveState&, const Step&, bool judged) = 0;
};

// P as lint/forward.h has it; calls and returns are steps as all others.
template <class P> class Following final : public Follower {
public:
  Following(const Subject& subject, Report& report) : p_(subject, report) {}
  std::unique_ptr<WaveState> enter(const analysis::Function& f) override {
    auto s = std::make_unique<OfWave>();
    s->state = p_.enter(f);
    return s;
  }
  void step(WaveState& wave, const Step& step, bool judged) override {
    auto& state = static_cast<OfWave&>(wave).state;
    if (judged)
      p_.report(state, step);
    p_.step(state, step);
  }

private:
  struct OfWave final : WaveState {
    typename P::State state;
  };
  P p_;
};

// Those that can follow, of a subject; their findings go to the report. Both must outlive them.
std::vector<std::unique_ptr<Follower>> followers(const Subject&, Report&);
std::unique_ptr<Follower> follow_wait_states(const Subject&, Report&); // checks/wait_states.cpp
std::unique_ptr<Follower> follow_waits(const Subject&, Report&);       // checks/waits.cpp

} // namespace crosslane::lint
