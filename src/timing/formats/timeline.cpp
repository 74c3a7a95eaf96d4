// Amounts of bins are whole numbers.
#include "timing/formats/timeline.h"
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace crosslane::timing::formats {

using Json = nlohmann::ordered_json;
using replay::Series;
using replay::Spent;

Json timeline(const Course& course, size_t most) {
  const replay::Recording& r = course.recording;
  const uint64_t width = r.bins.width();
  const size_t count = std::min<size_t>(r.bins.count(), (course.figures.cycles + width - 1) / width);
  const auto list = [&](const std::vector<double>& bins) {
    Json out = Json::array();
    for (size_t i = 0; i < count; ++i)
      out.push_back(std::llround(bins[i]));
    return out;
  };
  static constexpr std::pair<const char*, Series> names[] = {{"waves", Series::waves},
                                                             {"instructions", Series::instructions},
                                                             {"valu", Series::valu},
                                                             {"matrix", Series::matrix},
                                                             {"salu", Series::salu},
                                                             {"vector_memory", Series::addresses},
                                                             {"lds", Series::lds},
                                                             {"l1_hits", Series::l1_hits},
                                                             {"l1_misses", Series::l1_misses},
                                                             {"l2_hits", Series::l2_hits},
                                                             {"l2_misses", Series::l2_misses},
                                                             {"bytes_read", Series::bytes_read},
                                                             {"bytes_written", Series::bytes_written}};
  Json series = Json::object(), spent = Json::object();
  for (const auto& [name, which] : names)
    series[name] = list(r.of(which));
  for (size_t i = 0; i < replay::spent_count; ++i)
    if (const auto& bins = r.of(Spent(i)); std::ranges::any_of(bins, [](double n) { return n > 0; }))
      spent[std::string(name_of(Spent(i)))] = list(bins);
  uint32_t every = r.every;
  const auto kept = [&] {
    return size_t(std::ranges::count_if(r.waves, [&](const auto& w) { return w.unit % every == 0; }));
  };
  while (kept() > most && every < course.machine.units)
    every *= 2;
  Json waves = Json::array();
  for (const replay::WaveRecord& w : r.waves)
    if (w.unit % every == 0 && waves.size() < most)
      waves.push_back({w.engine, w.unit, w.simd, w.slot, w.begin, w.end, w.workgroup, w.wave});
  return {{"bin_cycles", width}, {"series", std::move(series)},    {"spent", std::move(spent)},
          {"every", every},      {"waves_in_all", r.waves_in_all}, {"waves", std::move(waves)}};
}

} // namespace crosslane::timing::formats
