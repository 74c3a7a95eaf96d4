// The form of compilers' messages, which editors jump to.
#include "files/read.h"
#include "lint/format/format.h"
#include <fmt/format.h>

namespace crosslane::lint {

namespace {

// Files are not trusted to leave a terminal as it is.
std::string plain(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if ((uint8_t(c) < ' ' && c != '\t') || c == 0x7f)
      c = '?';
  return out;
}

// Told by its source, so that the address has to be said besides.
bool is_of_source(const Place& p) { return !p.line && !p.source.empty(); }

class Writer {
public:
  explicit Writer(const TextStyle& style) : style_(style) {}

  std::string out;

  void finding(const PlacedFinding& f) {
    out += fmt::format("{}: {}: {} {}\n", bold(plain(where_of(f.place))), severity(f.severity), bold(plain(f.message)),
                       dim("[" + id_of(f.rule) + "]"));
    code(f.place);
    inlined(f.place, "            ");
    called(f.callers, "            ");
    if (f.seen)
      out += fmt::format("            in {}\n", text_of(*f.seen));
    for (const PlacedNote& n : f.notes) {
      out += fmt::format("  {}: {} {}{}\n", plain(where_of(n.place)), colour("36", "note:"), plain(n.text),
                         is_of_source(n.place) ? dim(" (" + plain(address_of(n.place)) + ")") : "");
      inlined(n.place, "    ");
      called(n.callers, "    ");
    }
    if (f.fix)
      out += fmt::format("  {}: {} {}\n", plain(text_of(f.fix->place)), colour("32", "fix:"), text_of(*f.fix));
  }

  void gap(const PlacedGap& g) {
    out += fmt::format("{}: {} not judged: {}\n", plain(where_of(g.place)), colour("36", "note:"), plain(g.reason));
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

  void inlined(const Place& p, std::string_view indent) {
    for (const std::string& call : p.inlined_by)
      out += fmt::format("{}inlined by {}\n", indent, plain(files::from_here(call)));
  }
  void called(std::span<const Place> callers, std::string_view indent) {
    for (const Place& p : callers) {
      out += fmt::format("{}called from {}{}\n", indent, plain(where_of(p)),
                         is_of_source(p) ? dim(" (" + plain(address_of(p)) + ")") : "");
      inlined(p, indent);
    }
  }

  // With the line's own tabs under it, so that the caret stands right.
  void code(const Place& p) {
    if (p.code.empty())
      return;
    const std::string code = plain(p.code);
    if (!p.line) {
      out += fmt::format("{:>9} | {}{}\n", fmt::format("+{:#x}", p.offset), code,
                         is_of_source(p) ? dim("  // " + plain(text_of(p))) : "");
      return;
    }
    out += fmt::format("{:>6} | {}\n", p.line, code);
    if (!p.column)
      return;
    std::string under;
    for (size_t n = 0; n + 1 < p.column && n < p.code.size(); ++n)
      under += p.code[n] == '\t' ? '\t' : ' ';
    out += fmt::format("{:>6} | {}{}\n", "", under, colour("1;32", "^"));
  }
};

} // namespace

std::string where_of(const Place& p) { return is_of_source(p) ? files::from_here(p.source) : text_of(p); }

std::string text_of(const PlacedFix& fix) {
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

std::string text_of(const Seen& seen) {
  std::string text =
      fmt::format("workgroup ({},{},{}), wave {}", seen.workgroup[0], seen.workgroup[1], seen.workgroup[2], seen.wave);
  if (seen.lane >= 0)
    text += fmt::format(", lane {}", seen.lane);
  if (seen.address)
    text += fmt::format(", address {:#x}", seen.address);
  if (seen.times > 1)
    text += fmt::format("; {} times", seen.times);
  return text;
}

std::string text_of(const Results& results, const TextStyle& style) {
  Writer w(style);
  size_t count = 0;
  for (const Judged& j : results.judged) {
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

std::string text_of(const Statistics& s, std::span<const Judged> judged) {
  uint64_t kernels = 0, functions = 0, instructions = 0, bytes = 0, findings = 0, gaps = 0;
  for (const Judged& j : judged) {
    kernels += j.kernels, functions += j.functions, instructions += j.instructions, bytes += j.bytes;
    gaps += j.not_judged.size();
  }
  std::string out;
  for (const auto& [rule, count] : s.found)
    out += fmt::format("{:>8}  {:<8}  {}\n", count, name_of(text_of(rule).severity), id_of(rule)), findings += count;
  out += fmt::format("{} findings, {} allowed by comments, {} in the baseline, {} places not judged\n", findings,
                     s.allowed, s.known, gaps);
  out += fmt::format("{} files, {} skipped, {} code objects, {} kernels, {} functions, {} instructions, {} bytes of "
                     "code\n",
                     s.files, s.skipped, judged.size(), kernels, functions, instructions, bytes);
  out += fmt::format("{:.2f} s of one core", s.seconds);
  if (s.seconds > 0.01)
    out += fmt::format(", {:.1f} MB/s", double(bytes) / s.seconds * 1e-6);
  return out + "\n";
}

} // namespace crosslane::lint
