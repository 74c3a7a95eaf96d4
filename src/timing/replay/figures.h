// Owns what the cycle model tells: of each instruction how often it was issued and where its cycles went, and of the
// card how busy its parts were.
#pragma once
#include "timing/replay/memory.h"
#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace crosslane::timing::replay {

// Where the cycles of a wave go. `issue`: an instruction is being issued; all others are stalls, in AMD's words
// (docs/counters.md).
enum class Spent : uint8_t {
  issue,
  no_instruction, // NO_INSTRUCTION_AVAILABLE: its code is not there yet
  dependency,     // ALU_DEPENDENCY: its own last instruction takes longer than one that does nothing
  waitcnt,        // WAITCNT
  internal,       // INTERNAL_INSTRUCTION: s_nop and others that no unit has
  barrier,        // BARRIER_WAIT
  not_win,        // ARBITER_NOT_WIN: another wave has the unit
  unit_full,      // ARBITER_WIN_EX_STALL: the unit takes no more
  sleep,          // SLEEP_WAIT
  other,          // OTHER_WAIT: a counter holds no more
};
inline constexpr size_t spent_count = size_t(Spent::other) + 1;
std::string_view name_of(Spent); // "WAITCNT"

using SpentCycles = std::array<uint64_t, spent_count>;

struct RowFigures {
  uint64_t issued = 0; // waves
  SpentCycles cycles{};
};

struct UnitFigures {                       // sums over all compute units
  std::array<uint64_t, 8> issued{};        // by Port
  std::array<uint64_t, 8> busy{};          // cycles of a SIMD unit's port
  uint64_t address_busy = 0, lds_busy = 0; // of compute units
  uint64_t l1_hits = 0, l1_misses = 0;     // lines of loads
  uint64_t scalar_hits = 0, scalar_misses = 0, code_misses = 0;
  void add(const UnitFigures&);
};

struct Figures {
  uint64_t cycles = 0;      // from the first wave's launch to the last one's end
  uint64_t wave_cycles = 0; // lifetimes of all waves: what all SpentCycles add up to
  uint64_t waves = 0, groups = 0, instructions = 0;
  uint64_t clock_reads = 0;     // s_memtime and its like
  uint64_t lines = 0;           // requests for a line that went to L2
  double nanoseconds = 0;       // with what a launch takes by itself
  std::vector<RowFigures> rows; // by number of the row: Program::rows
  UnitFigures units;
  MemoryFigures memory;
  SpentCycles spent() const;
};

// f(count) of each count that a part of the grid has its part of, in an order that is always the same; not of waves,
// groups and instructions, which are known of all of it.
template <class F, class Do> void each_count(F& figures, Do f) {
  f(figures.cycles), f(figures.wave_cycles), f(figures.clock_reads), f(figures.lines);
  auto& u = figures.units;
  for (auto* counts : {&u.issued, &u.busy})
    for (auto& count : *counts)
      f(count);
  f(u.address_busy), f(u.lds_busy), f(u.l1_hits), f(u.l1_misses);
  f(u.scalar_hits), f(u.scalar_misses), f(u.code_misses);
  auto& m = figures.memory;
  f(m.hits), f(m.misses), f(m.read), f(m.written), f(m.loads), f(m.stores), f(m.atomic_requests);
  for (auto& row : figures.rows) {
    f(row.issued);
    for (auto& cycles : row.cycles)
      f(cycles);
  }
}

} // namespace crosslane::timing::replay
