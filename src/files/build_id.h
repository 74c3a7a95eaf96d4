// Owns what the linker names programs and libraries by: what one build has made and kept is good for that build.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace crosslane::files {

// Of the program or library that is loaded at an address; empty: it has no such note.
std::vector<uint8_t> build_id_at(const void*);
// ... of a file of that kind.
std::vector<uint8_t> build_id_of(const std::string& path);

} // namespace crosslane::files
