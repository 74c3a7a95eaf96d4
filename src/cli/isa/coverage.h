// Owns decode and execute coverage: counts of rows and forms per target, from the rows, the codec and the engine.
#pragma once
#include "cli/isa/instructions.h"

namespace crosslane::cli {

struct Share {
  int of = 0, done = 0;
  bool operator==(const Share&) const = default;
};

// Targets that are alike in all of it share one. An instruction counts as done if all its forms are.
struct Coverage {
  std::vector<isa::Target> targets;
  Share decoded;           // instructions whose forms decode, from bytes, to what they are
  Share compute, graphics; // executed, of the instructions that isa::is_graphics() does not name and does
  Share forms;             // executed, counted by form
  bool same_counts(const Coverage&) const;
};

std::vector<Coverage> coverage(std::span<const isa::Target>);

// As a table in Markdown.
std::string coverage_table(std::span<const Coverage>);
// What a target does not execute, by reason.
std::string fault_list(isa::Target);

} // namespace crosslane::cli
