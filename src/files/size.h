// Owns sizes as people write them.
#pragma once
#include <cstdint>
#include <string>

namespace crosslane::files {

// Bytes of "4096", "64K", "512M" or "8G"; 0 if it is no such thing.
uint64_t bytes_of(const std::string& text);

} // namespace crosslane::files
