// Owns the language in which a lane pattern is written on the command line: C's integer expressions over the lane's
// number, answered for each lane with the lane that it reads.
//
//   i ^ 1        i < 16 ? 15 - i : i        i + 1 < n ? i + 1 : zero        [1,0,3,2]
//
// Names: i (this lane), n (how many lanes), zero (the lane becomes 0), any (it may become anything). Operators: those
// of C on integers, with C's precedence; ?: && || evaluate only what they need. Functions: min, max, abs, popcount,
// rev(x, bits), which reverses the low bits of x and keeps the others. Numbers: 12, 0x1f, 0b101. A list in brackets is
// the pattern of one group of that many lanes, repeated; in it, i and n count within the group. Arithmetic is of 64
// bits; overflow is an error.
#pragma once
#include <llvm/Support/Error.h>
#include <string_view>
#include <vector>

namespace crosslane::cli {

inline constexpr int lane_zero = -1, lane_any = -2;

// For each of `lanes` lanes the one that it reads, lane_zero or lane_any. An error is three lines: what is wrong and in
// which lane, the expression, and a caret below the place.
llvm::Expected<std::vector<int>> evaluate_lanes(std::string_view expression, int lanes);

} // namespace crosslane::cli
