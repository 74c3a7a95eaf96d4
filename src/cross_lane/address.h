// Owns how a VGPR comes to hold the byte addresses 4 * f(lane) that ds_bpermute_b32, ds_permute_b32 and ds_read_b32
// take: a few instructions on the lane's number where f is a simple function of it (shifts, rotations, i ^ c, (i * m)
// >> s, bit reversal, each within the wave or within groups) or two of them, else bit by bit from constants in scalar
// registers, or from a table in memory.
#pragma once
#include "cross_lane/lane_function.h"
#include "cross_lane/sequence.h"
#include <optional>

namespace crosslane::cross_lane {

struct Address {
  int vgpr = 0;
  int offset = 0;    // for the instruction's offset field; bytes
  std::string shape; // how it was made: "lane ^ 5", "a constant", "6 constants of 64 bits"
};

// The lane's number, in a temporary; and four times that, in another.
int lane_number(Sequence&);
int times_4(Sequence&, int lane);

// Adds the instructions. Lanes that f leaves open (any_lane, and zero_lane too) get some address of the 64. `lane` is a
// register with the lane's number, if there is one already; it is kept.
Address make_address(Sequence&, const Pattern& f, AddressBits, int lane = -1);
// What make_address() would give every lane, those too that f leaves open.
Pattern addressed(const Pattern& f, AddressBits);
// As make_address() from a table of 64 dwords, whose address is in s[2:3]. Nothing on gfx6, which has no FLAT
// instructions.
std::optional<Address> load_address(Sequence&, const Pattern& f, std::vector<uint32_t>& table);

} // namespace crosslane::cross_lane
