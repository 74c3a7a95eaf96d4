// One file of each table, and the viewer's folder.
#include "timing/formats/folder.h"
#include "timing/formats/csv.h"
#include "timing/formats/perfetto.h"
#include "timing/formats/viewer.h"
#include <fmt/format.h>

namespace crosslane::timing::formats {

std::vector<std::pair<std::string, std::string>> folder(const Course& course, const DispatchNumber& number) {
  const std::string viewer = fmt::format("ui_output_agent_{}_dispatch_{}", number.agent, number.dispatch);
  std::vector<std::pair<std::string, std::string>> files = {
      {"stats_" + viewer + ".csv", att_csv(course)},
      {"kernel_stats.csv", kernel_stats_csv(course)},
      {"trace.pftrace", perfetto(course)},
  };
  for (auto& [name, text] : viewer_files(course))
    files.emplace_back(viewer + "/" + name, std::move(text));
  return files;
}

} // namespace crosslane::timing::formats
