// Counts of all first, as the format wants them.
#include "lint/format/junit.h"
#include <algorithm>
#include <fmt/format.h>
#include <llvm/Support/ConvertUTF.h>

namespace crosslane::lint {

namespace {

using Kind = JUnitCase::Kind;

// Of the character at the front, if XML 1.0 has it; 0: it has not, or it is no UTF-8.
size_t legal(std::string_view text) {
  const auto* bytes = reinterpret_cast<const llvm::UTF8*>(text.data());
  const size_t size = llvm::getNumBytesForUTF8(bytes[0]);
  if (size > text.size() || !llvm::isLegalUTF8Sequence(bytes, bytes + size))
    return 0;
  const bool control = bytes[0] < ' ' && bytes[0] != '\t';
  return control || text.starts_with("\xef\xbf\xbe") || text.starts_with("\xef\xbf\xbf") ? 0 : size;
}

std::string xml(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    size_t size = 1;
    switch (text[0]) {
    case '&': out += "&amp;"; break;
    case '<': out += "&lt;"; break;
    case '>': out += "&gt;"; break;
    case '"': out += "&quot;"; break;
    case '\n': out += "&#10;"; break;
    default: size = legal(text); out += size ? text.substr(0, size) : "?";
    }
    text.remove_prefix(std::max<size_t>(size, 1));
  }
  return out;
}

std::string attribute(std::string_view name, std::string_view value) {
  return value.empty() ? "" : fmt::format(" {}=\"{}\"", name, xml(value));
}

std::string seconds(std::optional<double> value) { return value ? fmt::format(" time=\"{:.3f}\"", *value) : ""; }

std::string inner(const JUnitCase& c) {
  static constexpr std::string_view tags[] = {"", "failure", "error", "skipped"};
  std::string out;
  if (const std::string_view tag = tags[size_t(c.kind)]; !tag.empty()) {
    out += fmt::format("      <{}{}{}", tag, attribute("type", c.type), attribute("message", c.message));
    out += c.text.empty() ? "/>\n" : fmt::format(">{}</{}>\n", xml(c.text), tag);
  }
  if (!c.output.empty())
    out += fmt::format("      <system-out>{}</system-out>\n", xml(c.output));
  return out;
}

size_t count(const JUnitSuite& suite, Kind kind) {
  return size_t(std::ranges::count(suite.cases, kind, &JUnitCase::kind));
}

} // namespace

std::string junit_of(std::string_view tool, std::span<const JUnitSuite> suites) {
  std::string text;
  size_t cases = 0, failures = 0, errors = 0;
  std::optional<double> all;
  for (const JUnitSuite& suite : suites) {
    std::string inside;
    std::optional<double> time;
    for (const JUnitCase& c : suite.cases) {
      const std::string in = inner(c);
      inside +=
          fmt::format("    <testcase classname=\"{}\" name=\"{}\"{}", xml(c.group), xml(c.name), seconds(c.seconds));
      inside += in.empty() ? "/>\n" : fmt::format(">\n{}    </testcase>\n", in);
      if (c.seconds)
        time = time.value_or(0) + *c.seconds;
    }
    text += fmt::format("  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\"{}>\n{}"
                        "  </testsuite>\n",
                        xml(suite.name), suite.cases.size(), count(suite, Kind::failure), count(suite, Kind::error),
                        count(suite, Kind::skipped), seconds(time), inside);
    cases += suite.cases.size(), failures += count(suite, Kind::failure), errors += count(suite, Kind::error);
    if (time)
      all = all.value_or(0) + *time;
  }
  return fmt::format("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"{}\" tests=\"{}\" "
                     "failures=\"{}\" errors=\"{}\"{}>\n{}</testsuites>\n",
                     xml(tool), cases, failures, errors, seconds(all), text);
}

} // namespace crosslane::lint
