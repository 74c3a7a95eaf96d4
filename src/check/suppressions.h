// Owns the findings that are not to be told: a file with a line for each kind of them,
//     RULE [WHERE]      # comment
// both with * and ? for what may differ. WHERE is a function, "function+0x50", or the source, "k.cl:12", with or
// without its folder; without it, all of the rule.
#pragma once
#include "lint/placed.h"
#include <llvm/Support/Error.h>
#include <span>

namespace crosslane::check {

class Suppressions {
public:
  // `name` is for messages: a rule that is none is an error.
  static llvm::Expected<Suppressions> parse(std::string_view text, const std::string& name);
  // Takes out what they name; how many.
  size_t apply(std::span<lint::Judged>);
  // Lines that have named nothing yet: "known.txt:3: race-lds sort".
  std::vector<std::string> unused() const;

private:
  struct Line {
    std::string rule, where, place; // place: of the line itself
    bool used = false;
  };
  std::vector<Line> lines_;
};

} // namespace crosslane::check
