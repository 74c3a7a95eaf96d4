// Owns judging the static analysis in a program that knows nothing of it: crosslane_judge of CMakeLists.txt has
// the linker lead codeobject::CodeObject::load and engine::run through judge.cpp, which gives each dispatch the Oracle
// of its code object. Neither the product nor the tests that are judged have a line for it.
//
// Environment: CROSSLANE_JUDGE_REPORT is a file to which each dispatch that was judged adds a line, and a line for each
// deviation; CROSSLANE_JUDGE_DISPATCHES and CROSSLANE_JUDGE_WORKGROUPS, how many of a kernel and of a dispatch are
// judged, all without it.
#pragma once
#include "tests/analysis/oracle.h"

namespace crosslane::test {

struct Verdict {
  uint64_t dispatches = 0, not_judged = 0;
  Counts counts;
  std::vector<std::string> deviations;
};
// Of what has ended since the last time.
Verdict take_verdict();

// Dispatches of its lifetime are not judged.
class Unjudged {
public:
  Unjudged();
  ~Unjudged();
  Unjudged(const Unjudged&) = delete;
};

} // namespace crosslane::test
