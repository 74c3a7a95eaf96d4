// The instruction words that the sweep feeds to both disassemblers: every opcode of every encoding, with its fields
// taking register, constant and reserved codes in turn and in random mixtures. Built from the manuals' microcode
// formats, not from our rows, so a row that is missing or misplaced shows.
#pragma once
#include "isa/target.h"
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace crosslane::tests {

struct Words {
  uint32_t word[3];
};
using Visit = std::function<void(std::string_view encoding, unsigned opcode, const Words&)>;

// `mixtures` random settings per opcode, besides every value of every field with the others at rest.
void sweep_encodings(isa::Target target, uint64_t seed, int mixtures, const Visit&);
void sweep_random(uint64_t seed, int count, const Visit&);

// One target of each kind; with CROSSLANE_SWEEP_ALL in the environment every target from `first` to `last`.
std::vector<std::string> targets_to_sweep(isa::Generation first, isa::Generation last, std::vector<std::string> some);

} // namespace crosslane::tests
