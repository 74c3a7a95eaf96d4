// Owns how messages name the options of a launch: as they stand on a command line, or by the keys of launch
// descriptions, which are what a program has that launches by the library.
#pragma once
#include <algorithm>
#include <concepts>
#include <fmt/format.h>
#include <string>
#include <string_view>

namespace crosslane::launch {

enum class Wording : uint8_t { command, keys };

// `key` as in launch descriptions, "time_error": --time-error, or 'time_error'.
inline std::string option(Wording wording, std::string_view key) {
  if (wording == Wording::keys)
    return fmt::format("'{}'", key);
  std::string text = fmt::format("--{}", key);
  std::ranges::replace(text, '_', '-');
  return text;
}

// The option as it is given: --check memory, or check = "memory".
template <class T> std::string option(Wording wording, std::string_view key, const T& value) {
  if (wording == Wording::command)
    return fmt::format("{} {}", option(wording, key), value);
  if constexpr (std::integral<T> || std::floating_point<T>)
    return fmt::format("{} = {}", key, value);
  else
    return fmt::format("{} = \"{}\"", key, value);
}

} // namespace crosslane::launch
