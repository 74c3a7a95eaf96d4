// Texts of kernels and files are shown so that they disturb no terminal.
#include "testing/forms.h"
#include "findings/text.h"
#include "lint/format/junit.h"
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>

namespace crosslane::testing {

namespace {

Count count_of(std::span<const Outcome> outcomes) {
  Count count;
  for (const Outcome& o : outcomes)
    count.add(o.end);
  return count;
}

bool is_wrong(End end) { return end == End::failed || end == End::error; }

// All lines but the first one.
std::string indented(std::string text) {
  for (size_t at = 0; (at = text.find('\n', at)) != std::string::npos; at += 3)
    text.replace(at, 1, "\n  ");
  return text;
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

nlohmann::ordered_json json(const Case& test, const Outcome& o) {
  nlohmann::ordered_json entry = {{"name", test.name}, {"outcome", word_of(o.end)}, {"seconds", o.seconds}};
  if (test.job)
    entry["kernel"] = test.job->file, entry["expects"] = expectations_of(*test.job);
  auto& complaints = entry["complaints"] = nlohmann::ordered_json::array();
  for (const Complaint& c : o.complaints)
    complaints.push_back({{"place", c.place}, {"text", c.text}});
  entry["notes"] = o.notes;
  entry["output"] = o.output;
  return entry;
}

lint::JUnitCase junit_case(const std::string& folder, const std::string& file, const Outcome& o) {
  using Kind = lint::JUnitCase::Kind;
  lint::JUnitCase c{.group = folder, .name = file, .message = "", .seconds = o.seconds};
  c.output = findings::plain_lines(o.output);
  switch (o.end) {
  case End::passed: return c;
  case End::failed: c.kind = Kind::failure; break;
  case End::error: c.kind = Kind::error; break;
  case End::no_claim: c.kind = Kind::skipped, c.message = "ran, with nothing expected of it"; return c;
  case End::not_run: c.kind = Kind::skipped, c.message = "not run", c.seconds.reset(); return c;
  }
  c.type = word_of(o.end);
  if (!o.complaints.empty())
    c.message = findings::plain(first_line(text_of(o.complaints.front())));
  for (const Complaint& complaint : o.complaints)
    c.text += (c.text.empty() ? "" : "\n") + findings::plain_lines(text_of(complaint));
  return c;
}

} // namespace

void Count::add(End end) {
  ++all;
  ++(end == End::passed     ? passed
     : end == End::failed   ? failed
     : end == End::error    ? errors
     : end == End::no_claim ? no_claim
                            : not_run);
}

std::string line_of(size_t number, size_t all, size_t width, const Case& test, const Outcome& o) {
  const std::string name = findings::plain(test.name);
  std::string text = fmt::format("{:>{}}/{} {} {} ", number, fmt::formatted_size("{}", all), all, name,
                                 std::string(width - std::min(width, findings::columns(name)) + 3, '.'));
  text += fmt::format("{:<7} {:>7.2f} s\n",
                      o.end == End::failed  ? "FAILED"
                      : o.end == End::error ? "ERROR"
                                            : word_of(o.end),
                      o.seconds);
  if (!is_wrong(o.end))
    return text;
  for (const Complaint& c : o.complaints)
    text += findings::plain_lines(indented(text_of(c))) + "\n";
  for (const std::string& note : o.notes)
    text += findings::plain_lines(indented("  " + note)) + "\n";
  if (!o.output.empty()) {
    std::string shown = findings::plain_lines(o.output);
    if (shown.ends_with('\n'))
      shown.pop_back();
    text += "  output:\n  " + indented(shown) + "\n";
  }
  return text;
}

std::string summary_of(std::span<const Case> tests, std::span<const Outcome> outcomes, double seconds) {
  const Count count = count_of(outcomes);
  std::vector<std::string> parts;
  const auto part = [&](size_t number, const char* what) {
    if (number)
      parts.push_back(fmt::format("{} {}", number, what));
  };
  part(count.passed, "passed"), part(count.failed, "failed"),
      part(count.errors, count.errors == 1 ? "error" : "errors");
  part(count.no_claim, "ran with nothing expected"), part(count.not_run, "not run");
  std::string text;
  if (!count.good()) {
    text += "\nwrong:\n";
    for (size_t i = 0; i < tests.size(); ++i)
      if (is_wrong(outcomes[i].end))
        text += fmt::format("  {} ({})\n", findings::plain(tests[i].name), word_of(outcomes[i].end));
  }
  return text + fmt::format("{}{} test{}: {}, in {:.2f} s\n", count.good() ? "\n" : "", count.all,
                            count.all == 1 ? "" : "s", fmt::join(parts, ", "), seconds);
}

std::string json_of(std::span<const Case> tests, std::span<const Outcome> outcomes, double seconds) {
  const Count count = count_of(outcomes);
  auto list = nlohmann::ordered_json::array();
  for (size_t i = 0; i < tests.size(); ++i)
    list.push_back(json(tests[i], outcomes[i]));
  const nlohmann::ordered_json all = {{"crosslane_test", 1},
                                      {"version", CROSSLANE_VERSION},
                                      {"seconds", seconds},
                                      {"count",
                                       {{"passed", count.passed},
                                        {"failed", count.failed},
                                        {"error", count.errors},
                                        {"ran", count.no_claim},
                                        {"not_run", count.not_run}}},
                                      {"tests", std::move(list)}};
  return all.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

std::string junit_of(std::span<const Case> tests, std::span<const Outcome> outcomes) {
  std::vector<lint::JUnitSuite> suites;
  std::map<std::string, size_t> places;
  for (size_t i = 0; i < tests.size(); ++i) {
    const std::filesystem::path path = tests[i].name;
    const std::string folder = path.has_parent_path() ? path.parent_path().string() : ".";
    const auto [at, added] = places.emplace(folder, suites.size());
    if (added)
      suites.push_back({folder, {}});
    suites[at->second].cases.push_back(junit_case(folder, path.filename(), outcomes[i]));
  }
  return lint::junit_of("crosslane test", suites);
}

} // namespace crosslane::testing
