// Owns compute units that share a scalar cache and an instruction cache: their waves, and who gets which unit when.
// A cluster runs by itself for a while that is no longer than anything takes to come from L2; then L2 answers, and what
// was asked for in the meantime gets its time.
//
// There is no cycle in which nothing happens: each wave knows when its next instruction may be issued, the earliest
// goes first, and a unit knows when it is free. Waves that want the same unit get it in the order in which they were
// ready.
#pragma once
#include "timing/replay/figures.h"
#include "timing/replay/program.h"
#include "timing/replay/recording.h"
#include "timing/replay/unit.h"
#include <memory>
#include <span>

namespace crosslane::timing::replay {

class Cluster {
public:
  // `first`: the number of its first unit on the card.
  Cluster(const Machine&, const Program&, uint32_t first, uint32_t units);
  ~Cluster();

  bool fits(uint32_t unit, const Needs&) const;
  uint64_t released(uint32_t unit) const; // the cycle at which anything became free last
  // Before anything is placed.
  void record(Recorder&);
  // Its waves begin at `start`, the first one, each a cycle later than the one before.
  void place(uint32_t unit, GroupTrace&&, const Needs&, uint64_t start);

  // What a wave has still to do.
  struct Left {
    uint64_t group = 0;   // number of its workgroup
    uint64_t scratch = 0; // line
    Cursor words;
  };
  void add_left(std::vector<Left>&) const;
  // From here on, what workgroups before this one ask for changes nothing that L2 holds.
  void pass_before(uint64_t group);

  static constexpr uint64_t never = ~uint64_t(0);
  uint64_t next() const; // the earliest cycle at which anything happens; never: nothing does
  // ... or until a wave starves.
  void run(uint64_t until);
  // What was asked in the meantime, in no order; with the answers filled in, the waves go on.
  std::span<Request> requests();
  bool passes() const; // some of them are of workgroups that pass_before() is about
  void answer();

  // Waves that can go no further before they have more words. The cluster stays where they are.
  struct Starved {
    uint64_t group = 0; // number of the workgroup
    uint32_t wave = 0;
    uint64_t time = 0; // its cycle
    bool paused = false;
  };
  bool starves() const;
  const Starved& starved() const;
  // More words of a wave of an open workgroup.
  void give(uint32_t unit, uint64_t group, uint32_t wave, std::span<const uint64_t> words);

  uint32_t resident() const; // waves
  uint64_t issued() const;   // instructions
  // Cycle of the last wave's end so far: of workgroups before the first call of pass_before(), between it and the
  // second one, and so on; 0: none.
  std::span<const uint64_t> ended() const;
  void add_to(Figures&) const;

private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

} // namespace crosslane::timing::replay
