// Owns the state of one compute unit: its waves and workgroups, who has which of its registers, LDS and barriers, and
// from when on its parts are free. What happens to it is cluster.cpp's.
#pragma once
#include "timing/replay/cache.h"
#include "timing/replay/machine.h"
#include "timing/replay/operations.h"
#include "timing/replay/ready.h"
#include "timing/replay/rows.h"
#include "timing/replay/trace.h"
#include <array>
#include <vector>

namespace crosslane::timing::replay {

// What a workgroup takes of a compute unit.
struct Needs {
  uint32_t waves = 1;
  uint32_t vgprs = 4, sgprs = 16; // of each wave, rounded up
  uint32_t lds = 0;               // rounded up
  uint32_t scratch = 0;           // lines of 64 bytes, of each wave
};

// Workgroups of this kind that one unit holds at a time; 0: not even one fits.
uint32_t capacity(const Needs&, const Machine&);

// Cycles that the addresses of an access to vector memory take, or its data, if they take longer.
uint32_t address_clocks(const Machine&, const Access&, uint32_t lines);

struct Wave {
  uint64_t time = 0; // at which its next instruction may be issued, for all that it knows
  uint64_t begin = 0;
  Cursor words = {};
  const BlockRows* block = nullptr; // null: a free place
  uint32_t at = 0, offset = 0;      // in it: instructions, dwords
  uint32_t group = 0;
  uint64_t code_line = ~uint64_t(0); // that it has
  uint8_t simd = 0;
  bool idle = false; // no lane is active
  bool at_barrier = false;
  bool ahead = false;  // the line behind it was asked for
  bool open = false;   // more words may follow,
  bool paused = false; // and it waits for them in front of an instruction; `starved`: behind all that it has
  bool starved = false;
  uint16_t number = 0; // in its workgroup
  Counting<64> vm = {};
  Counting<16> lgkm = {};
  std::vector<uint64_t> storage = {};
};

struct Group {
  uint32_t waves = 0, left = 0, arrived = 0; // waves of it; 0: a free place
  uint64_t barrier = 0;                      // cycle of the last arrival
  uint32_t lds = 0, vgprs = 0, sgprs = 0;
  uint64_t number = 0; // in the order of launch
};

struct Unit {
  static constexpr uint32_t slots = 64;
  Unit(const Machine& m, uint32_t number_in_cluster) : number(number_in_cluster), l1(m.l1_lines, m.l1_ways) {}

  bool fits(const Needs&, const Machine&) const;
  uint32_t add_group(uint32_t waves, const Needs&); // its index
  uint32_t add_wave(uint32_t group, const Needs&, const Machine&, std::vector<uint64_t>&& words,
                    uint64_t begin);              // slot
  void remove_wave(uint32_t slot, uint64_t time); // and its group with the last one

  uint32_t number; // in its cluster
  std::array<Wave, slots> waves;
  Ready<slots> ready;
  std::vector<Group> groups;
  std::array<std::array<uint64_t, ports>, 4> free{};    // of each SIMD unit: cycle
  std::array<uint32_t, 4> resident{}, vgprs{}, sgprs{}; // of each SIMD unit: in use
  uint32_t lds = 0, barriers = 0;
  uint64_t address_free = 0, lds_free = 0, fill_free = 0, released = 0; // cycles
  Tags l1;
  Operations ops;
  std::vector<uint32_t> blocked; // slots of waves that wait for an answer
};

// Where the scratch of a wave begins that has this place of a unit of the card, as a line: no memory of programs is
// there. The runtime gives as much as all places need, so that waves that are over leave theirs to others.
inline uint64_t scratch_line(uint32_t unit, uint32_t slot, const Needs& n) {
  return (uint64_t(1) << 50) + (uint64_t(unit) * Unit::slots + slot) * n.scratch;
}

} // namespace crosslane::timing::replay
