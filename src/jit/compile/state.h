// Owns what the compiler knows of a wave at a point of its code: for every register the class of its value, and the
// LLVM values that make it up. Classes are found first, to a fixpoint, with values that are poison; then code is
// emitted.
#pragma once
#include "machine/wave.h"
#include <array>
#include <bit>
#include <cstdint>
#include <llvm/IR/Value.h>
#include <map>
#include <optional>
#include <vector>

namespace crosslane::jit {

using llvm::Value;
inline constexpr int rows = machine::rows_per_wave;
using Rows = std::array<Value*, rows>;

// Addresses of lanes as 64-bit numbers: base + (offset << shift). Two VGPRs that have the halves point to it.
struct Wide {
  Value* base = nullptr;  // i64; null: a sum of which only the low half is known yet:
  Rows offset{};          // <16 x i32>
  bool is_signed = false; // the offsets
  uint32_t shift = 0;
  const Wide* of = nullptr; // what was added to; null: the offset alone
  Value* added = nullptr;   // i32
  // Of halves that are affine and uniform, for accesses alone (Emitter::for_access_): lane 0's, as i64, is first +
  // base; the low half says how far others are. What both halves' classes claim besides is owed: no guard has asked for
  // it.
  Value* first = nullptr;
  std::vector<Value*> owed; // i1
};

// Constants, one for each lane.
using Offsets = std::array<uint32_t, machine::lanes_per_wave>;

// A VGPR: lane (row r, column c) of an affine one is base + c * column + offset(r) + times(r) * step, where the last
// eight columns have their share of offsets and steps, rows 1 and 3, and rows 2 and 3: what a launch of 8, 16, 32 or 64
// lanes a line makes of them.
struct Lane {
  enum Kind : uint8_t {
    wave,   // as the Wave has it since the unit was entered
    affine, // uniform: base alone
    vector,
    kept,   // as the Wave has it since a call, and where it is read, loaded
    stored, // as the Wave has it now: a matrix operation wrote it, which is called; loaded where it is read
  };
  Kind kind = wave;
  bool dirty = false;               // the Wave does not have it
  bool no_wrap = false;             // affine: as a sum of true integers it does not leave 32 bits in any lane
  bool dynamic = false;             // there is a step
  std::optional<uint32_t> constant; // uniform: that number
  int32_t column = 0;
  std::array<int32_t, 3> fixed{};         // of the last eight columns, of odd rows, of the last two
  std::array<uint8_t, 3> by{};            // how many steps likewise; the first that is not 0 is 1
  uint32_t may = ~0u;                     // bits that may be set in some lane
  uint32_t zeros = 0;                     // so many low bits of the base are 0
  Value *base = nullptr, *step = nullptr; // i32
  Rows row{};                             // <16 x i32>
  Wide* wide = nullptr;                   // of which it has one half; within a block, while code is emitted
  bool high_half = false;
  const Offsets* offsets = nullptr; // vector: it is base + these, too; within a block

  bool in_wave() const { return kind == wave || kind == kept || kind == stored; }
  uint32_t known_zeros() const { return constant ? uint32_t(std::countr_zero(*constant)) : zeros; }
  bool uniform() const { return kind == affine && !column && fixed == decltype(fixed){} && !dynamic; }
  int64_t offset(int r) const { return int64_t(r & 1) * fixed[1] + int64_t(r >> 1) * fixed[2]; }
  int64_t distance(int lane) const { // from lane 0, but for steps
    return int64_t(column) * (lane % 16) + int64_t(lane >> 3 & 1) * fixed[0] + offset(lane / 16);
  }
  uint32_t times(int r) const { return uint32_t(r & 1) * by[1] + uint32_t(r >> 1) * by[2]; }
  uint32_t most_times() const { return uint32_t(by[0]) + by[1] + by[2]; } // in the last lane
  bool whole_rows() const { return !fixed[0] && !by[0]; } // all columns of a row are equally far from the next one
  int64_t to_half() const { return int64_t(8) * column + fixed[0]; } // from column 0 to 8, but for steps
  size_t first_step() const { return by[0] ? 0 : by[1] ? 1 : 2; }    // which of `by` is 1
  bool same_distances(const Lane& o) const {                         // but for the steps themselves
    return column == o.column && fixed == o.fixed && dynamic == o.dynamic && by == o.by;
  }
  bool same_class(const Lane& o) const {
    return kind == o.kind && dirty == o.dirty && may == o.may && constant == o.constant &&
           (kind != affine || (no_wrap == o.no_wrap && zeros == o.zeros && same_distances(o)));
  }
  // A constant step with which it has the distances that `o`, which is dynamic, has without.
  std::optional<int32_t> step_in(const Lane& o) const;
};

struct Scalar {
  enum Kind : uint8_t { wave, value };
  Kind kind = wave;
  bool dirty = false;
  Value* v = nullptr; // i32
};

// Two scalar registers as a mask of lanes.
struct Mask {
  enum Kind : uint8_t {
    none, // no mask: the two scalars say
    full,
    empty,
    uniform, // all lanes as `bit` says
    rows,
  };
  Kind kind = none;
  bool dirty = false;
  Value* bit = nullptr;  // i1
  Rows row{};            // <16 x i1>
  Value* bits = nullptr; // i64: `rows` as a number, which is instead of them or beside them (State::masks_are_bits)
  // Of `rows`, within a block; null: nothing is known. As i1: if it holds, all lanes are set;
  Value* all = nullptr;
  Value* no = nullptr;      // ... no lane is;
  Value* in_exec = nullptr; // what all lanes that EXEC has now are, the others being clear.
  Wide* wide = nullptr;     // it is the carry of that sum
};

inline constexpr uint32_t scalar_count = 256, pair_count = 64, tmp_count = 16;
inline constexpr uint32_t exec_pair = 63, vcc_pair = 53;

struct State {
  std::vector<Lane> v; // VGPRs, AccVGPRs, then the temporaries, as far as the unit names them
  // By index in v: what lanes have that EXEC has not, where `v` says what EXEC's have. Within a block, as long as EXEC
  // is the same.
  std::map<uint32_t, Lane> others;
  // Whether masks of lanes are numbers where blocks meet: the host has no registers for them as they are. Both forms
  // come about where they are wanted.
  bool masks_are_bits = false;
  std::array<Scalar, scalar_count> s{};
  std::array<Mask, pair_count> m{};
  Scalar scc;             // value: i1
  Value* count = nullptr; // i64: instructions since the unit was entered
  Value* lanes = nullptr; // i64: lanes in EXEC, where they are counted
  bool stored = false;    // memory was written, and nothing waited for it since
  // Memory that was read since the last checkpoint, which is what a replay would read again: addresses from, to (i64);
  // and whether there is more of which nothing is known (i1; null: no). Where edges meet there are so many intervals,
  // for those of all.
  static constexpr size_t joined_intervals = 4;
  bool loaded = false;
  std::vector<std::pair<Value*, Value*>> read;
  Value* read_elsewhere = nullptr;

  // The class of what both may be; true: it differs from what *this was.
  bool meet(const State&);
};

// f(value, kind) for all that a state has, in an order that its classes give. The kind: 'v' 16 lanes, 'i' 32 bits, 'm'
// 16 lanes of a mask, 'q' all lanes of one, 'b' one bit, 'c' 64 bits.
template <class S, class F> void each_value(S& s, F f) {
  for (auto& l : s.v) {
    if (l.kind == Lane::vector)
      for (auto& r : l.row)
        f(r, 'v');
    if (l.kind == Lane::affine) {
      f(l.base, 'i');
      if (l.dynamic)
        f(l.step, 'i');
    }
  }
  for (auto& x : s.s)
    if (x.kind == Scalar::value)
      f(x.v, 'i');
  for (auto& m : s.m) {
    if (m.kind == Mask::uniform)
      f(m.bit, 'b');
    if (m.kind == Mask::rows && s.masks_are_bits)
      f(m.bits, 'q');
    else if (m.kind == Mask::rows)
      for (auto& r : m.row)
        f(r, 'm');
  }
  if (s.scc.kind == Scalar::value)
    f(s.scc.v, 'b');
  f(s.count, 'c');
  if (s.lanes)
    f(s.lanes, 'c');
  for (auto& [from, to] : s.read)
    f(from, 'c'), f(to, 'c');
  if (s.read_elsewhere)
    f(s.read_elsewhere, 'b');
}

} // namespace crosslane::jit
