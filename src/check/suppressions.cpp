// Patterns are the shell's (fnmatch).
#include "check/suppressions.h"
#include "files/error.h"
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fnmatch.h>
#include <sstream>

namespace crosslane::check {

namespace {

bool matches(const std::string& pattern, const std::string& text) {
  return fnmatch(pattern.c_str(), text.c_str(), 0) == 0;
}

bool names_a_rule(const std::string& pattern) {
  for (size_t n = 0; n < lint::rule_count; ++n)
    if (matches(pattern, lint::id_of(lint::Rule(n))))
      return true;
  return false;
}

// "dir/k.cl:12:5" as that, without the column, and both without the folder.
bool is_at(const std::string& pattern, const std::string& source) {
  if (source.empty())
    return false;
  const std::string file = source.substr(source.rfind('/') + 1);
  for (const std::string& text : {source, file})
    if (matches(pattern, text) || matches(pattern, text.substr(0, text.rfind(':'))))
      return true;
  return false;
}

bool is_at(const std::string& pattern, const lint::Place& p) {
  return matches(pattern, p.function) || matches(pattern, lint::address_of(p)) || is_at(pattern, p.source) ||
         (p.line && is_at(pattern, lint::text_of(p))) ||
         std::ranges::any_of(p.inlined_by, [&](const std::string& call) { return is_at(pattern, call); });
}

// The place, or a call by which it was come to.
bool names(const std::string& pattern, const lint::PlacedFinding& f) {
  return pattern.empty() || is_at(pattern, f.place) ||
         std::ranges::any_of(f.callers, [&](const lint::Place& p) { return is_at(pattern, p); });
}

} // namespace

llvm::Expected<Suppressions> Suppressions::parse(std::string_view text, const std::string& name) {
  Suppressions all;
  std::istringstream lines{std::string(text)};
  std::string words;
  for (int number = 1; std::getline(lines, words); ++number) {
    std::istringstream stream(words.substr(0, words.find('#')));
    Line line{.place = fmt::format("{}:{}", name, number)};
    std::string more;
    if (!(stream >> line.rule))
      continue;
    stream >> line.where;
    if (stream >> more)
      return fail("{}: '{}' is too much: a line is RULE [WHERE]", line.place, more);
    if (!names_a_rule(line.rule))
      return fail("{}: '{}' is no rule; to see all: crosslane lint --list-rules", line.place, line.rule);
    all.lines_.push_back(std::move(line));
  }
  return all;
}

size_t Suppressions::apply(std::span<lint::Judged> judged) {
  size_t count = 0;
  for (lint::Judged& j : judged)
    count += std::erase_if(j.findings, [&](const lint::PlacedFinding& f) {
      bool known = false;
      for (Line& line : lines_) {
        const bool here = matches(line.rule, lint::id_of(f.rule)) && names(line.where, f);
        line.used |= here, known |= here;
      }
      return known;
    });
  return count;
}

std::vector<std::string> Suppressions::unused() const {
  std::vector<std::string> all;
  for (const Line& line : lines_)
    if (!line.used)
      all.push_back(fmt::format("{}: {}{}{}", line.place, line.rule, line.where.empty() ? "" : " ", line.where));
  return all;
}

} // namespace crosslane::check
