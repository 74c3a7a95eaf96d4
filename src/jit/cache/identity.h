// Owns what tells one compiler from another, without opening it: compiled code is good for the builds that made it and
// for the processor that it was made on.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace crosslane::jit {

// What the linker names the program or library by that is loaded at an address; empty: it has no such note.
std::vector<uint8_t> build_id_at(const void*);
// ... a file of that kind.
std::vector<uint8_t> build_id_of(const std::string& path);

// What kind of processor it is, which instructions it has, and which of them the system lets programs use.
std::vector<uint32_t> processor();

} // namespace crosslane::jit
