// Owns the places of an access as runs of bytes: lanes of a row have one address in common, or one item behind the
// other, most of the time; and those in LDS as dwords, a bit each: all lanes are in the same 256 bytes as often.
// Compiled once per x86-64 level, as addresses take 64 bits each and AVX-512 has eight of them in a register.
#pragma once
#include <array>
#include <cstdint>

namespace crosslane::check::race {

struct Run {
  uint64_t begin, end;
  uint64_t lanes; // those of the run are the first of these
};

struct Runs {
  uint32_t count;
  std::array<Run, 64> runs;
  const Run* begin() const { return runs.data(); }
  const Run* end() const { return runs.data() + count; }
};

// Of 256 bytes.
struct Dwords256 {
  uint64_t number, dwords;
};
struct DwordParts {
  uint32_t count;
  std::array<Dwords256, 128> parts;
  const Dwords256* begin() const { return parts.data(); }
  const Dwords256* end() const { return parts.data() + count; }
};

// Of the best level that the host has, or that CROSSLANE_LEVEL asks for.
struct Finders {
  // In the order of lanes. `once`: what lanes have in common may be left out, and there are lanes between those of a
  // run.
  void (*runs)(const uint64_t* address, uint64_t lanes, uint64_t bytes, bool once, Runs& out);
  // False: they are no dwords. Of up to four each. But for `once`, what lanes have in common is in two parts.
  bool (*dwords)(const uint64_t* address, uint64_t lanes, uint64_t bytes, bool once, DwordParts& out);
};
const Finders& finders_of_host();
inline void find_runs(const uint64_t* address, uint64_t lanes, uint64_t bytes, bool once, Runs& out) {
  static const Finders& find = finders_of_host();
  find.runs(address, lanes, bytes, once, out);
}
inline bool find_dwords(const uint64_t* address, uint64_t lanes, uint64_t bytes, bool once, DwordParts& out) {
  static const Finders& find = finders_of_host();
  return find.dwords(address, lanes, bytes, once, out);
}

} // namespace crosslane::check::race
