// Binary searches, and ranges in words.
#include "findings/buffers.h"
#include "findings/text.h"
#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace crosslane::findings {

const Buffer* buffer_at(std::span<const Buffer> buffers, uint64_t address) {
  const auto above = std::ranges::upper_bound(buffers, address, {}, &Buffer::address);
  if (above == buffers.begin() || address - above[-1].address >= above[-1].size)
    return nullptr;
  return &above[-1];
}

std::string elements_text(const Buffer& buffer, uint64_t address, uint64_t bytes) {
  const uint64_t begin = address - buffer.address, last = begin + std::max<uint64_t>(bytes, 1) - 1;
  const std::string name = plain(buffer.name);
  if (buffer.type.empty())
    return fmt::format("{}, bytes {}..{}", name, begin, last);
  const uint64_t from = begin / buffer.element, to = last / buffer.element;
  return from == to ? fmt::format("{}[{}]", name, from) : fmt::format("{}[{}..{}]", name, from, to);
}

std::string reached_text(std::span<const Buffer> buffers, const views::LaneExample& example, uint32_t bytes) {
  struct Range {
    uint64_t begin = 0, end = 0;
  };
  std::map<const Buffer*, Range> reached; // in the order of addresses
  for (size_t lane = 0; lane < 64; ++lane) {
    const uint64_t address = example.address[lane];
    const Buffer* buffer = example.lanes >> lane & 1 ? buffer_at(buffers, address) : nullptr;
    if (!buffer)
      continue;
    const auto [entry, added] = reached.try_emplace(buffer, Range{address, address + bytes});
    entry->second = {std::min(entry->second.begin, address), std::max(entry->second.end, address + bytes)};
  }
  std::string text;
  size_t named = 0;
  for (const auto& [buffer, range] : reached) {
    if (named == 2) {
      text += fmt::format(" and {} more", reached.size() - named);
      break;
    }
    text += (named++ ? " and `" : "`") + elements_text(*buffer, range.begin, range.end - range.begin) + "`";
  }
  return text;
}

namespace {

void add(std::vector<Buffer>& buffers, uint64_t lanes, const std::array<uint64_t, 64>& address,
         const FindBuffer& find) {
  for (size_t lane = 0; lane < 64; ++lane) {
    if (!(lanes >> lane & 1) || buffer_at(buffers, address[lane]))
      continue;
    auto found = find(address[lane]);
    if (!found)
      continue;
    const auto above = std::ranges::upper_bound(buffers, found->address, {}, &Buffer::address);
    const bool overlaps =
        (above != buffers.end() && above->address - found->address < found->size) || buffer_at(buffers, found->address);
    if (!overlaps)
      buffers.insert(above, std::move(*found));
  }
}

} // namespace

void add_reached(std::vector<Buffer>& buffers, std::span<const views::MemorySite> sites, const FindBuffer& find) {
  for (const auto& site : sites)
    if (site.space != events::Space::scratch)
      add(buffers, site.worst.lanes, site.worst.address, find);
}

void add_reached(std::vector<Buffer>& buffers, const views::WaveTrace& wave, const FindBuffer& find) {
  for (const auto& step : wave.steps)
    for (const auto& access : step.accesses)
      if (access.space == events::Space::global || access.space == events::Space::scalar)
        add(buffers, access.lanes, access.address, find);
}

} // namespace crosslane::findings
