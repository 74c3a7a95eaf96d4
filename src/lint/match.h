// Owns which findings of two runs are the same one: those with the same rule, function and instruction at the same
// offset, and then, as code before it may have moved it, at another one; each once.
#pragma once
#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

namespace crosslane::lint {

struct Match {
  std::string rule, function, instruction; // instruction: its text, or a hash of it
  uint64_t offset = 0;
};

// For each of `after` the place in `before` of the same one, or nothing.
inline std::vector<std::optional<size_t>> match(std::span<const Match> before, std::span<const Match> after) {
  using Key = std::tuple<std::string_view, std::string_view, std::string_view>;
  const auto key = [](const Match& m) { return Key(m.rule, m.function, m.instruction); };
  std::map<Key, std::vector<size_t>> left;
  for (size_t i = 0; i < before.size(); ++i)
    left[key(before[i])].push_back(i);
  std::vector<std::optional<size_t>> found(after.size());
  for (const bool exact : {true, false})
    for (size_t i = 0; i < after.size(); ++i) {
      const auto entry = found[i] ? left.end() : left.find(key(after[i]));
      if (entry == left.end())
        continue;
      auto& places = entry->second;
      const auto at =
          std::ranges::find_if(places, [&](size_t place) { return !exact || before[place].offset == after[i].offset; });
      if (at == places.end())
        continue;
      found[i] = *at;
      places.erase(at);
    }
  return found;
}

} // namespace crosslane::lint
