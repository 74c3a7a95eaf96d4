// As JSON.
#include "testing/outcome.h"
#include "files/error.h"
#include <nlohmann/json.hpp>

namespace crosslane::testing {

std::string_view word_of(End end) {
  static constexpr std::string_view words[] = {"passed", "failed", "error", "ran", "not_run"};
  return words[size_t(end)];
}

std::string text_of(const Complaint& c) {
  return c.place.empty() ? c.text : fmt::format("{}: error: {}", c.place, c.text);
}

std::string bytes_of(const Outcome& outcome) {
  auto complaints = nlohmann::json::array();
  for (const Complaint& c : outcome.complaints)
    complaints.push_back({c.place, c.text});
  const nlohmann::json all = {
      {"end", int(outcome.end)}, {"complaints", complaints}, {"notes", outcome.notes}, {"output", outcome.output}};
  return all.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

llvm::Expected<Outcome> outcome_of(std::string_view bytes) {
  try {
    const auto all = nlohmann::json::parse(bytes);
    const int end = all.at("end");
    if (end < 0 || end > int(End::not_run))
      return fail("an unknown end: {}", end);
    Outcome outcome{.end = End(end), .notes = all.at("notes"), .output = all.at("output")};
    for (const auto& [place, text] : all.at("complaints").get<std::vector<std::pair<std::string, std::string>>>())
      outcome.complaints.push_back({place, text});
    return outcome;
  } catch (const nlohmann::json::exception& error) {
    return fail("{}", error.what());
  }
}

} // namespace crosslane::testing
