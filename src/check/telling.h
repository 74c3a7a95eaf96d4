// Owns how findings of checks are told: some are left out because a file names them, a text shows so many of the rest,
// and all of them go to a file. Who runs kernels says where each of the texts goes.
#pragma once
#include "lint/placed.h"
#include <llvm/Support/Error.h>
#include <span>
#include <string>
#include <vector>

namespace crosslane::check {

struct Telling {
  std::string file;       // for all findings: .json, .sarif, or .xml as JUnit has it; empty: none
  std::string suppress;   // the file of check/suppressions.h; empty: none
  size_t most = SIZE_MAX; // that the text shows
  int status = 0;         // exit status where there are findings; 0: whatever is usual

  bool operator==(const Telling&) const = default;

  // Files that cannot be read, or names that say no form: asked before anything runs.
  llvm::Error judge() const;
  struct Told {
    size_t findings = 0; // that are left
    size_t suppressed = 0;
    std::string text;               // of them, for a person; empty: none
    std::vector<std::string> notes; // "3 findings are suppressed", lines of the file that name nothing
    std::string document;           // what goes to `file`
    std::string page;               // an object for the profile's document and its page
  };
  // Takes out of `judged` what is suppressed. `colour`: in the text.
  llvm::Expected<Told> tell(std::span<lint::Judged> judged, bool colour = false) const;
};

// What a file of that name gets of findings, those that are suppressed taken out; empty: its name says no form.
std::string document_of(std::span<const lint::Judged>, size_t suppressed, std::string_view file);

} // namespace crosslane::check
