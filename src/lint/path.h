// Owns the shortest way between two instructions, in wait states, for the notes of a finding: which branches the wave
// took on it.
#pragma once
#include "lint/finding.h"
#include "lint/subject.h"

namespace crosslane::lint {

// From behind the instruction at `from` to the one at `to`, over at most `most` wait states; also into functions and
// back. A note for each branch, call and return on the way: "taken to kernel+0x40", "not taken". Empty: straight on, or
// no way that short.
std::vector<Note> way_between(const Subject&, uint64_t from, uint64_t to, int most);

// "kernel+0x40", "0x1040" outside of all functions.
std::string place_name(const Subject&, uint64_t pc);

} // namespace crosslane::lint
