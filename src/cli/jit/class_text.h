// Owns classes of registers in words: "v3 lane*4", "v[4:6] vector", "exec full".
#pragma once
#include "jit/report.h"
#include "jit/request.h"
#include <string>

namespace crosslane::cli {

std::string name_of(const jit::RegisterClass&);
// "lane*4"; where lines of work-items are shorter than a wave "column*4 + odd*64 + last*128 + step*(1,2)": so much more
// for each column, in odd rows of 16 lanes, in the last two rows, and a step that counts so often in these and those.
std::string value_of(const jit::RegisterClass&);
// Neighbours of the same class together.
std::string text_of(const std::vector<jit::RegisterClass>&);
// What is known of a register when a kernel starts.
jit::RegisterClass class_of(const jit::LaunchLane&);

} // namespace crosslane::cli
