// Lines, and where assembly has comments: behind // and ;, and in /* */, but not in strings.
#include "lint/source_text.h"

namespace crosslane::lint {

SourceText::SourceText(std::string text) : text_(std::move(text)) {
  for (size_t at = 0; at < text_.size();) {
    starts_.push_back(at);
    const size_t end = text_.find('\n', at);
    at = end == std::string::npos ? text_.size() : end + 1;
  }
}

std::string_view SourceText::line(uint32_t n) const {
  if (n == 0 || n > starts_.size())
    return {};
  const size_t begin = starts_[n - 1], end = n < starts_.size() ? starts_[n] : text_.size();
  std::string_view line(text_.data() + begin, end - begin);
  while (line.ends_with('\n') || line.ends_with('\r'))
    line.remove_suffix(1);
  return line;
}

size_t comment_of(std::string_view line, bool& block) {
  size_t first = block ? 0 : std::string_view::npos;
  bool string = false;
  for (size_t at = 0; at < line.size(); ++at) {
    const std::string_view rest = line.substr(at);
    if (block) {
      if (rest.starts_with("*/"))
        block = false, ++at;
      continue;
    }
    if (string) {
      string = line[at] != '"';
      at += line[at] == '\\';
      continue;
    }
    string = line[at] == '"';
    if (rest.starts_with("//") || rest[0] == ';')
      return std::min(first, at);
    if (rest.starts_with("/*"))
      block = true, first = std::min(first, at), ++at;
  }
  return first;
}

} // namespace crosslane::lint
