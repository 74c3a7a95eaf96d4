// Names are those that AMD's tools give their files, of the first dispatch of an agent.
#include "launch/timed_files.h"
#include "timing/formats/csv.h"
#include "timing/formats/perfetto.h"
#include "timing/formats/viewer.h"

namespace crosslane::launch {

std::vector<std::pair<std::string, std::string>> timed_files(const timing::formats::Course& course) {
  const std::string viewer = "ui_output_agent_0_dispatch_1";
  std::vector<std::pair<std::string, std::string>> files = {
      {"stats_" + viewer + ".csv", timing::formats::att_csv(course)},
      {"kernel_stats.csv", timing::formats::kernel_stats_csv(course)},
      {"trace.pftrace", timing::formats::perfetto(course)},
  };
  for (auto& [name, text] : timing::formats::viewer_files(course))
    files.emplace_back(viewer + "/" + name, std::move(text));
  return files;
}

} // namespace crosslane::launch
