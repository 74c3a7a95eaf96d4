// Owns the forms in which findings are told, each as one string. Nothing here prints. Keys, ids and the order of fields
// are an interface (docs/lint.md).
#pragma once
#include "lint/placed.h"
#include <span>

namespace crosslane::lint {

struct Statistics {
  uint64_t files = 0, skipped = 0;     // skipped: of folders, without GPU code
  uint64_t allowed = 0, known = 0;     // findings that comments allow, or the baseline has
  double seconds = 0;                  // of the checks and the analysis, of one core
  std::map<Rule, uint64_t> found = {}; // what is told
};

struct Results {
  std::span<const Judged> judged;
  std::span<const std::string> errors; // files that could not be read
  Statistics statistics;
  std::string version;                      // of crosslane
  std::string_view tool = "crosslane lint"; // or what else has found it
};

struct TextStyle {
  bool colour = false;
  size_t most = SIZE_MAX; // findings; how many are left out is said
};

// As compilers write it: place, severity, message and id, the line with a caret, notes and the fix.
std::string text_of(const Results&, const TextStyle&);
// Everything, as one object.
std::string json_of(const Results&);
// What the page of a profile shows of them: findings, the rules that they are of, and how many are known.
std::string page_of(const Results&);
// SARIF 2.1.0, with the rules that were found.
std::string sarif_of(const Results&);
// Commands of a GitHub workflow.
std::string github_of(const Results&, size_t most);
// JUnit's XML: a suite for each code object, a failed case for each finding.
std::string junit_of(const Results&);

// A place as editors and services know it: of code with a line table its source, "vadd.cl:3:7", from the current
// folder; else as text_of() has it.
std::string where_of(const Place&);
struct Position {
  std::string file;
  uint32_t line = 0, column = 0; // 0: not known
};
Position position_of(const Place&);
Position position_of(const std::string& source); // "vadd.cl:3:7"
std::string text_of(const Statistics&, std::span<const Judged>);
// "insert 's_nop 4'"
std::string text_of(const PlacedFix&);
// "workgroup (0,1,0), wave 2, lane 5; 64 times"
std::string text_of(const Seen&);

} // namespace crosslane::lint
