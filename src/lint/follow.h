// Owns following a wave that runs: a check that walks over code (lint/forward.h) goes along the one way that the wave
// takes, where nothing has to be joined and what it holds is what is. Ways repeat, so that what code does to a state is
// found once.
#pragma once
#include "lint/finding.h"
#include "lint/steps.h"
#include <memory>
#include <unordered_map>
#include <vector>

namespace crosslane::lint {

// What a check knows of one wave: never changed, and shared by all waves of which it knows the same.
class WaveState {
public:
  virtual ~WaveState() = default;
};
using SharedState = std::shared_ptr<const WaveState>;

// Instructions that a wave is about to execute, one behind the other. `judged`, of each: else it does nothing that
// could be wrong (no lane is on). `key`: the same one for the same steps and the same `judged`; 0: they have none.
struct Stretch {
  std::span<const Step> steps;
  std::span<const uint8_t> judged;
  uint64_t key = 0;
};

// A check of one subject; not for several threads at once.
class Follower {
public:
  virtual ~Follower() = default;
  virtual SharedState enter(const analysis::Function&) = 0;
  // What it knows behind them. Of a stretch with a key it reports once for each state.
  virtual SharedState follow(const SharedState&, const Stretch&) = 0;
};

// P as lint/forward.h has it, with states that can be compared; calls and returns are steps as all others.
template <class P> class Following final : public Follower {
public:
  Following(const Subject& subject, Report& report) : p_(subject, report) {}

  SharedState enter(const analysis::Function& f) override {
    SharedState& known = entered_[f.address];
    if (!known) {
      auto s = std::make_shared<OfWave>();
      s->state = p_.enter(f);
      known = std::move(s);
    }
    return known;
  }

  SharedState follow(const SharedState& before, const Stretch& stretch) override {
    if (!stretch.key)
      return behind(before, stretch);
    const auto found = ways_.find({before.get(), stretch.key});
    if (found != ways_.end())
      return found->second.after;
    if (ways_.size() >= most_ways)
      ways_.clear(), known_.clear();
    SharedState after = behind(before, stretch);
    auto& known = known_[stretch.key];
    const auto same = std::ranges::find_if(known, [&](const SharedState& k) { return of(k) == of(after); });
    if (same != known.end())
      after = *same;
    else
      known.push_back(after);
    ways_.emplace(Way{before.get(), stretch.key}, Ends{before, after});
    return after;
  }

private:
  static constexpr size_t most_ways = 1 << 16;
  struct OfWave final : WaveState {
    typename P::State state;
  };
  struct Way {
    const WaveState* before;
    uint64_t key;
    bool operator==(const Way&) const = default;
  };
  struct Hash {
    size_t operator()(const Way& w) const {
      return (reinterpret_cast<uintptr_t>(w.before) >> 4) ^ w.key * 0x9e3779b97f4a7c15;
    }
  };
  struct Ends {
    SharedState before, after; // the former so that its address stays its own
  };
  P p_;
  std::unordered_map<uint64_t, SharedState> entered_; // by address of the function
  std::unordered_map<Way, Ends, Hash> ways_;
  std::unordered_map<uint64_t, std::vector<SharedState>> known_; // behind a stretch, by its key

  static const typename P::State& of(const SharedState& s) { return static_cast<const OfWave&>(*s).state; }

  SharedState behind(const SharedState& before, const Stretch& stretch) {
    auto s = std::make_shared<OfWave>();
    s->state = of(before);
    for (size_t n = 0; n < stretch.steps.size(); ++n) {
      if (stretch.judged[n])
        p_.report(s->state, stretch.steps[n]);
      p_.step(s->state, stretch.steps[n]);
    }
    return s;
  }
};

// Those that can follow, of a subject; their findings go to the report. Both must outlive them.
std::vector<std::unique_ptr<Follower>> followers(const Subject&, Report&);
std::unique_ptr<Follower> follow_wait_states(const Subject&, Report&); // checks/wait_states.cpp
std::unique_ptr<Follower> follow_waits(const Subject&, Report&);       // checks/waits.cpp

} // namespace crosslane::lint
