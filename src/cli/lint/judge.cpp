// The checks, comments of assembly, and the filter, in that order: comments are compared with all that there is.
#include "cli/lint/judge.h"
#include "cli/colour.h"
#include "files/read.h"
#include "findings/text.h"
#include "launch/signature.h"
#include "lint/allow.h"
#include <algorithm>
#include <ctime>
#include <fmt/format.h>
#include <unistd.h>

namespace crosslane::cli {

namespace {

double processor_seconds() { return double(std::clock()) / CLOCKS_PER_SEC; }

// Text that says of nothing that it is a kernel or a function: instructions to be looked at. Nobody calls them, and
// they need not end.
bool is_snippet(const LintUnit& unit) {
  return unit.origin.assembly && unit.object->kernels().empty() &&
         std::ranges::none_of(unit.object->symbols(), [](const codeobject::Symbol& s) {
           return s.defined && s.kind == codeobject::Symbol::Kind::function;
         });
}
bool is_of_functions(lint::Rule rule) {
  const std::string id = lint::id_of(rule);
  return id == "call-entry" || id == "end-missing";
}

} // namespace

llvm::Expected<lint::Judged> judge(LintUnit& unit, const Asked& asked, lint::Statistics& statistics) {
  const double start = processor_seconds();
  auto subject = lint::make_subject(*unit.object);
  if (!subject)
    return subject.takeError();
  const auto text = unit.origin.texts.find(unit.origin.file);
  const bool comments = unit.origin.assembly && text != unit.origin.texts.end();
  const lint::Report report = comments ? lint::judge(*subject) : lint::lint(*subject, asked.options);
  lint::Judged judged = lint::place(*subject, report, unit.origin);
  if (comments)
    statistics.allowed += lint::apply_comments(judged, text->second);
  if (is_snippet(unit))
    std::erase_if(judged.findings, [](const lint::PlacedFinding& f) { return is_of_functions(f.rule); });
  const auto elsewhere = [&](const lint::Place& p) {
    return !asked.kernel.empty() && p.function != asked.kernel && !launch::is_called(p.function, asked.kernel);
  };
  std::erase_if(judged.findings, [&](const lint::PlacedFinding& f) {
    return !lint::asked_for(asked.options, f.rule, f.severity, f.said) || f.severity > asked.least ||
           elsewhere(f.place);
  });
  std::erase_if(judged.not_judged, [&](const lint::PlacedGap& g) { return elsewhere(g.place); });
  statistics.seconds += processor_seconds() - start;
  return judged;
}

std::string errors_of(const codeobject::CodeObject& object, const std::string& file) {
  auto subject = lint::make_subject(object);
  if (!subject)
    return llvm::consumeError(subject.takeError()), "";
  lint::Report report = lint::lint(*subject, {});
  std::erase_if(report.findings, [](const lint::Finding& f) { return f.severity != lint::Severity::error; });
  if (report.findings.empty())
    return {};
  // Only now what takes time: the text again, for its lines and comments.
  auto bytes = files::read(file);
  if (!bytes)
    return llvm::consumeError(bytes.takeError()), "";
  auto unit = unit_of_text(std::string(bytes->begin(), bytes->end()), file, object.target_id());
  if (!unit)
    return llvm::consumeError(unit.takeError()), "";
  lint::Statistics ignored;
  auto judged = judge(*unit, {.least = lint::Severity::error}, ignored);
  if (!judged)
    return llvm::consumeError(judged.takeError()), "";
  std::string out;
  const Palette p = palette(STDERR_FILENO);
  constexpr size_t most = 5;
  for (size_t n = 0; n < std::min(most, judged->findings.size()); ++n) {
    const lint::PlacedFinding& f = judged->findings[n];
    out += findings::plain_lines(fmt::format("{}: ", lint::text_of(f.place)));
    out += fmt::format("{}error:{} ", p.error, p.end);
    out += findings::plain_lines(fmt::format("{} [{}]\n", f.message, lint::id_of(f.rule)));
  }
  if (judged->findings.size() > most)
    out += fmt::format("{} more errors like these\n", judged->findings.size() - most);
  if (!out.empty())
    out += fmt::format(
        "A GPU may compute something else here; see crosslane lint {}. CROSSLANE_LINT=off silences this.\n", file);
  return out;
}

} // namespace crosslane::cli
