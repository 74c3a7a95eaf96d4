// The list of ROCR_VISIBLE_DEVICES, entry by entry.
#include "hsa/info/visible_devices.h"
#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <optional>

namespace crosslane::hsa {

namespace {

constexpr size_t shortest_uuid = 5, longest_uuid = 20; // "GPU-" and 1 to 16 digits

// Without spaces around it, in capitals.
std::string plain(std::string_view entry) {
  const auto is_space = [](unsigned char c) { return std::isspace(c); };
  while (!entry.empty() && is_space(entry.front()))
    entry.remove_prefix(1);
  while (!entry.empty() && is_space(entry.back()))
    entry.remove_suffix(1);
  std::string text(entry);
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return char(std::toupper(c)); });
  return text;
}

// The one GPU whose UUID begins with the entry.
std::optional<size_t> by_uuid(const std::string& entry, std::span<const std::string> uuids) {
  if (entry.size() < shortest_uuid || entry.size() > longest_uuid)
    return std::nullopt;
  std::optional<size_t> found;
  for (size_t i = 0; i < uuids.size(); ++i)
    if (plain(uuids[i]).starts_with(entry)) {
      if (found)
        return std::nullopt;
      found = i;
    }
  return found;
}

std::optional<size_t> by_index(const std::string& entry, size_t count) {
  char* end = nullptr;
  const long index = std::strtol(entry.c_str(), &end, 0);
  if (entry.empty() || *end || index < 0 || size_t(index) >= count)
    return std::nullopt;
  return size_t(index);
}

} // namespace

std::vector<size_t> visible_devices(std::string_view list, std::span<const std::string> uuids) {
  std::vector<size_t> visible;
  for (size_t begin = 0; begin < list.size();) {
    const size_t end = std::min(list.find(',', begin), list.size());
    const std::string entry = plain(list.substr(begin, end - begin));
    const auto gpu = entry.starts_with('G') ? by_uuid(entry, uuids) : by_index(entry, uuids.size());
    if (!gpu || std::ranges::find(visible, *gpu) != visible.end())
      break;
    visible.push_back(*gpu);
    begin = end + 1;
  }
  return visible;
}

} // namespace crosslane::hsa
