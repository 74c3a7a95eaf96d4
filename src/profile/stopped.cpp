// A census as a table.
#include "profile/stopped.h"
#include "findings/names.h"
#include "findings/text.h"
#include "profile/process.h"
#include <algorithm>
#include <fmt/format.h>

namespace crosslane::profile {

namespace {

constexpr size_t most_places = 16, width = 1000; // nothing is cut off

const char* name(engine::WavePlace::State state) {
  switch (state) {
  case engine::WavePlace::State::running: return "running";
  case engine::WavePlace::State::barrier: return "at barrier";
  case engine::WavePlace::State::waiting: return "waiting";
  }
  return "";
}

// Most of the waves have it; how many different ones there are besides.
std::string exec_text(const engine::WavePlace& place) {
  const auto most = std::max_element(place.exec.begin(), place.exec.end(),
                                     [](const auto& a, const auto& b) { return a.second < b.second; });
  const size_t others = place.exec.size() - 1;
  return fmt::format("{:016x}", most->first) +
         (others ? fmt::format(" and {} other{}", others, others == 1 ? "" : "s") : "");
}

// As --trace-wave wants it.
std::string wave_text(const engine::WavePlace& place) {
  const auto& [x, y, z] = place.workgroup;
  return y || z ? fmt::format("{},{},{}:{}", x, y, z, place.wave) : fmt::format("{}:{}", x, place.wave);
}

// From the current folder, if it lies there.
std::string source_text(const views::Image& image, uint64_t pc) {
  const std::string source = views::source_of(image, pc), folder = current_folder() + "/";
  return source.starts_with(folder) ? source.substr(folder.size()) : source;
}

std::string dashed(std::string text) { return text.empty() ? "-" : text; }

} // namespace

std::string describe(const engine::Census& census, const views::Image& image, const std::string& kernel) {
  const auto groups = [](uint64_t n) { return findings::thousands(n) + (n == 1 ? " workgroup" : " workgroups"); };
  std::string text =
      fmt::format("kernel {} was stopped: of {}, {} had ended and {} had not begun", findings::readable_name(kernel),
                  groups(census.workgroups), findings::thousands(census.ended),
                  findings::thousands(census.workgroups - census.ended - census.resident));
  if (census.places.empty())
    return text;
  std::vector<std::vector<std::string>> rows = {
      {"waves", "state", "EXEC", "one of them", "pc", "place", "instruction", "source"}};
  const size_t shown = std::min(census.places.size(), most_places);
  for (size_t i = 0; i < shown; ++i) {
    const engine::WavePlace& place = census.places[i];
    rows.push_back({findings::thousands(place.waves), name(place.state), exec_text(place), wave_text(place),
                    fmt::format("{:#x}", place.pc), dashed(views::symbol_of(image, place.pc)),
                    dashed(place.instruction), dashed(source_text(image, place.pc))});
  }
  text += ". Its waves:\n" + findings::aligned(rows, "rlllllll", width);
  if (shown < census.places.size())
    text += fmt::format("  and {} more places\n", census.places.size() - shown);
  text.pop_back();
  return text;
}

} // namespace crosslane::profile
