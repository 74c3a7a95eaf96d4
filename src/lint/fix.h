// Owns repairing assembly text by the fixes of findings, in rounds: between two of them the text is judged again, since
// what one fix puts in may be enough for the next finding.
#pragma once
#include "lint/placed.h"

namespace crosslane::lint {

class Repair {
public:
  Repair(std::string file, const std::string& text);
  // Of findings in the text as it is now. How many fixes it took in; 0: there is none that it can.
  size_t round(std::span<const PlacedFinding>);
  std::string text() const;
  std::string diff() const; // unified, of three lines of context; empty: nothing was changed

private:
  struct Line {
    uint32_t origin = 0; // its number in the text at the beginning; 0: new
    std::string text;    // with its end
  };
  std::string file_;
  std::vector<std::string> before_;
  std::vector<Line> lines_;

  bool apply(uint32_t line, std::span<const PlacedFinding* const>);
};

} // namespace crosslane::lint
