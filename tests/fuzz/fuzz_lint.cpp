// Fuzzes lint: whatever code object or text with comments it is given, it ends, and its forms are well-formed. Code
// that is no code comes from driver.cpp's --aim .text.
#include "lint/allow.h"
#include "lint/format/format.h"
#include "lint/lint.h"
#include "tests/fuzz/require.h"
#include <nlohmann/json.hpp>

namespace {

using namespace crosslane;

void look_at(const lint::Judged& judged) {
  const lint::Results results{{&judged, 1}, {}, {}, "fuzz"};
  REQUIRE(lint::text_of(results, {}).find('\x1b') == std::string::npos);
  REQUIRE(!nlohmann::json::parse(lint::json_of(results), nullptr, false).is_discarded());
  REQUIRE(!nlohmann::json::parse(lint::sarif_of(results), nullptr, false).is_discarded());
  REQUIRE(lint::junit_of(results).ends_with("</testsuites>\n"));
  lint::github_of(results, 10);
}

void judge(const codeobject::CodeObject& object) {
  if (object.image_size() > uint64_t{16} << 20)
    return;
  auto subject = lint::make_subject(object);
  if (!subject)
    return llvm::consumeError(subject.takeError());
  const lint::Report report = lint::judge(*subject);
  for (const lint::Finding& f : report.findings)
    REQUIRE(!f.message.empty() && size_t(f.rule) < lint::rule_count);
  look_at(lint::place(*subject, report, {.file = "fuzz"}));
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::span<const uint8_t> bytes(data, size);
  if (auto object = codeobject::CodeObject::read(bytes, "fuzz"))
    judge(**object);
  else
    llvm::consumeError(object.takeError());
  lint::Judged judged{.file = "fuzz", .assembly = true};
  lint::apply_comments(judged, lint::SourceText(std::string(bytes.begin(), bytes.end())));
  look_at(judged);
  return 0;
}
