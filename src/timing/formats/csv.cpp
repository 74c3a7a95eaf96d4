// Text in quotes, numbers without, as AMD's writers have it.
#include "timing/formats/csv.h"
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

std::string kernel_stats_csv(const Course& course) {
  const auto ns = std::llround(course.figures.nanoseconds);
  return fmt::format(
      "\"Name\",\"Calls\",\"TotalDurationNs\",\"AverageNs\",\"Percentage\",\"MinNs\",\"MaxNs\",\"StdDev\""
      "\n{},1,{},{:.6f},100.00,{},{},{:.8e}\n",
      quoted(course.readable), ns, double(ns), ns, ns, 0.0);
}

} // namespace crosslane::timing::formats
