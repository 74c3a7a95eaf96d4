// Owns Sampler: which workgroups of a large grid are replayed, and what the figures of all of them are.
//
// The card runs stretches of the grid, one behind the other, as if they were all: it is never empty in between, and all
// that it runs is measured, so that what hangs over at the end of one stretch is made up for by the next. What lies
// between two stretches takes what the two of them took, and is as uncertain as they differ (extrapolation.h). In front
// of a stretch L2 gets the lines of what was left out, as far as it holds them (nearby.h). The first stretches follow
// each other closely, later ones the farther apart the less they differ; none stands for the grid's beginning, in which
// workgroups begin together and caches are cold.
// After: Student's t and successive differences for systematic samples (Cochran, Sampling Techniques, chapter 8);
// SMARTS (Wunderlich and others, ISCA 2003) for functional warming.
#pragma once
#include "timing/replay/extrapolation.h"
#include "timing/replay/selection.h"
#include <optional>

namespace crosslane::timing::replay {

struct Sampling {
  uint64_t groups = 0;             // of the grid
  double error = 0.02;             // of the time, relative, that stretches are chosen for
  uint64_t least_instructions = 0; // of the grid, else all of it is replayed
  bool warms = true;               // L2, in front of a stretch
};

class Sampler final : public Selection {
public:
  // `capacity`: workgroups that the card holds at a time. `l2_lines`: that L2 holds.
  Sampler(const Sampling&, uint64_t capacity, uint64_t l2_lines);
  void begin(Source&) override;
  void took(const GroupTrace&, uint64_t instructions) override;
  void reached(const Figures& figures, Source&) override;
  // Nothing: all was replayed. `replayed`: figures of what was. `instructions`, `waves`: of the whole grid.
  std::optional<Estimate> estimate(const Figures& replayed, uint64_t instructions, uint64_t waves) const;

private:
  struct Stretch {
    uint64_t groups = 0, instructions = 0; // of all of it
    Measured measured;
    double lines = 0; // that L2 took in, for each instruction
    // Behind it, up to the next one:
    uint64_t left_out = 0, warmed = 0; // workgroups without, with a trace,
    uint64_t warmed_instructions = 0;  // which tells how many they have
    double each() const { return groups ? double(instructions) / double(groups) : 0; }
  };
  void plan(Source&);
  void begin_stretch(Source&, uint64_t measured, uint64_t rest);
  uint64_t gap() const;
  uint64_t warming(uint64_t gap) const;
  double variation() const;

  const Sampling sampling_;
  const uint64_t capacity_, l2_lines_;
  std::vector<Stretch> stretches_;
  uint64_t until_ = 0;      // workgroup, which is measured
  Figures before_, middle_; // when the stretch began, which is when the one before ended, and in its middle
  bool last_ = false, any_left_out_ = false;
};

} // namespace crosslane::timing::replay
