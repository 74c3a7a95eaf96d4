// Owns what tells one processor from another: compiled code is good for the one that it was made on.
#pragma once
#include <cstdint>
#include <vector>

namespace crosslane::jit {

// What kind of processor it is, which instructions it has, and which of them the system lets programs use.
std::vector<uint32_t> processor();

} // namespace crosslane::jit
