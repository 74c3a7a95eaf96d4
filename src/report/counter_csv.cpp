// One line per kernel and counter.
#include "report/counter_csv.h"
#include "findings/names.h"
#include <cmath>
#include <fmt/format.h>

namespace crosslane::report {

using namespace findings;

namespace {

constexpr const char* header = "\"Correlation_Id\",\"Dispatch_Id\",\"Agent_Id\",\"Queue_Id\",\"Process_Id\",\"Thread_"
                               "Id\",\"Grid_Size\",\"Kernel_Id\",\"Kernel_Name\","
                               "\"Workgroup_Size\",\"LDS_Block_Size\",\"Scratch_Size\",\"VGPR_Count\",\"Accum_VGPR_"
                               "Count\",\"SGPR_Count\",\"Counter_Name\","
                               "\"Counter_Value\",\"Start_Timestamp\",\"End_Timestamp\"\n";
constexpr uint32_t lds_block = 512;

std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (const char c : text)
    result += c == '"' ? "\"\"" : std::string(1, c);
  return result + "\"";
}

uint64_t volume(const uint32_t (&extent)[3]) { return uint64_t{extent[0]} * extent[1] * extent[2]; }

std::string value_text(double value) {
  return value >= 1 ? fmt::format("{:.6f}", value) : fmt::format("{:.8e}", value);
}

} // namespace

std::string counter_csv(const Profile& profile) {
  std::string text = header;
  int64_t time = 0;
  for (size_t i = 0; i < profile.kernels.size(); ++i) {
    const auto& k = profile.kernels[i];
    const int64_t end = time + std::llround(k.seconds * 1e9);
    const std::string before =
        fmt::format("{0},{0},\"Agent 1\",1,0,0,{1},{0},{2},{3},{4},{5},{6},{7},{8}", i + 1, volume(k.grid),
                    quoted(readable_name(k.name)), volume(k.block),
                    (k.lds_bytes + lds_block - 1) / lds_block * lds_block, k.scratch_bytes, k.vgprs, k.agprs, k.sgprs);
    for (const auto& counter : k.counters)
      if (counter.value)
        text += fmt::format("{},{},{},{},{}\n", before, quoted(counter.name), value_text(*counter.value), time, end);
    time = end;
  }
  return text;
}

} // namespace crosslane::report
