// Owns how a lane pattern is shown: in words, as rows of numbers, as SVG.
#pragma once
#include <string>
#include <vector>

namespace crosslane::cli {

// `from` is per lane the lane it reads, lane_zero or lane_any (cli/permute/lane_expression.h).

// One line: "within groups of 4: 1 0 3 2", "lane i reads lane i ^ 32", "lanes 0-15 read 15 down to 0; ...".
std::string describe_lanes(const std::vector<int>& from);
// 16 lanes a line, each the number of the lane that it reads; '.' is itself, 'z' zero, '?' anything.
std::string lane_rows(const std::vector<int>& from, std::string_view indent);
// Sources above, destinations below, an arrow for each lane that moves; 16 lanes a line of pictures where no lane
// leaves its 16.
std::string lane_svg(const std::vector<int>& from, std::string_view title);

} // namespace crosslane::cli
