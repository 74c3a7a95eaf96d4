// Owns what the analysis is given: the bytes of a code object where it is loaded (relocations applied), and where its
// functions begin. Addresses are those of the bytes. Nothing here knows of files: who has one hands over spans of it,
// which must outlive the analysis.
#pragma once
#include "isa/target.h"
#include <cstdint>
#include <span>

namespace crosslane::analysis {

enum class RegionKind : uint8_t {
  code,
  constant, // nothing writes it once it is loaded: tables and constants
  linkage,  // the same, but made by the linker: addresses of functions are there for calls, not because somebody took
            // them
  data,
};

struct Region {
  uint64_t address = 0;
  std::span<const uint8_t> bytes;
  RegionKind kind{};
};

struct Entry {
  uint64_t address = 0;
  bool kernel = false; // waves start here; else a function
};

struct Code {
  isa::Target target{};
  std::span<const Region> regions; // apart from one another, in any order
  std::span<const Entry> entries;  // in any order
};

} // namespace crosslane::analysis
