// Owns where the instructions of assembly text stand in it, by file, line and column. The line table cannot say it: it
// has no columns, and of a compiler's output it has the lines of what was compiled.
#pragma once
#include <cstdint>
#include <llvm/Support/Error.h>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace crosslane::toolchain {

inline constexpr const char* positions_section = ".crosslane_positions";

struct Position {
  uint32_t file = 0;             // of Positions::files
  uint32_t line = 0, column = 0; // column 0: in a macro; the line is the one that names it
};

class Positions {
public:
  // Of a code object that was linked of what assemble() gave. Empty: it has none.
  static Positions read(std::span<const uint8_t> code_object);
  std::optional<Position> find(uint64_t address) const; // ELF virtual address of an instruction
  std::vector<std::string> files; // the text itself and what it includes, in the order of their first instructions

private:
  struct Entry {
    uint64_t address = 0;
    Position position;
  };
  std::vector<Entry> entries_; // by address
};

} // namespace crosslane::toolchain
