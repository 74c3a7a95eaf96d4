// Owns what a user may call rules: an id, the beginning of ids, a group, all, default.
#pragma once
#include "lint/lint.h"
#include <llvm/Support/Error.h>

namespace crosslane::lint {

using RuleBits = std::bitset<rule_count>;

// Of one word; empty: there is no such rule.
RuleBits rules_called(std::string_view word);
// `select` empty: the default. The error names what is near.
llvm::Expected<RuleBits> select_rules(std::span<const std::string> select, std::span<const std::string> ignore);
// "; did you mean valu-sgpr-vmem?"
std::string near_rule(std::string_view word);

} // namespace crosslane::lint
