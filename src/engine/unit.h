// Owns Unit: the code that one entry reaches by direct branches, and by addresses in SGPRs as far as somebody knows
// them, lowered, as plain data. It is what a compiler reads: the lowering is the interpreter's own
// (docs/decisions/0020), and each uop carries the handler that a compiler calls for what it cannot translate.
#pragma once
#include "engine/decode/decode_mode.h"
#include "engine/dispatch.h"
#include "engine/registers.h"
#include "engine/uop.h"
#include "engine/uop_kind.h"
#include "isa/divergence.h"
#include "isa/instruction.h"
#include <map>
#include <string>
#include <vector>

namespace crosslane::engine {

struct UnitUop {
  UopKind kind;
  Uop op;
};

// What becomes of an instruction in compiled code.
enum class Way : uint8_t {
  lowered, // its uops say what it does; each may be called instead
  jumps,   // goes on at an address in SGPRs (s_call_b64: at its own): one of the block's ways, or out of the unit
  leaves,  // only the interpreter can go on here: what it does is a fault, changes the DecodeMode, or leaves the unit
};

struct UnitInstruction {
  isa::Instruction inst;
  uint32_t pc = 0;               // dword index in the Code
  uint32_t first = 0, count = 0; // in Unit::uops
  Way way = Way::lowered;
  isa::SiteKind site = isa::SiteKind::none;
};

inline constexpr uint32_t no_block = ~0u;
struct UnitBlock {
  uint32_t first = 0, count = 0; // in Unit::instructions; its last one may branch
  uint32_t next = no_block;      // behind it, if control may go on there
  uint32_t target = no_block;    // of the branch at its end
  std::vector<uint32_t> ways;    // where its last instruction may jump (Way::jumps)
  uint8_t cold = 0;              // no wave has executed it with such an EXEC, as far as is known: as Coverage has it
  bool comes_back = false;       // it is behind a call that leaves: waves come to it from the interpreter

  // f(block) of each that control may go to from it.
  template <class F> void each_successor(F f) const {
    for (const uint32_t b : {next, target})
      if (b != no_block)
        f(b);
    for (const uint32_t b : ways)
      f(b);
  }
};

// Where jumps, calls and returns by addresses in SGPRs may go, by where they are, as dword indexes. It need not be all,
// nor so. Nowhere: the callee shall not be in the unit, but what it comes back to shall.
using Ways = std::map<uint32_t, std::vector<uint32_t>>;

// Runs of dwords of a Code, as they were.
struct CodeBytes {
  struct Run {
    uint32_t pc; // dword index
    std::vector<uint32_t> words;
    friend bool operator==(const Run&, const Run&) = default;
  };
  std::vector<Run> runs;
  bool are_in(uint64_t base) const; // still
  friend bool operator==(const CodeBytes&, const CodeBytes&) = default;
};

struct Unit {
  isa::Target target{};
  DecodeMode mode;
  uint64_t base = 0;  // address of dword 0: constants of uops may be derived from it, code that is compiled is not
  uint32_t entry = 0; // dword index
  std::vector<UnitUop> uops;
  std::vector<UnitInstruction> instructions; // by block
  std::vector<UnitBlock> blocks;             // by address; the first instruction of `entry_block` is the entry
  uint32_t entry_block = 0;
  CodeBytes bytes;       // of all instructions
  bool too_long = false; // more than `most` instructions: nothing else is told
};

// Decodes from `entry` (a dword index) on.
Unit unit_from(isa::Target, uint64_t base, uint64_t size, uint32_t entry, DecodeMode, RegisterLimits, size_t most,
               const Ways& = {});

} // namespace crosslane::engine
