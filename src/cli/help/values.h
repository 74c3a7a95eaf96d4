// Owns what may stand for a value: of which kind it is, its name in --help says ("GPU", "CHECKS", "FILE"), and for
// files the endings that the description names.
#pragma once
#include "cli/help/page.h"

namespace crosslane::cli {

struct Values {
  std::vector<std::string> words = {};
  bool list = false; // several, with commas
  bool files = false, folders = false;
  std::vector<std::string> endings = {}; // "npy"; none: of any
  bool operator==(const Values&) const = default;
};

// Also of words by position.
Values values_of(const PageOption&);
// The names that stand for words of a known list, for tests.
std::vector<std::string> named_kinds();

} // namespace crosslane::cli
