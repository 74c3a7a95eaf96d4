// Owns what a compiler is asked and what it answers: the contract between the part of the JIT that lives in every
// program and the shared object with LLVM in it, which is opened when first needed.
#pragma once
#include "engine/unit.h"
#include "jit/report.h"
#include <array>
#include <span>
#include <string>
#include <vector>

namespace crosslane::jit {

// What the lanes of a wave have in a VGPR when a kernel starts, in any of its waves: what the first lane has, and for
// each column, in odd rows, in the last two rows, and in the last eight columns, as much more. Lanes that are not
// launched have anything.
struct LaunchLane {
  uint16_t vgpr;
  int32_t column, odd, last;
  uint32_t may;       // bits that may be set
  uint32_t zeros = 0; // so many low bits of the first lane's are 0
  int32_t half = 0;
};

struct Request {
  const engine::Unit* unit = nullptr;
  std::string_view level;         // "v3" or "v4"
  uint32_t mode = 0;              // the MODE register, which no code of a unit changes
  bool split_modes = false;       // float operations of 32 bits and of 16 and 64 bits round or flush differently
  bool one_wave = false;          // a workgroup is one wave: barriers are nothing
  bool full_waves = true;         // waves are launched with all lanes,
  bool partial_waves = false;     // or, if nothing is counted, with the first ones of them, as EXEC says
  bool private_segment = true;    // there may be one
  int32_t arguments = -1;         // SGPR pair that points to the kernel's arguments at first; -1: none
  std::vector<LaunchLane> launch; // none: nothing is known
  bool ranges = false;            // it shall take an engine::Range, if it can: of workgroup ids in these SGPRs
  std::array<int8_t, 3> group_id{-1, -1, -1};
  int optimize = 1;
  double worth = 0;           // seconds of processor time that it may take, if code is to be faster by it; 0: any code
  double patience = 60;       // ... after which it is given up
  bool leaves_ragged = false; // waves of which an `if` around all of the kernel takes lanes go on in the interpreter
  bool only_loops = false;    // code of the loops alone: waves come to them from the interpreter
  bool counts = false;        // it counts what it executes (engine/counts.h)
  bool wrong = false;         // for tests: vector stores leave out the last row of lanes
  bool endless = false;       // for tests: LLVM does not end
  uint32_t fail_every = 0;    // for tests: of the places where guards are asked, one in so many fails as it is passed
  bool keep_text = false;     // Compiled::ir
  bool report = false;        // Compiled::report
  bool keep_assembly = false; // Report::assembly
};

// Seconds of processor time.
struct Phases {
  double open = 0, translate = 0, link = 0, optimize = 0, generate = 0;
  double expected = 0; // what `generate` was expected to take
  double total() const { return open + translate + link + optimize + generate; }
};

// What is compiled in the place of a unit that is too large: the same without ranges, in which each checkpoint is there
// three times (for frames, for Waves, and from the one to the other); its loops alone; or the whole without a second
// version for the grid's last wave, which is the last resort, as the `if` may take lanes from all waves.
inline std::vector<Request> smaller(const Request& whole) {
  std::vector<Request> out;
  if (whole.only_loops || whole.counts)
    return out;
  if (whole.ranges)
    out.emplace_back(whole).ranges = false;
  out.emplace_back(whole).only_loops = true;
  if (whole.full_waves) {
    Request& full = out.emplace_back(whole);
    full.ranges = false, full.leaves_ragged = true;
  }
  return out;
}

// Where waves of the interpreter may enter: at the head of a loop.
struct LoopEntry {
  uint32_t pc; // dword index
  bool full;   // EXEC must have all lanes
  uint32_t entry;
};

// What the code has handlers do.
struct Call {
  uint32_t instruction;  // index in the unit: its uops; or, of matrix operations that are done together
  uint32_t left = 0;     // (engine/matrix.h), so many with this one; 0: it is none of them
  uint32_t a = 0, b = 0; // their MatrixStep
  friend bool operator==(const Call&, const Call&) = default;
};

// Code that was compiled, as bytes.
struct Compiled {
  std::string error;             // not empty: nothing was compiled
  bool lasting = false;          // ... and never will be: it is about the code
  double cost = 0;               // ... as it would take about so many seconds, which it is not worth
  std::vector<uint8_t> image;    // runs wherever it is put, at multiples of 64 bytes; no address is in it
  uint32_t start = 0;            // of the function (engine/compiled.h), in the image
  std::vector<uint32_t> entries; // dword indexes where waves may enter; 0 is the unit's own
  std::vector<LoopEntry> loops;
  int32_t partial = -1;                                                                     // CompiledCode has it
  bool ranges = false, waits = false, sums = false, only_loops = false, comes_back = false; // CompiledCode has these
  bool cold = false;                                                                        // ... and this
  uint32_t frame_bytes = 0;
  std::vector<Call> calls;
  size_t code_bytes = 0, ir_instructions = 0;
  Phases phases;
  std::string ir;
  Report report;
};

// What the shared object exports, as "crosslane_jit_layout": what both must have the same sizes of.
inline constexpr uint64_t layout = uint64_t(sizeof(Request)) << 48 | uint64_t(sizeof(Compiled)) << 32 |
                                   uint64_t(sizeof(engine::UnitInstruction)) << 16 | sizeof(engine::UnitUop);
// ... and as "crosslane_jit_compile".
using CompileFunction = void (*)(const Request&, Compiled&);

} // namespace crosslane::jit
