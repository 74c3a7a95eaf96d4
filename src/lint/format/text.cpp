// The form of compilers' messages, which editors jump to.
#include "lint/format/format.h"
#include <fmt/format.h>

namespace crosslane::lint {

namespace {

class Writer {
public:
  explicit Writer(const TextStyle& style) : style_(style) {}

  std::string out;

  void finding(const PlacedFinding& f) {
    out += fmt::format("{}: {}: {} {}\n", bold(text_of(f.place)), severity(f.severity), bold(f.message),
                       dim("[" + id_of(f.rule) + "]"));
    code(f.place);
    for (const PlacedNote& n : f.notes)
      out += fmt::format("  {}: {} {}\n", text_of(n.place), colour("36", "note:"), n.text);
    if (f.fix)
      out += fmt::format("  {}: {} {}\n", text_of(f.fix->place), colour("32", "fix:"), said(*f.fix));
  }

  void gap(const PlacedGap& g) {
    out += fmt::format("{}: {} not judged: {}\n", text_of(g.place), colour("36", "note:"), g.reason);
  }

private:
  TextStyle style_;

  std::string colour(std::string_view number, std::string_view text) const {
    return style_.colour ? fmt::format("\x1b[{}m{}\x1b[0m", number, text) : std::string(text);
  }
  std::string bold(std::string_view text) const { return colour("1", text); }
  std::string dim(std::string_view text) const { return colour("2", text); }
  std::string severity(Severity s) const {
    return colour(s == Severity::error ? "1;31" : s == Severity::warning ? "1;35" : "1;36", name_of(s));
  }

  // With the line's own tabs under it, so that the caret stands right.
  void code(const Place& p) {
    if (p.code.empty())
      return;
    if (!p.line) {
      out += fmt::format("{:>9} | {}{}\n", fmt::format("+{:#x}", p.offset), p.code,
                         p.source.empty() ? "" : dim("  // " + p.source));
      return;
    }
    out += fmt::format("{:>6} | {}\n", p.line, p.code);
    if (!p.column)
      return;
    std::string under;
    for (size_t n = 0; n + 1 < p.column && n < p.code.size(); ++n)
      under += p.code[n] == '\t' ? '\t' : ' ';
    out += fmt::format("{:>6} | {}{}\n", "", under, colour("1;32", "^"));
  }

  static std::string said(const PlacedFix& fix) {
    std::string text = fix.text;
    for (size_t at = 0; (at = text.find('\n', at)) != std::string::npos;)
      text.replace(at, 1, "; ");
    switch (fix.kind) {
    case Fix::Kind::insert: return fmt::format("insert '{}'", text);
    case Fix::Kind::replace: return fmt::format("replace it by '{}'", text);
    case Fix::Kind::remove: return "remove it";
    }
    return {};
  }
};

} // namespace

std::string text_of(std::span<const Judged> judged, const TextStyle& style) {
  Writer w(style);
  size_t count = 0;
  for (const Judged& j : judged) {
    for (const PlacedFinding& f : j.findings)
      if (count++ < style.most)
        w.finding(f);
    for (const PlacedGap& g : j.not_judged)
      w.gap(g);
  }
  if (count > style.most)
    w.out += fmt::format("{} more findings are not shown\n", count - style.most);
  return std::move(w.out);
}

} // namespace crosslane::lint
