// Asks cross_lane/ and lays its ways out.
#include "cli/permute/gcn_plan.h"
#include "cli/instruction_text.h"
#include "cli/permute/lane_expression.h"
#include "cross_lane/timing.h"
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace crosslane::cli {

namespace {

using cross_lane::Way;
namespace timing = cross_lane::timing;

std::string assembly(const Way& way) {
  std::string text;
  for (const auto& line : way.lines)
    text += "    " + line.text + "\n";
  if (!way.data.empty()) {
    text += "    s[2:3] ->";
    for (size_t i = 0; i < way.data.size(); ++i)
      text += fmt::format("{}{:3}", i && i % 16 == 0 ? "\n             " : " ", way.data[i]);
    text += '\n';
  }
  return text;
}

std::string table(const std::vector<Way>& ways) {
  std::vector<std::vector<std::string>> rows = {
      {"", "cycles", "again", "instr", "bytes", "waits", "VGPRs", "SGPRs", "other", "way"}};
  for (const Way& way : ways) {
    const auto& c = way.cost;
    std::string other;
    const auto add = [&](const std::string& what) { other += (other.empty() ? "" : ", ") + what; };
    if (c.vcc)
      add("VCC");
    if (c.lds_bytes)
      add(fmt::format("LDS {} B", c.lds_bytes));
    if (c.data_bytes)
      add(fmt::format("table {} B", c.data_bytes));
    std::string waits = c.wait_states ? fmt::format("{} state{}", c.wait_states, c.wait_states == 1 ? "" : "s") : "";
    if (c.waits)
      waits += fmt::format("{}{} s_waitcnt", waits.empty() ? "" : ", ", c.waits);
    rows.push_back({std::to_string(&way - ways.data() + 1), std::to_string(c.cycles), std::to_string(c.repeated),
                    std::to_string(c.instructions), std::to_string(c.bytes), waits.empty() ? "-" : waits,
                    std::to_string(c.vgprs), std::to_string(c.sgprs), other.empty() ? "-" : other, way.name});
  }
  return aligned(rows, 0, 2);
}

// What DPP's wait states are for, before the first of it.
std::string before(const cross_lane::Situation& s) {
  const char* written = s.source_just_written && s.exec_just_written ? "the source, and one EXEC,"
                        : s.source_just_written                      ? "the source"
                                                                     : "EXEC";
  return s.source_just_written || s.exec_just_written
             ? fmt::format("as a VALU instruction may have written {} just before", written)
             : "between these instructions alone, as told";
}

} // namespace

GcnPlan plan_gcn(const std::vector<int>& from, int element_bits, isa::Target target, cross_lane::Situation situation) {
  cross_lane::Pattern pattern;
  const int n = int(from.size());
  for (int i = 0; i < cross_lane::lane_count; ++i) {
    const int f = from[size_t(i % n)];
    pattern[size_t(i)] = f == lane_zero  ? cross_lane::zero_lane
                         : f == lane_any ? cross_lane::any_lane
                                         : int8_t(i / n * n + f);
  }
  situation.dwords = element_bits == 64 ? 2 : 1;
  return {target, element_bits, situation, cross_lane::plan(pattern, target, situation)};
}

std::string gcn_text(const GcnPlan& plan, bool all) {
  const bool wide = plan.element_bits == 64;
  std::string text = fmt::format("GPU {}, one element a lane: {} = the elements of {}\n", isa::info(plan.target).name,
                                 wide ? "v[0:1]" : "v0", wide ? "v[2:3]" : "v1");
  int number = 0;
  for (const Way& way : plan.ways) {
    ++number;
    text += fmt::format("  {}. {}\n{}", number, way.name, assembly(way));
    if (!way.note.empty())
      text += fmt::format("    ({})\n", way.note);
    if (!all)
      break;
  }
  text += "  all ways, the cheapest first:\n" + table(plan.ways);
  text += fmt::format(
      "  cycles: one wavefront alone, until the result is there; again: once the address and masks are made, as in a "
      "loop.\n  Issue times from CLRadeonExtender's GCN tables; assumed: {} cycles for the LDS to answer, {} to issue "
      "a permute, {} for\n  memory. States: s_nop, {}.\n",
      timing::lds_latency, timing::ds_permute, timing::memory_latency, before(plan.situation));
  return text;
}

nlohmann::ordered_json gcn_json(const GcnPlan& plan) {
  using Json = nlohmann::ordered_json;
  Json ways = Json::array();
  for (const Way& way : plan.ways) {
    const auto& c = way.cost;
    Json lines = Json::array(), once = Json::array();
    for (const auto& line : way.lines) {
      lines.push_back(line.text);
      once.push_back(line.once);
    }
    Json one = {{"method", std::string(cross_lane::name(way.method))}, {"name", way.name}};
    if (!way.note.empty())
      one["note"] = way.note;
    one["assembly"] = std::move(lines);
    one["once"] = std::move(once);
    if (!way.data.empty())
      one["table"] = way.data;
    one["cost"] = {{"cycles", c.cycles},
                   {"cycles_again", c.repeated},
                   {"instructions", c.instructions},
                   {"bytes", c.bytes},
                   {"wait_states", c.wait_states},
                   {"s_waitcnt", c.waits},
                   {"vgprs", c.vgprs},
                   {"sgprs", c.sgprs},
                   {"vcc", c.vcc},
                   {"lds_bytes", c.lds_bytes},
                   {"table_bytes", c.data_bytes}};
    ways.push_back(std::move(one));
  }
  return {{"target", std::string(isa::info(plan.target).name)},
          {"source_just_written", plan.situation.source_just_written},
          {"exec_just_written", plan.situation.exec_just_written},
          {"ways", std::move(ways)},
          {"assumed",
           {{"lds_latency", timing::lds_latency},
            {"ds_permute_issue", timing::ds_permute},
            {"memory_latency", timing::memory_latency}}}};
}

} // namespace crosslane::cli
