// What services that run builds read: GitHub's workflow commands, and JUnit's XML, which nearly all others take.
#include "files/read.h"
#include "lint/format/format.h"
#include "lint/format/junit.h"
#include <fmt/format.h>
#include <llvm/ADT/StringRef.h>

namespace crosslane::lint {

namespace {

std::string escaped(std::string_view text, bool property) {
  std::string out;
  for (const char c : text)
    if (c == '%' || c == '\r' || c == '\n' || (property && (c == ':' || c == ',')))
      out += fmt::format("%{:02X}", uint8_t(c));
    else
      out += c;
  return out;
}

// The number behind the last colon, which is taken off.
std::optional<uint32_t> take_number(std::string& text) {
  const size_t colon = text.rfind(':');
  uint32_t value = 0;
  if (colon == std::string::npos || llvm::StringRef(text).substr(colon + 1).getAsInteger(10, value))
    return std::nullopt;
  text.resize(colon);
  return value;
}

std::string command(std::string_view kind, const Place& p, std::string_view title, std::string_view text) {
  const Position at = position_of(p);
  std::string out = fmt::format("::{} file={}", kind, escaped(at.file, true));
  if (at.line)
    out += fmt::format(",line={}", at.line);
  if (at.column)
    out += fmt::format(",col={}", at.column);
  return out + fmt::format(",title={}::{}\n", escaped(title, true), escaped(text, false));
}

std::string lines_of(const PlacedFinding& f) {
  std::string text = fmt::format("{}: {}", where_of(f.place), f.message);
  for (const PlacedNote& n : f.notes)
    text += fmt::format("\n{}: note: {}", where_of(n.place), n.text);
  if (f.fix)
    text += fmt::format("\n{}: fix: {}", text_of(f.fix->place), text_of(*f.fix));
  return text;
}

} // namespace

Position position_of(const std::string& source) {
  Position at{files::from_here(source)};
  const auto last = take_number(at.file), before = take_number(at.file);
  at.line = before ? *before : last.value_or(0), at.column = before ? last.value_or(0) : 0;
  return at;
}

Position position_of(const Place& p) {
  return p.line || p.source.empty() ? Position{p.file, p.line, p.column} : position_of(p.source);
}

std::string github_of(const Results& r, size_t most) {
  std::string out;
  size_t count = 0;
  for (const Judged& j : r.judged)
    for (const PlacedFinding& f : j.findings) {
      if (count++ >= most)
        continue;
      std::string text = f.message;
      if (!f.place.line)
        text += fmt::format(" ({})", address_of(f.place));
      for (const PlacedNote& n : f.notes)
        text += fmt::format("\n{}: {}", where_of(n.place), n.text);
      if (f.fix)
        text += fmt::format("\nfix: {}", text_of(*f.fix));
      out += command(f.severity == Severity::error     ? "error"
                     : f.severity == Severity::warning ? "warning"
                                                       : "notice",
                     f.place, id_of(f.rule), text);
    }
  for (const Judged& j : r.judged)
    for (const PlacedGap& g : j.not_judged)
      out += command("notice", g.place, "not judged", g.reason);
  for (const std::string& error : r.errors)
    out += fmt::format("::error title=crosslane lint::{}\n", escaped(error, false));
  if (count > most)
    out += fmt::format("::notice title=crosslane lint::{} more findings are not shown\n", count - most);
  return out;
}

std::string junit_of(const Results& r) {
  using Kind = JUnitCase::Kind;
  std::vector<JUnitSuite> suites;
  for (const Judged& j : r.judged) {
    JUnitSuite& suite = suites.emplace_back(JUnitSuite{j.file, {}});
    for (const PlacedFinding& f : j.findings)
      suite.cases.push_back({j.file, fmt::format("{} {}", id_of(f.rule), text_of(f.place)), Kind::failure,
                             std::string(name_of(f.severity)), f.message, lines_of(f)});
    for (const PlacedGap& g : j.not_judged)
      suite.cases.push_back({j.file, text_of(g.place), Kind::skipped, "", "not judged: " + g.reason});
    if (suite.cases.empty())
      suite.cases.push_back({j.file, "lint"});
  }
  if (!r.errors.empty()) {
    JUnitSuite& suite = suites.emplace_back(JUnitSuite{"crosslane lint", {}});
    for (const std::string& error : r.errors)
      suite.cases.push_back({"crosslane lint", "input", Kind::error, "", error});
  }
  return junit_of(r.tool, suites);
}

} // namespace crosslane::lint
