// JSON, sorted, so that it can be kept under version control.
#include "lint/baseline.h"
#include "files/error.h"
#include "lint/match.h"
#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <tuple>

namespace crosslane::lint {

uint64_t hash_of(const PlacedFinding& f) {
  uint64_t hash = 0xcbf29ce484222325; // FNV-1a
  for (const char c : f.instruction)
    hash = (hash ^ uint8_t(c)) * 0x100000001b3;
  return hash;
}

std::string baseline_of(std::span<const Judged> judged) {
  std::vector<std::tuple<std::string, uint64_t, std::string, std::string>> lines;
  for (const Judged& j : judged)
    for (const PlacedFinding& f : j.findings)
      lines.emplace_back(f.place.function, f.place.offset, id_of(f.rule), fmt::format("{:016x}", hash_of(f)));
  std::ranges::sort(lines);
  auto findings = nlohmann::ordered_json::array();
  for (const auto& [function, offset, rule, hash] : lines)
    findings.push_back({{"rule", rule}, {"function", function}, {"offset", offset}, {"instruction", hash}});
  const nlohmann::ordered_json all = {{"crosslane_lint_baseline", 1}, {"findings", std::move(findings)}};
  return all.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

llvm::Expected<std::vector<KnownFinding>> read_baseline(std::string_view text, const std::string& name) {
  const auto json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object() || json.value("crosslane_lint_baseline", nlohmann::json()) != 1 || !json.contains("findings") ||
      !json["findings"].is_array())
    return fail("{}: is no baseline; crosslane lint FILE --write-baseline {} makes one", name, name);
  std::vector<KnownFinding> known;
  for (const auto& entry : json["findings"]) {
    const auto is = [&](const char* key, auto kind) {
      return entry.is_object() && entry.contains(key) && kind(entry[key]);
    };
    const auto text = [](const nlohmann::json& j) { return j.is_string(); };
    const auto number = [](const nlohmann::json& j) { return j.is_number_unsigned(); };
    if (!is("rule", text) || !is("function", text) || !is("offset", number) || !is("instruction", text))
      return fail("{}: entry {} lacks rule, function, offset or instruction", name, known.size());
    KnownFinding k{.function = entry["function"], .offset = entry["offset"]};
    const std::string rule = entry["rule"], hash = entry["instruction"];
    const auto found = find_rule(rule);
    if (!found)
      continue; // of another version; it can be found no more
    k.rule = *found;
    std::from_chars(hash.data(), hash.data() + hash.size(), k.instruction, 16);
    known.push_back(std::move(k));
  }
  return known;
}

size_t take_known(std::span<Judged> judged, std::vector<KnownFinding> known) {
  std::vector<Match> before, after;
  for (const KnownFinding& k : known)
    before.push_back({id_of(k.rule), k.function, fmt::format("{:016x}", k.instruction), k.offset});
  for (const Judged& j : judged)
    for (const PlacedFinding& f : j.findings)
      after.push_back({id_of(f.rule), f.place.function, fmt::format("{:016x}", hash_of(f)), f.place.offset});
  const auto found = match(before, after);
  size_t taken = 0, at = 0;
  for (Judged& j : judged)
    taken += std::erase_if(j.findings, [&](const PlacedFinding&) { return found[at++].has_value(); });
  return taken;
}

} // namespace crosslane::lint
