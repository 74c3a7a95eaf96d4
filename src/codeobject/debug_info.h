// Owns what is read of .debug_info: the units, and the calls that were inlined. A reader of our own, because LLVM's
// believes every length: a block that ends behind its unit makes it read from there, whatever is there.
// Source: DWARF version 5, sections 2.17, 3.3.8, 7.5 and 7.25; version 4, sections 2.17.3 and 7.5. Not for other
// layers.
#pragma once
#include "codeobject/read/debug_sections.h"

namespace crosslane::codeobject {

struct DebugCall {
  uint32_t around = 0; // the call around it: its index in the unit, and 1 more; 0: the function itself
  // Want::functions: a function that is no call stands here too, and is around its calls. Where the entry is that names
  // it or, of a call, the function that was called; an offset in .debug_info, 0: nowhere.
  bool function = false;
  uint64_t origin = 0;
  uint32_t file = 0, line = 0, column = 0;
  std::vector<std::pair<uint64_t, uint64_t>> ranges; // [low, high) of its code
};

struct DebugUnit {
  std::optional<uint64_t> lines; // where its line table starts in .debug_line
  std::string directory;
  // Want::functions alone:
  uint16_t version = 0;
  std::string name;
  uint64_t language = 0;                             // DW_LANG_*; 0: it does not say
  std::vector<std::pair<uint64_t, uint64_t>> ranges; // [low, high) of its code; empty: it does not say

  std::vector<DebugCall> calls; // each behind the one around it
};

struct DebugInfo {
  std::vector<DebugUnit> units; // the sound ones
  std::string problem;          // of the first that is not; empty: all are
};

enum class Want { units, calls, functions };
DebugInfo read_debug_info(const DebugSections& sections, Want want);

} // namespace crosslane::codeobject
