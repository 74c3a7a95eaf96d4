// Two look-ups a copy; a stack is taken of what is told alone.
#include "check/copies.h"
#include "check/host_places.h"
#include "machine/window.h"
#include <fmt/format.h>

namespace crosslane::check {

namespace {

std::string count(uint64_t n) { return fmt::format("{} byte{}", n, n == 1 ? "" : "s"); }

} // namespace

void Copies::judge(Side side, Extent e, const char* asked) {
  if (!machine::device_reach().contains(e.begin))
    return;
  const uint64_t bytes = e.end - e.begin;
  if (const auto x = allocations_.find(e.begin, 0)) {
    if (e.end > x->end)
      tell(side, asked,
           fmt::format("{} at byte {} of '{}' ({}{}), {} past its end", count(bytes), e.begin - x->begin, x->name,
                       count(x->end - x->begin), allocated_in(*x), count(e.end - x->end)));
  } else if (const auto gone = allocations_.find_freed(e.begin)) {
    tell(side, asked,
         fmt::format("{} at byte {} of '{}' ({}{}{})", count(bytes), e.begin - gone->begin, gone->name,
                     count(gone->end - gone->begin), allocated_in(*gone), freed_in(*gone)));
  }
}

void Copies::tell(Side side, const char* asked, const std::string& where) {
  const HostStack stack = host_stack();
  const std::string function = request_of(stack).function();
  const std::lock_guard lock(mutex_);
  Entry& entry = entries_[{program_frames(stack), side}];
  if (entry.times++)
    return;
  entry.function = function;
  entry.message =
      fmt::format("{} {} {}", function.empty() ? asked : function, side == Side::reads ? "reads" : "writes", where);
}

std::vector<lint::PlacedFinding> Copies::findings() const {
  HostPlaces places;
  std::vector<lint::PlacedFinding> all;
  const std::lock_guard lock(mutex_);
  for (const auto& [key, entry] : entries_)
    all.push_back(
        places.finding(lint::Rule::memory_copy, key.first, entry.function,
                       entry.times > 1 ? fmt::format("{}; {} times", entry.message, entry.times) : entry.message));
  return all;
}

} // namespace crosslane::check
