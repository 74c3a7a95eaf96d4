// The texts are lint's.
#include "check/telling.h"
#include "check/suppressions.h"
#include "files/error.h"
#include "files/read.h"
#include "lint/format/format.h"
#include <fmt/format.h>

namespace crosslane::check {

namespace {

using Form = std::string (*)(const lint::Results&);

// By the end of the file's name; null: it says none.
Form form_of(std::string_view file) {
  return file.ends_with(".json")    ? lint::json_of
         : file.ends_with(".sarif") ? lint::sarif_of
         : file.ends_with(".xml")   ? lint::junit_of
                                    : nullptr;
}

llvm::Expected<Suppressions> suppressions_of(const std::string& file) {
  if (file.empty())
    return Suppressions();
  auto text = files::read(file);
  if (!text)
    return text.takeError();
  return Suppressions::parse({reinterpret_cast<const char*>(text->data()), text->size()}, file);
}

} // namespace

llvm::Error Telling::judge() const {
  if (!file.empty() && !form_of(file))
    return fail("{}: findings are written as .json, .sarif or .xml (JUnit): name such a file", file);
  return suppressions_of(suppress).takeError();
}

namespace {

lint::Results results_of(std::span<const lint::Judged> judged, size_t suppressed) {
  lint::Results results{.judged = judged, .version = CROSSLANE_VERSION, .tool = "crosslane check"};
  results.statistics.known = suppressed;
  for (const lint::Judged& j : judged)
    for (const lint::PlacedFinding& f : j.findings)
      ++results.statistics.found[f.rule];
  return results;
}

} // namespace

llvm::Expected<Telling::Told> Telling::tell(std::span<lint::Judged> judged, bool colour) const {
  auto suppressions = suppressions_of(suppress);
  if (!suppressions)
    return suppressions.takeError();
  Told told;
  told.suppressed = suppressions->apply(judged);
  for (const lint::Judged& j : judged)
    told.findings += j.findings.size();
  told.text = lint::text_of(results_of(judged, told.suppressed), {.colour = colour, .most = most});
  if (told.suppressed)
    told.notes.push_back(fmt::format("{} finding{} suppressed by {}", told.suppressed,
                                     told.suppressed == 1 ? " is" : "s are", suppress));
  for (const std::string& line : suppressions->unused())
    told.notes.push_back(line + " names nothing that was found");
  told.document = document_of(judged, told.suppressed, file);
  told.page = lint::page_of(results_of(judged, told.suppressed));
  return told;
}

std::string document_of(std::span<const lint::Judged> judged, size_t suppressed, std::string_view file) {
  const Form form = form_of(file);
  return form ? form(results_of(judged, suppressed)) : "";
}

} // namespace crosslane::check
