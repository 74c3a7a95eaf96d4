// Counts in the order of each_count(), rows apart from them: who joins a range may know other instructions.
#include "timing/replay/json.h"
#include <nlohmann/json.hpp>

namespace crosslane::timing::replay {

namespace {

using Json = nlohmann::ordered_json;

Json counts(const Figures& figures) {
  Json out = {figures.instructions, figures.waves, figures.groups};
  each_count(figures, [&](uint64_t count) { out.push_back(count); });
  return out;
}

bool read(const Json& json, Figures& figures, size_t rows) {
  figures.rows.resize(rows);
  size_t wanted = 3;
  each_count(figures, [&](uint64_t) { ++wanted; });
  if (!json.is_array() || json.size() != wanted)
    return false;
  for (const Json& count : json)
    if (!count.is_number_unsigned())
      return false;
  figures.instructions = json[0], figures.waves = json[1], figures.groups = json[2];
  size_t i = 3;
  each_count(figures, [&](uint64_t& count) { count = json[i++]; });
  return true;
}

} // namespace

Json json(const WindowPart& part) {
  Json lines = Json::array();
  for (const Line& line : part.lines)
    lines.push_back({line.address, line.text});
  return {{"of", {part.instructions, part.waves, part.groups, part.replayed, part.before, part.behind}},
          {"lines", std::move(lines)},
          {"known", counts(part.known)},
          {"measured", counts(part.measured)}};
}

std::optional<WindowPart> parse_window_part(const Json& json) {
  WindowPart part;
  if (!json.is_object() || !json.contains("of") || !json.contains("lines") || !json.contains("known") ||
      !json.contains("measured") || !json["lines"].is_array())
    return {};
  const Json& of = json["of"];
  const std::array<uint64_t*, 6> numbers = {&part.instructions, &part.waves,  &part.groups,
                                            &part.replayed,     &part.before, &part.behind};
  if (!of.is_array() || of.size() != numbers.size())
    return {};
  for (size_t i = 0; i < numbers.size(); ++i) {
    if (!of[i].is_number_unsigned())
      return {};
    *numbers[i] = of[i];
  }
  for (const Json& line : json["lines"]) {
    if (!line.is_array() || line.size() != 2 || !line[0].is_number_unsigned() || !line[1].is_string())
      return {};
    part.lines.push_back({line[0], line[1]});
  }
  if (!read(json["known"], part.known, part.lines.size()) || !read(json["measured"], part.measured, part.lines.size()))
    return {};
  return part;
}

} // namespace crosslane::timing::replay
