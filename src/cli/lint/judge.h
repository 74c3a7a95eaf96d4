// Owns judging one code object for a verb: what the user asked for of its findings, placed.
#pragma once
#include "cli/lint/inputs.h"
#include "lint/format/format.h"
#include "lint/lint.h"

namespace crosslane::cli {

struct Asked {
  lint::Options options;
  lint::Severity least = lint::Severity::warning; // shown
  std::string kernel;                             // empty: all
};

// Counts into `statistics` what comments allow, and the time.
llvm::Expected<lint::Judged> judge(LintUnit&, const Asked&, lint::Statistics& statistics);

// For who is about to run the code of a .s: what is surely wrong with it, a line each, and how to see more; empty:
// nothing. `object` is what load_code() made of it.
std::string errors_of(const codeobject::CodeObject& object, const std::string& file);

} // namespace crosslane::cli
