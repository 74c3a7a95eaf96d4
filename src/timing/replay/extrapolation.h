// Owns what follows for a whole grid from stretches of it that were measured. What lies between two of them takes what
// the two took: for an instruction, of workgroups whose instructions are counted; for a workgroup, of others, corrected
// by how many instructions all of them have, more or less than such workgroups would, and by what more instructions
// take. It is as uncertain as stretches differ otherwise.
#pragma once
#include "timing/replay/figures.h"
#include <array>
#include <optional>
#include <span>
#include <vector>

namespace crosslane::timing::replay {

// For each instruction.
struct Rates {
  std::vector<double> counts; // of each_count()
  std::array<double, spent_count> spent{};
};
Rates rates_between(const Figures& then, const Figures& now);

struct Measured { // of a stretch
  Rates rates;
  std::optional<Rates> later; // of its second half, where the first one may be other than what it stands for
  double size = 1;            // instructions of a workgroup, or whatever parts are counted in
};

// Figures of a grid of which a part was replayed, and how far from them those of all of it are in 95 of 100 grids: by
// how stretches differ, and their halves.
struct Estimate {
  Figures figures, error;
  SpentCycles spent_error{};
  uint64_t replayed = 0; // workgroups
  uint64_t stretches = 0;
  std::vector<double> cycles; // of each part that was left out
};

// What was left out.
struct LeftOut {
  std::vector<double>
      parts; // between each stretch and the next, and before them, if there is one more: their workgroups
  struct Counted {
    double parts = 0, instructions = 0; // workgroups, and what they have together
  };
  std::vector<Counted> counted; // of each of them, or nothing
  double instructions = 0;      // of all
};
// `known`: of all that needs no guess.
Estimate extrapolate(const Figures& known, std::span<const Measured> stretches, LeftOut);

} // namespace crosslane::timing::replay
