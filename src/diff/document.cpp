// JSON to one of the kinds.
#include "diff/document.h"
#include "diff/kinds.h"
#include "files/error.h"
#include "files/read.h"
#include <array>

namespace crosslane::diff {

namespace {

constexpr int deepest = 64; // documents of crosslane's have less than 16

// What is large, and nothing is compared of.
constexpr std::string_view left_out[] = {"trace", "timeline", "waves_branches", "worst", "active", "buffers"};

std::optional<Kind> kind_of(const Json& j) {
  if (text(j, "format") == "crosslane-profile")
    return Kind::profile;
  if (j.contains("crosslane_lint"))
    return Kind::findings;
  if (j.contains("crosslane_test"))
    return Kind::tests;
  if (const Json& first = element(j, 0); first.contains("card_from") && member(first, "kernels").is_array())
    return Kind::estimates;
  if (!j.contains("kernel"))
    return std::nullopt;
  if (member(j, "timing").is_object())
    return Kind::times;
  if (text(j, "measured_by") == "probes")
    return Kind::counters;
  return std::nullopt;
}

} // namespace

std::string_view name_of(Kind kind) {
  static constexpr std::string_view names[] = {"a profile",          "modelled times",      "findings",
                                               "counters of probes", "estimates of timing", "outcomes of tests"};
  return names[size_t(kind)];
}

llvm::Expected<Document> parse(std::string_view bytes, const std::string& file) {
  bool deep = false;
  const auto wanted = [&](int depth, Json::parse_event_t event, const Json& parsed) {
    deep |= depth > deepest;
    return !deep && !(event == Json::parse_event_t::key &&
                      std::ranges::count(left_out, std::string_view(parsed.get_ref<const std::string&>())));
  };
  const Json j = Json::parse(bytes, wanted, /*allow_exceptions=*/false);
  if (deep)
    return fail("{}: is nested deeper than {} levels, as no document of crosslane's is", file, deepest);
  if (bytes.starts_with("<?xml"))
    return fail("{}: is XML; what is compared is the JSON, which --json FILE or --findings FILE.json writes", file);
  if (bytes.starts_with("<"))
    return fail("{}: is a page; what is compared is the JSON, which --json FILE writes", file);
  if (j.is_discarded())
    return fail("{}: is no JSON", file);
  const auto kind = kind_of(j);
  if (!kind)
    return fail("{}: is no document that can be compared: a profile (launch or run --profile --json), times (launch "
                "--time --json), findings (--check --findings, lint --output-format json), counters of probes "
                "(launch --counters), estimates (timing --json) or outcomes of tests (test --json)",
                file);
  Document document{.kind = *kind, .file = file};
  using Reader = llvm::Error (*)(const Json&, Document&);
  static constexpr std::array<Reader, 6> readers = {read_profile,  read_times,     read_findings,
                                                    read_counters, read_estimates, read_tests};
  if (auto error = readers[size_t(*kind)](j, document))
    return fail("{}: {}", file, llvm::toString(std::move(error)));
  return document;
}

llvm::Expected<Document> read(const std::string& file) {
  auto bytes = file == "-" ? files::read_standard_input() : files::read(file);
  if (!bytes)
    return bytes.takeError();
  return parse({reinterpret_cast<const char*>(bytes->data()), bytes->size()}, file == "-" ? "<standard input>" : file);
}

} // namespace crosslane::diff
