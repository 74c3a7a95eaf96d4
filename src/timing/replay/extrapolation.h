// Owns what follows for a whole grid from stretches of it that were measured: what lies between two of them takes what
// the two took, and is as uncertain as they differ.
#pragma once
#include "timing/replay/figures.h"
#include <array>
#include <span>
#include <vector>

namespace crosslane::timing::replay {

// Of a stretch, for each instruction.
struct Rates {
  std::vector<double> counts; // of each_count()
  std::array<double, spent_count> spent{};
};
Rates rates_between(const Figures& then, const Figures& now);

// Figures of a grid of which a part was replayed, and how far from them those of all of it are in 95 of 100 grids: by
// how stretches differ, not by what is wrong with all of them.
struct Estimate {
  Figures figures, error;
  SpentCycles spent_error{};
  uint64_t replayed = 0; // workgroups
  uint64_t stretches = 0;
};

// `known`: of all that needs no guess. `between`: instructions between each stretch and the next.
Estimate extrapolate(const Figures& known, std::span<const Rates> stretches, std::vector<double> between);

} // namespace crosslane::timing::replay
