// Each id of a comment by itself, so that one of several can be of no use.
#include "lint/allow.h"
#include "lint/select.h"
#include <algorithm>
#include <fmt/format.h>

namespace crosslane::lint {

namespace {

constexpr std::string_view marker = "crosslane-lint:";

struct Allowed {
  RuleBits rules;
  std::string word;
  uint32_t first = 0, last = 0;  // lines
  uint32_t line = 0, column = 0; // of the comment
  bool open = false, used = false;
};

std::string_view trimmed(std::string_view s) {
  while (!s.empty() && (s.front() == ' ' || s.front() == '\t'))
    s.remove_prefix(1);
  while (!s.empty() && (s.back() == ' ' || s.back() == '\t'))
    s.remove_suffix(1);
  return s;
}

class Comments {
public:
  Comments(const std::string& file, const SourceText& text) : file_(file), text_(text) {
    bool block = false;
    for (uint32_t n = 1; n <= text.lines(); ++n) {
      const std::string_view line = text.line(n);
      const size_t at = comment_of(line, block);
      if (at == 0 || trimmed(line.substr(0, at)).empty()) {
        if (at != line.npos)
          comment(n, line, at, true);
        continue;
      }
      const std::string_view code = trimmed(line.substr(0, at));
      const bool instruction = !code.ends_with(':') && !(code.starts_with('.') && code.find(':') == code.npos);
      for (Allowed& a : allowed_) // that stand before the line
        if (!a.first && instruction)
          a.first = a.last = n;
      if (at != line.npos)
        comment(n, line, at, false);
    }
    for (Allowed& a : allowed_)
      if (a.open)
        a.last = UINT32_MAX;
  }

  bool allows(const PlacedFinding& f) {
    bool any = false;
    if (f.place.file != file_ || !f.place.line)
      return false;
    for (Allowed& a : allowed_)
      if (a.first <= f.place.line && f.place.line <= a.last && a.rules[size_t(f.rule)])
        a.used = any = true;
    return any;
  }

  void complain(std::vector<PlacedFinding>& to) {
    // found by those who run it
    const RuleBits elsewhere = rules_called(name_of(Group::running)) | rules_called(name_of(Group::host));
    for (const Allowed& a : allowed_)
      if (!a.used && (a.rules & ~elsewhere).any())
        add(Rule::unused_allow, a.line, a.column, fmt::format("'{}' is allowed here, and not found", a.word));
    std::ranges::move(wrong_, std::back_inserter(to));
  }

private:
  const std::string& file_;
  const SourceText& text_;
  std::vector<Allowed> allowed_;
  std::vector<PlacedFinding> wrong_;

  void add(Rule rule, uint32_t line, uint32_t column, std::string message) {
    wrong_.push_back({.rule = rule,
                      .severity = Severity::warning,
                      .said = {},
                      .place = {.file = file_, .line = line, .column = column, .code = std::string(text_.line(line))},
                      .message = std::move(message),
                      .instruction = {}});
  }

  void comment(uint32_t n, std::string_view line, size_t from, bool alone) {
    const size_t at = line.find(marker, from);
    if (at == line.npos)
      return;
    const std::string_view rest = trimmed(line.substr(at + marker.size()));
    const size_t open = rest.find('('), close = rest.find(')');
    const std::string_view verb = trimmed(rest.substr(0, open));
    const auto column = uint32_t(at + 1);
    if (open == rest.npos || close == rest.npos || close < open || (verb != "allow" && verb != "off" && verb != "on"))
      return add(Rule::unknown_allow, n, column,
                 "a comment for crosslane-lint is allow(ids), off(ids) or on(ids), with a reason behind it");
    for (std::string_view ids = rest.substr(open + 1, close - open - 1); !ids.empty();) {
      const size_t comma = std::min(ids.find(','), ids.size());
      const std::string word(trimmed(ids.substr(0, comma)));
      ids.remove_prefix(std::min(comma + 1, ids.size()));
      const RuleBits rules = rules_called(word);
      if (rules.none()) {
        add(Rule::unknown_allow, n, column, fmt::format("'{}' is no rule or group{}", word, near_rule(word)));
        continue;
      }
      if (verb == "on") {
        if (!close_regions(word, n))
          add(Rule::unknown_allow, n, column, fmt::format("no off({}) stands before this on({})", word, word));
        continue;
      }
      Allowed a{.rules = rules, .word = word, .line = n, .column = column, .open = verb == "off"};
      if (a.open)
        a.first = n;
      else if (!alone)
        a.first = a.last = n;
      allowed_.push_back(std::move(a));
    }
  }

  bool close_regions(const std::string& word, uint32_t line) {
    bool any = false;
    for (Allowed& a : allowed_)
      if (a.open && a.word == word)
        a.open = false, a.last = line, any = true;
    return any;
  }
};

} // namespace

size_t apply_comments(Judged& judged, const SourceText& text) {
  if (text.text().find(marker) == std::string::npos)
    return 0;
  Comments comments(judged.file, text);
  const size_t taken = std::erase_if(judged.findings, [&](const PlacedFinding& f) { return comments.allows(f); });
  comments.complain(judged.findings);
  return taken;
}

} // namespace crosslane::lint
