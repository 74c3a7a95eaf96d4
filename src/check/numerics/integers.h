// Owns what is judged of sums, products and shifts of 32 bits, before they are done: results that leave 32 bits as
// signed numbers and as unsigned ones. Whether that is wrong is for an address to show: hashes do so on purpose.
#pragma once
#include "check/numerics/marks.h"
#include "check/numerics/source.h"
#include <functional>

namespace crosslane::check::numerics {

struct About {
  const machine::Wave& wave;
  Marks& marks;
  const Instruction& i;
  uint64_t exec;
  // It happens here, of these numbers; the last one has no meaning where there are two.
  std::function<void(Made, int lane, std::array<uint32_t, 3>, unsigned count)> made;
};
void judge_integers(const About&);

} // namespace crosslane::check::numerics
