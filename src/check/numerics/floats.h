// Owns what is judged of an instruction's floating-point result, once it is there: infinities and NaNs that finite
// numbers have made, and denormals that became 0.
#pragma once
#include "check/numerics/marks.h"
#include "check/numerics/source.h"
#include <array>
#include <functional>

namespace crosslane::check::numerics {

// Numbers that something was made of, to name them.
struct Example {
  std::array<Item, 6> items;
  unsigned count = 0;
  void add(const Item&);
};

struct Result {
  const machine::Wave& wave;
  Marks& marks;
  const Instruction& i;
  uint64_t exec;
  const Kept& kept;
  std::function<void(Made, int lane, const Example&)> made; // here, of finite numbers
  std::function<void(bool result, uint64_t lanes)> flushed; // a source, or the result itself
};
void judge_floats(const Result&);

} // namespace crosslane::check::numerics
