// Owns what is told of rules themselves: one in full, all as a list, and the page docs/lint-rules.md.
#pragma once
#include "lint/rule.h"
#include <vector>

namespace crosslane::lint {

std::string explanation_of(Rule);
std::string rules_text(); // a line each
std::string rules_json();
std::string rules_markdown();

// "manual, LLVM"; empty: nobody.
std::string text_of(Said);
std::vector<std::string> names_of(Said); // "manual", "llvm", "aco"

} // namespace crosslane::lint
