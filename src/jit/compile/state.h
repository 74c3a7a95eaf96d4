// Owns what the compiler knows of a wave at a point of its code: for every register the class of its value, and the
// LLVM values that make it up. Classes are found first, to a fixpoint, with values that are poison; then code is
// emitted.
#pragma once
#include "machine/wave.h"
#include <array>
#include <cstdint>
#include <llvm/IR/Value.h>
#include <vector>

namespace crosslane::jit {

using llvm::Value;
inline constexpr int rows = machine::rows_per_wave;
using Rows = std::array<Value*, rows>;

// Added from row to row.
enum class Step : uint8_t { none, fixed, dynamic };

// A VGPR: lane (row r, column c) of an affine one is base + c * column + r * step.
struct Lane {
  enum Kind : uint8_t {
    wave,   // as the Wave has it since the unit was entered
    affine, // uniform: column 0, Step::none
    vector,
  };
  Kind kind = wave;
  bool dirty = false;   // the Wave does not have it
  bool no_wrap = false; // affine: base + c * column + r * step does not leave 32 bits in any lane
  Step step_kind = Step::none;
  int32_t column = 0, fixed = 0;
  uint32_t may = ~0u;                     // bits that may be set in some lane
  Value *base = nullptr, *step = nullptr; // i32
  Rows row{};                             // <16 x i32>

  bool uniform() const { return kind == affine && !column && step_kind == Step::none; }
  bool same_class(const Lane& o) const {
    return kind == o.kind && dirty == o.dirty && may == o.may &&
           (kind != affine || (no_wrap == o.no_wrap && step_kind == o.step_kind && column == o.column &&
                               (step_kind != Step::fixed || fixed == o.fixed)));
  }
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
  Value* bit = nullptr; // i1
  Rows row{};           // <16 x i1>
};

inline constexpr uint32_t scalar_count = 256, pair_count = 64, tmp_count = 16;
inline constexpr uint32_t exec_pair = 63, vcc_pair = 53;

struct State {
  std::vector<Lane> v; // VGPRs, AccVGPRs, then the temporaries, as far as the unit names them
  std::array<Scalar, scalar_count> s{};
  std::array<Mask, pair_count> m{};
  Scalar scc;             // value: i1
  Value* count = nullptr; // i64: instructions since the unit was entered
  bool stored = false;    // memory was written, and nothing waited for it since
  // Memory that was read since the last checkpoint: what a replay would read again.
  enum Loaded : uint8_t { nothing, intervals, anything };
  Loaded loaded = nothing;
  std::vector<std::pair<Value*, Value*>> read; // of `intervals`: addresses from, to (i64)

  // The class of what both may be; true: it differs from what *this was.
  bool meet(const State&);
};

} // namespace crosslane::jit
