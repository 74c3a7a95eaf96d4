// The text of HSA_CU_MASK, and masks of queues within it.
#include "hsa/queue/cu_mask.h"
#include "hsa/queue/queue.h"
#include "hsa/runtime.h"
#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <optional>
#include <string_view>
#include <vector>

namespace crosslane::hsa {

namespace {

using engine::UnitMask;

constexpr uint32_t word_bits = 32;

bool has(const UnitMask& mask, uint32_t unit) { return mask[unit / word_bits] >> unit % word_bits & 1; }
void add(UnitMask& mask, uint32_t unit) { mask[unit / word_bits] |= 1u << unit % word_bits; }
bool empty(const UnitMask& mask) {
  return std::ranges::all_of(mask, [](uint32_t word) { return word == 0; });
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(separator, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

std::optional<uint32_t> number(std::string_view text) {
  uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

// "0,2-4", those below `limit`. None: that is no list, says nothing, or says something twice.
std::optional<std::vector<uint32_t>> list(std::string_view text, uint32_t limit) {
  std::vector<uint32_t> numbers;
  for (const std::string_view range : split(text, ',')) {
    const auto ends = split(range, '-');
    const auto first = number(ends.front()), last = number(ends.back());
    if (ends.size() > 2 || !first || !last || *last < *first)
      return std::nullopt;
    for (uint32_t n = *first; n <= *last && n < limit; ++n)
      numbers.push_back(n);
  }
  std::ranges::sort(numbers);
  if (numbers.empty() || std::ranges::adjacent_find(numbers) != numbers.end())
    return std::nullopt;
  return numbers;
}

// "0x337F" or a list.
std::optional<UnitMask> units_in(std::string_view text, uint32_t limit) {
  UnitMask mask{};
  if (text.starts_with("0x") || text.starts_with("0X")) {
    text.remove_prefix(2);
    for (uint32_t digit = 0; digit < text.size(); ++digit) {
      const char c = text[text.size() - 1 - digit];
      uint32_t value = 0;
      if (std::from_chars(&c, &c + 1, value, 16).ec != std::errc())
        return std::nullopt;
      for (uint32_t bit = 0; bit < 4; ++bit)
        if (const uint32_t unit = digit * 4 + bit; value >> bit & 1 && unit < limit)
          add(mask, unit);
    }
  } else if (const auto units = list(text, limit)) {
    for (const uint32_t unit : *units)
      add(mask, unit);
  }
  return empty(mask) ? std::nullopt : std::optional(mask);
}

} // namespace

std::map<uint32_t, UnitMask> parse_cu_masks(std::string text, uint32_t gpus, uint32_t units, std::string& error) {
  std::map<uint32_t, UnitMask> masks;
  error.clear();
  std::erase_if(text, [](unsigned char c) { return std::isspace(c); });
  if (text.empty())
    return masks;
  std::string_view sets = text;
  if (sets.ends_with(';'))
    sets.remove_suffix(1);
  for (const std::string_view set : split(sets, ';')) {
    const auto parts = split(set, ':');
    const auto which = list(parts.front(), gpus);
    const auto mask = parts.size() == 2 ? units_in(parts.back(), std::min(units, engine::most_units)) : std::nullopt;
    if (!which || !mask || std::ranges::any_of(*which, [&](uint32_t gpu) { return masks.contains(gpu); })) {
      error = fmt::format("HSA_CU_MASK: '{}' makes no sense and is left out, with what follows it; a set is "
                          "GPUs:units, such as 0,2-4:0-15,32-47 "
                          "or 0:0x337F, and each GPU is named once",
                          set);
      return masks;
    }
    for (const uint32_t gpu : *which)
      masks[gpu] = *mask;
  }
  return masks;
}

void read_cu_masks(Runtime& runtime) {
  const std::string& text = runtime.settings.cu_mask;
  if (text.empty())
    return;
  uint32_t units = 0;
  for (const auto& agent : runtime.agents)
    units = std::max(units, agent->gpu() ? agent->card->compute_units : 0);
  std::string error;
  const auto masks = parse_cu_masks(text, uint32_t(runtime.agents.size() - 1), units, error);
  if (!error.empty())
    say_once(error, error);
  for (const auto& [gpu, mask] : masks)
    runtime.agents[gpu + 1]->cu_mask = mask;
}

bool set_cu_mask(Queue& queue, uint32_t bits, const uint32_t* wanted) {
  UnitMask mask{};
  bool reduced = false;
  for (uint32_t unit = 0; unit < queue.agent->card->compute_units; ++unit) {
    if (bits && (unit >= bits || !(wanted[unit / word_bits] >> unit % word_bits & 1)))
      continue;
    if (queue.agent->cu_mask && !has(*queue.agent->cu_mask, unit))
      reduced = true;
    else
      add(mask, unit);
  }
  if (empty(mask))
    say_once("hsa_amd_queue_cu_set_mask",
             "hsa_amd_queue_cu_set_mask: a queue is left without compute units; a card would run nothing of what it is "
             "given, here it goes on with all units");
  const std::lock_guard lock(queue.mutex);
  queue.cu_mask = mask;
  return reduced;
}

void initialise_cu_mask(Queue& queue) {
  if (queue.runtime->settings.cu_mask_skip_init)
    for (uint32_t unit = 0; unit < queue.agent->card->compute_units; ++unit)
      add(queue.cu_mask, unit);
  else
    set_cu_mask(queue, 0, nullptr);
}

engine::Units units_of(Queue& queue) {
  const gpu::Card& card = *queue.agent->card;
  const std::lock_guard lock(queue.mutex);
  return {card.compute_units, card.shader_engines, card.arrays_per_engine, queue.cu_mask};
}

} // namespace crosslane::hsa
