// Owns which tests there are: launch descriptions (launch/job.h) by name and in folders, in the order of their names.
#pragma once
#include "launch/job.h"
#include "testing/outcome.h"
#include <optional>
#include <string>
#include <vector>

namespace crosslane::testing {

struct Case {
  std::string name;               // of the description, as the user would name it
  std::optional<launch::Job> job; // none: it is no launch description, or not one for a test
  Complaint why = {};             // ... which this says
};

struct Selection {
  std::vector<std::string> paths;           // descriptions, and folders in which all *.toml are
  std::vector<std::string> filter, exclude; // patterns of the shell, of whole names or of those of files
};

// The error says which path there is not. Hidden folders are left out, and so are links to folders.
llvm::Expected<std::vector<Case>> collect(const Selection&);

// What is expected of it: "c, d", "fault unmapped_address", "no findings of race"; empty: nothing.
std::string expectations_of(const launch::Job&);

} // namespace crosslane::testing
