// Owns what the files of other tools are made of: a replay's recording, with the code in the user's words.
#pragma once
#include "timing/flops.h"
#include "timing/replay/recording.h"
#include "timing/replay/replay.h"
#include <string>
#include <vector>

namespace crosslane::timing::formats {

// The kinds of instructions of AMD's thread trace, by their numbers.
enum class Category : uint8_t {
  none = 0,
  smem = 1,
  salu = 2,
  vmem = 3,
  flat = 4,
  lds = 5,
  valu = 6,
  jump = 7,
  immediate = 9, // that no unit takes: s_waitcnt, s_nop, s_barrier
  message = 11,
};

struct CodeLine {       // an instruction that ran
  uint64_t address = 0; // in the code object
  std::string text;     // disassembly
  std::string source;   // "file:line"; empty: not known
  Category category{};
  Flops flops;
  replay::Row row;
  replay::RowTimes times;
};

struct Course {
  std::string kernel, readable; // its symbol, and its name without mangling
  std::string card;
  unsigned gfxip = 9;         // 6 to 9
  std::vector<CodeLine> code; // by address
  std::vector<uint32_t> line; // in `code`, of each row that steps name
  replay::Recording recording;
  replay::Machine machine;
  replay::Figures figures;
};

// `to_object`: addresses of loaded code to those of the code object. `source_of`: of an address of loaded code.
Course course_of(const replay::Replay&, const replay::Machine&, const std::function<uint64_t(uint64_t)>& to_object,
                 const std::function<std::string(uint64_t)>& source_of);

} // namespace crosslane::timing::formats
