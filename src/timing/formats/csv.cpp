// Text in quotes, numbers without, as AMD's writers have it.
#include "timing/formats/csv.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace crosslane::timing::formats {

namespace {

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text)
    out += c == '"' ? "\"\"" : std::string(1, c);
  return out + "\"";
}

} // namespace

std::string att_csv(const Course& course) {
  std::string out = "\"CodeObj\",\"Vaddr\",\"Instruction\",\"Hitcount\",\"Latency\",\"Stall\",\"Idle\",\"Source\"\n";
  if (!course.code.empty())
    out += fmt::format("1,{},{},0,0,0,0,{}\n", course.code.front().address, quoted("; " + course.kernel),
                       quoted(course.readable));
  for (const CodeLine& line : course.code)
    out += fmt::format("1,{},{},{},{},{},{},{}\n", line.address, quoted(line.text), line.times.hits, line.times.latency,
                       line.times.stall, line.times.idle, quoted(line.source));
  return out;
}

std::string kernel_stats_csv(std::span<const KernelTimes> kernels) {
  double all = 0;
  for (const KernelTimes& k : kernels)
    all += k.total;
  std::string out =
      "\"Name\",\"Calls\",\"TotalDurationNs\",\"AverageNs\",\"Percentage\",\"MinNs\",\"MaxNs\",\"StdDev\"\n";
  for (const KernelTimes& k : kernels) {
    const double calls = double(std::max<uint64_t>(k.calls, 1)), mean = k.total / calls;
    // Of the calls that there were, as a sample of those that there may be.
    const double spread = k.calls > 1 ? std::sqrt(std::max(0.0, k.squares - calls * mean * mean) / (calls - 1)) : 0.0;
    out += fmt::format("{},{},{},{:.6f},{:.2f},{},{},{:.8e}\n", quoted(k.name), k.calls, std::llround(k.total), mean,
                       all > 0 ? 100 * k.total / all : 0.0, std::llround(k.least), std::llround(k.most), spread);
  }
  return out;
}

std::string kernel_stats_csv(const Course& course) {
  const auto ns = double(std::llround(course.figures.nanoseconds));
  const KernelTimes one{.name = course.readable, .calls = 1, .total = ns, .least = ns, .most = ns, .squares = ns * ns};
  return kernel_stats_csv({&one, 1});
}

} // namespace crosslane::timing::formats
