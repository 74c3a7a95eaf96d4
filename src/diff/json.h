// Owns looking at JSON that anybody may have written.
#pragma once
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace crosslane::diff {

using Json = nlohmann::json;

inline const Json& member(const Json& from, const char* key) {
  static const Json nothing;
  if (!from.is_object())
    return nothing;
  const auto found = from.find(key);
  return found == from.end() ? nothing : *found;
}
inline std::optional<double> number(const Json& j) {
  return j.is_number() ? std::optional(j.get<double>()) : std::nullopt;
}
inline std::optional<double> number(const Json& from, const char* key) { return number(member(from, key)); }
inline std::string text(const Json& j) { return j.is_string() ? j.get<std::string>() : std::string(); }
inline std::string text(const Json& from, const char* key) { return text(member(from, key)); }
// Empty if it is none.
inline const Json& list(const Json& from, const char* key) {
  static const Json empty = Json::array();
  const Json& found = member(from, key);
  return found.is_array() ? found : empty;
}
inline const Json& element(const Json& list, size_t index) {
  static const Json nothing;
  return list.is_array() && index < list.size() ? list[index] : nothing;
}
inline uint64_t offset(const Json& from, const char* key) {
  const Json& found = member(from, key);
  return found.is_number_unsigned() ? found.get<uint64_t>() : 0;
}

} // namespace crosslane::diff
