// Owns the rules as a user meets them: an id, what is wrong, who says so, an example of wrong and of right. One RULE
// row each, in rules/<group>.inc; ids and groups are an interface (docs/lint.md). What the rules about wait states ask
// for in numbers stands in isa/rows/hazards.inc; the checks that find the rest in checks/.
#pragma once
#include "isa/hazards.h"
#include <optional>
#include <span>
#include <string>

namespace crosslane::lint {

using isa::hazards::Said;
using isa::hazards::Severity;

// Whose rules a run judges by: the default leaves out what is pedantic, the others add what that source says.
enum class RuleSet : uint8_t { default_, manual, llvm, all };

enum class Group : uint8_t {
  wait_states, // instructions that must be some apart
  waits,       // s_waitcnt
  code,        // control flow, registers, memory
  usage,       // of the comments that allow a rule
  performance, // off unless selected
  running,     // found while a kernel runs alone: check/
  host,        // likewise of what the host's program does
};

enum class Rule : uint16_t {
#define RULE(name, ...) name,
#include "lint/rules/all.inc"
#undef RULE
  count
};
inline constexpr size_t rule_count = size_t(Rule::count);

struct RuleText {
  std::string_view name; // "valu_sgpr_vmem"; its id is the same with dashes
  Group group{};
  Severity severity{}; // the gravest that it is reported with
  std::string_view title;
  std::string_view text;    // what goes wrong, and what to do: paragraphs
  std::string_view sources; // manual and chapter, compiler and function
  std::string_view target;  // of the examples
  std::string_view wrong;   // instructions that it is found in
  std::string_view right;
};

const RuleText& text_of(Rule);
std::string id_of(Rule);                            // "valu-sgpr-vmem"
std::optional<Rule> find_rule(std::string_view id); // with dashes or underscores
std::string_view name_of(Group);                    // "wait-states"
std::string_view name_of(Severity);

} // namespace crosslane::lint
