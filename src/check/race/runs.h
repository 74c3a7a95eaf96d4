// Owns the places of an access as runs of bytes: lanes of a row have one address in common, or one item behind the
// other, most of the time. Compiled once per x86-64 level, as addresses take 64 bits each and AVX-512 has eight of them
// in a register.
#pragma once
#include <array>
#include <cstdint>

namespace crosslane::check::race {

struct Run {
  uint64_t begin, end;
  uint64_t lanes; // those of the run are the first of these
};

struct Runs {
  uint32_t count;
  std::array<Run, 64> runs;
  const Run* begin() const { return runs.data(); }
  const Run* end() const { return runs.data() + count; }
};

// In the order of lanes. `once`: what lanes have in common may be left out, and there are lanes between those of a run.
using FindRuns = void (*)(const uint64_t* address, uint64_t lanes, uint64_t bytes, bool once, Runs& out);
// Of the best level that the host has, or that CROSSLANE_LEVEL asks for.
FindRuns runs_of_host();
inline void find_runs(const uint64_t* address, uint64_t lanes, uint64_t bytes, bool once, Runs& out) {
  static const FindRuns find = runs_of_host();
  find(address, lanes, bytes, once, out);
}

} // namespace crosslane::check::race
