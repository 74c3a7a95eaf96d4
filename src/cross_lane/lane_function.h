// Owns the functions of a lane's number that a few instructions compute, and the search for one that a pattern is: bit
// by bit, each of the six bits of the pattern, as a mask of 64 lanes, must be the bit of a base function, its
// complement, 0 or 1.
#pragma once
#include "cross_lane/pattern.h"
#include <array>
#include <optional>
#include <string>
#include <vector>

namespace crosslane::cross_lane {

// What the instruction that takes an address looks at.
enum class AddressBits {
  bits_7_2, // of address + offset; the rest is ignored (ds_permute_b32, ds_bpermute_b32)
  all,      // LDS: nothing but 0..252 may be there
};

using LanePlanes = std::array<uint64_t, 6>; // [bit]: the lanes that have it

template <class F> LanePlanes planes_of(F value) {
  LanePlanes planes{};
  for (int i = 0; i < lane_count; ++i)
    for (int b = 0; b < 6; ++b)
      planes[size_t(b)] |= uint64_t(uint32_t(value(i)) >> b & 1) << i;
  return planes;
}

// The value is bits 5..0 of (lane * multiplier) >> shift (a negative shift is one to the left), or of the reversed 32
// bits of the lane's number if the multiplier is 0. With `group` bits, of the lane's number within its group.
struct LaneBase {
  int multiplier, shift, group;
  LanePlanes planes;

  // Byte addresses are four times the value.
  int address_shift() const { return shift - 2; }
  int instructions() const {
    if (multiplier == 1)
      return address_shift() != 0;
    if (multiplier == 0)
      return 2;
    return (address_shift() > 0 ? 2 : 1) + (group != 0);
  }
  // Whether the address has bits outside of 7..2.
  bool has_other_bits() const { return multiplier == 1 ? shift != 0 : multiplier != 0 || shift != 26; }
};

// f = (((base & and) | or) ^ xor) + add, in the low `bits` bits; the others are the lane's own.
struct LaneFunction {
  const LaneBase* base = nullptr;
  uint32_t keep = 63, set = 0, flip = 0; // and, or, xor
  int add = 0;
  int bits = 6;
  int instructions = 0; // to make the address, without those for the lane's number

  int operator()(int lane) const;
  bool can_offset() const; // no lane's value leaves 0..63 by `add`
};

// The cheapest function, for the lanes that read one; nothing if there is none.
std::optional<LaneFunction> find_function(const Pattern&, AddressBits);

// One function, and another one in the lanes `other`.
struct SplitFunction {
  LaneFunction most, rest;
  uint64_t other = 0;
  int instructions = 0; // as above, with the choice between the two
  int operator()(int lane) const { return other >> lane & 1 ? rest(lane) : most(lane); }
};
std::optional<SplitFunction> find_split(const Pattern&, AddressBits);

std::string describe(const LaneFunction&); // "lane ^ 5"

} // namespace crosslane::cross_lane
