// What services that run builds read: GitHub's workflow commands, and JUnit's XML, which nearly all others take.
#include "lint/format/format.h"
#include <fmt/format.h>

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

std::string command(std::string_view kind, const Place& p, std::string_view title, std::string_view text) {
  std::string out = fmt::format("::{} file={}", kind, escaped(p.file, true));
  if (p.line)
    out += fmt::format(",line={}", p.line);
  if (p.column)
    out += fmt::format(",col={}", p.column);
  return out + fmt::format(",title={}::{}\n", escaped(title, true), escaped(text, false));
}

std::string xml(std::string_view text) {
  std::string out;
  for (const char c : text)
    switch (c) {
    case '&': out += "&amp;"; break;
    case '<': out += "&lt;"; break;
    case '>': out += "&gt;"; break;
    case '"': out += "&quot;"; break;
    case '\n': out += "&#10;"; break;
    default: out += uint8_t(c) < ' ' && c != '\t' ? '?' : c; // XML 1.0 has no such characters
    }
  return out;
}

std::string lines_of(const PlacedFinding& f) {
  std::string text = fmt::format("{}: {}", text_of(f.place), f.message);
  for (const PlacedNote& n : f.notes)
    text += fmt::format("\n{}: note: {}", text_of(n.place), n.text);
  if (f.fix)
    text += fmt::format("\n{}: fix: {}", text_of(f.fix->place), text_of(*f.fix));
  return text;
}

} // namespace

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
        text += fmt::format("\n{}: {}", text_of(n.place), n.text);
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
  std::string suites;
  size_t cases = 0, failures = 0;
  for (const Judged& j : r.judged) {
    const size_t tests = std::max<size_t>(j.findings.size() + j.not_judged.size(), 1);
    suites += fmt::format("  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"{}\">\n",
                          xml(j.file), tests, j.findings.size(), j.not_judged.size());
    for (const PlacedFinding& f : j.findings)
      suites += fmt::format("    <testcase classname=\"{}\" name=\"{} {}\">\n      <failure type=\"{}\" "
                            "message=\"{}\">{}</failure>\n    </testcase>\n",
                            xml(j.file), id_of(f.rule), xml(text_of(f.place)), name_of(f.severity), xml(f.message),
                            xml(lines_of(f)));
    for (const PlacedGap& g : j.not_judged)
      suites += fmt::format("    <testcase classname=\"{}\" name=\"{}\">\n      <skipped message=\"not judged: "
                            "{}\"/>\n    </testcase>\n",
                            xml(j.file), xml(text_of(g.place)), xml(g.reason));
    if (j.findings.empty() && j.not_judged.empty())
      suites += fmt::format("    <testcase classname=\"{}\" name=\"lint\"/>\n", xml(j.file));
    suites += "  </testsuite>\n";
    cases += tests, failures += j.findings.size();
  }
  if (!r.errors.empty()) {
    suites += fmt::format("  <testsuite name=\"crosslane lint\" tests=\"{0}\" failures=\"0\" errors=\"{0}\" "
                          "skipped=\"0\">\n",
                          r.errors.size());
    for (const std::string& error : r.errors)
      suites += fmt::format("    <testcase classname=\"crosslane lint\" name=\"input\">\n      <error "
                            "message=\"{}\"/>\n    </testcase>\n",
                            xml(error));
    suites += "  </testsuite>\n";
    cases += r.errors.size();
  }
  return fmt::format("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"{}\" tests=\"{}\" "
                     "failures=\"{}\" errors=\"{}\">\n{}</testsuites>\n",
                     r.tool, cases, failures, r.errors.size(), suites);
}

} // namespace crosslane::lint
