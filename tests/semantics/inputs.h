// Owns what goes into a row under test: edge values of each operand type, and seeded random values around them.
#pragma once
#include "isa/types.h"
#include <cstdint>
#include <random>
#include <span>
#include <vector>

namespace crosslane::test {

std::span<const uint64_t> edges(isa::Type type);

class Inputs {
public:
  explicit Inputs(uint64_t seed) : random_(seed) {}
  uint64_t next(isa::Type type); // an edge, an edge's neighbour, or random bits
  uint64_t bits() { return random_(); }

private:
  std::mt19937_64 random_;
};

} // namespace crosslane::test
