// Owns what a compiler tells developers of a unit that it has compiled (`crosslane jit`), as plain data: what it knew
// of registers, what became of instructions, where compiled code may leave.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace crosslane::jit {

// What is known of a register's value.
struct RegisterClass {
  enum class File : uint8_t { vgpr, agpr, mask }; // mask: the pair of scalar registers that begins at `number`
  enum class Kind : uint8_t {
    as_entered, // of VGPRs: nothing was written since the unit was entered
    uniform,    // the same in all lanes; of a mask: all its bits are
    affine,     // base + column * c, and so much more in the last eight columns, in odd rows of 16 lanes, and in the
                // last two
    vector,     // of VGPRs: anything
    full,       // of masks: all lanes
    empty,      // no lane
    rows,       // anything
  };
  File file;
  Kind kind;
  uint16_t number;
  bool dirty = false;             // the Wave has an older value
  bool no_wrap = false;           // of affine ones: no lane's sum leaves 32 bits
  int32_t column = 0;             // distances of an affine one
  int64_t half = 0;               // ... of the last eight columns,
  int64_t odd = 0, last = 0;      // of rows,
  bool step = false;              // and where they differ by the way here, a register beside has a step, that counts
  std::array<uint8_t, 3> by = {}; // so often in the last eight columns, in odd rows, and in the last two
  uint32_t may = ~0u;             // bits that may be set
};

struct ReportCounts {
  uint32_t guards = 0, asked = 0; // what must hold; and branches, each of which asks all that wait
  uint32_t checkpoints = 0;
  uint32_t overlaps = 0; // checkpoints where a store overlaps what was read, which is asked when it runs
};

// One instruction in one version of its block.
struct ReportStep {
  enum class How : uint8_t {
    translated,
    called, // the interpreter's handler does it
    left,   // the interpreter goes on here
  };
  uint32_t instruction; // index in Unit::instructions
  How how = How::translated;
  ReportCounts counts;
  std::vector<RegisterClass> written; // what is known behind it
};

// A block has up to two versions: EXEC is known to be full at its begin, or not.
struct ReportBlock {
  uint32_t block; // index in Unit::blocks
  bool full_exec;
  bool comes_back;                    // waves enter it from memory: behind a barrier, or where they were preempted,
  bool from_interpreter;              // and at a loop's head
  ReportCounts entry;                 // guards of those that come from the interpreter
  std::vector<RegisterClass> classes; // at its begin, of registers that are read later
  std::vector<ReportStep> steps;      // as far as it is translated
};

inline constexpr uint32_t no_instruction = ~0u;
struct HostLine {
  std::string text;                      // an instruction or a label
  uint32_t instruction = no_instruction; // what it is of; none: of entries, or of several
  bool full_exec = false;                // in that version of the block
};

struct Report {
  std::vector<ReportBlock> blocks; // as they are emitted
  std::vector<HostLine> assembly;  // if that was asked for
};

} // namespace crosslane::jit
