// Owns a text by its lines, as findings, comments and fixes name them: from 1 on.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace crosslane::lint {

class SourceText {
public:
  SourceText() = default;
  explicit SourceText(std::string text);
  uint32_t lines() const { return uint32_t(starts_.size()); }
  std::string_view line(uint32_t n) const; // without its end; empty: there is no such line
  const std::string& text() const { return text_; }

private:
  std::string text_;
  std::vector<size_t> starts_;
};

// Where the comment of a line of assembly begins, and npos. `block`: whether the line begins in one of /* */; set to
// whether the next one does.
size_t comment_of(std::string_view line, bool& block);

} // namespace crosslane::lint
