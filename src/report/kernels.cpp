// The statistics of kernels as text.
#include "report/kernels.h"
#include "findings/names.h"
#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <vector>

namespace crosslane::report {

using namespace findings;

namespace {

using Json = nlohmann::ordered_json;
using Row = std::array<std::string, 13>;
constexpr size_t first_text = 11; // columns of numbers before it

double mips(uint64_t instructions, double seconds) {
  return seconds > 0 ? static_cast<double>(instructions) / seconds / 1e6 : 0;
}

// "4096", "64x32": without the ones at the end.
std::string shape(const uint32_t (&extent)[3], bool varied) {
  std::string text = fmt::format("{}", extent[0]);
  if (extent[1] != 1 || extent[2] != 1)
    text += fmt::format("x{}", extent[1]);
  if (extent[2] != 1)
    text += fmt::format("x{}", extent[2]);
  return text + (varied ? "*" : "");
}

std::string registers(const KernelStats& k) {
  return k.agprs ? fmt::format("{}+{}", k.vgprs, k.agprs) : fmt::format("{}", k.vgprs);
}

std::string place(const KernelStats& k) { return fmt::format("{} ({})", k.card, k.target); }

Row row(const KernelStats& k, std::string name) {
  return {fmt::format("{}", k.launches),
          shape(k.grid, k.varied),
          shape(k.block, k.varied),
          registers(k),
          fmt::format("{}", k.sgprs),
          fmt::format("{}", k.lds_bytes),
          fmt::format("{}", k.scratch_bytes),
          fmt::format("{}", k.waves),
          fmt::format("{}", k.instructions),
          fmt::format("{:.3f}", k.seconds * 1e3),
          fmt::format("{:.1f}", mips(k.instructions, k.seconds)),
          place(k),
          std::move(name)};
}

std::string lines(std::span<const Row> rows, bool with_place) {
  std::array<size_t, std::tuple_size_v<Row>> width = {};
  for (const auto& row : rows)
    for (size_t i = 0; i < row.size(); ++i)
      width[i] = std::max(width[i], row[i].size());
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i) {
      if (i == first_text && !with_place)
        continue;
      line += i < first_text ? fmt::format("  {:>{}}", row[i], width[i]) : fmt::format("  {:<{}}", row[i], width[i]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

} // namespace

std::string table(std::span<const KernelStats> kernels) {
  if (kernels.empty())
    return "kernels: none was launched\n";
  KernelStats sum;
  bool varied = false, several_places = false, accumulation = false;
  std::vector<size_t> order;
  for (const auto& k : kernels) {
    order.push_back(order.size());
    sum.launches += k.launches;
    sum.instructions += k.instructions;
    sum.waves += k.waves;
    sum.seconds += k.seconds;
    varied |= k.varied;
    accumulation |= k.agprs != 0;
    several_places |= place(k) != place(kernels[0]);
  }
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return kernels[a].seconds != kernels[b].seconds ? kernels[a].seconds > kernels[b].seconds : a < b;
  });

  std::vector<std::string> symbols;
  for (const auto& k : kernels)
    symbols.push_back(k.name);
  const std::vector<std::string> shown = short_names(symbols);
  std::vector<Row> rows = {{"launches", "grid", "block", "VGPRs", "SGPRs", "LDS", "scratch", "waves", "wave-instr.",
                            "host ms", "MIPS", "card", "kernel"}};
  for (const size_t i : order)
    rows.push_back(row(kernels[i], shown[i]));
  if (kernels.size() > 1)
    rows.push_back({fmt::format("{}", sum.launches), "", "", "", "", "", "", fmt::format("{}", sum.waves),
                    fmt::format("{}", sum.instructions), fmt::format("{:.3f}", sum.seconds * 1e3),
                    fmt::format("{:.1f}", mips(sum.instructions, sum.seconds)), "", "all"});

  std::string text = several_places ? "kernels\n" : fmt::format("kernels on {}\n", place(kernels[0]));
  text += lines(rows, several_places);
  text += "  grid, block: work-items; LDS: bytes of a workgroup; scratch: bytes of a work-item; MIPS: millions of "
          "wave-instructions per second\n";
  if (varied)
    text += "  *: of the last launch; launches before it differed\n";
  if (accumulation)
    text += "  VGPRs a+b: b of them are accumulation registers, beside a others\n";
  return text;
}

std::string json(std::span<const KernelStats> kernels, std::span<const BranchReport> profiles) {
  Json all = Json::array(), branches = Json::array();
  for (const auto& k : kernels)
    all.push_back({{"name", k.name},
                   {"readable", readable_name(k.name)},
                   {"target", k.target},
                   {"card", k.card},
                   {"launches", k.launches},
                   {"instructions", k.instructions},
                   {"waves", k.waves},
                   {"workgroups", k.workgroups},
                   {"seconds", k.seconds},
                   {"mips", mips(k.instructions, k.seconds)},
                   {"grid", k.grid},
                   {"block", k.block},
                   {"varied", k.varied},
                   {"vgprs", k.vgprs},
                   {"agprs", k.agprs},
                   {"sgprs", k.sgprs},
                   {"lds_bytes", k.lds_bytes},
                   {"scratch_bytes", k.scratch_bytes}});
  for (const auto& profile : profiles) {
    Json entry = Json::parse(json(profile));
    entry["readable"] = readable_name(profile.kernel);
    branches.push_back(std::move(entry));
  }
  return Json{{"kernels", std::move(all)}, {"profiles", std::move(branches)}}.dump(2, ' ', false,
                                                                                   Json::error_handler_t::replace) +
         "\n";
}

} // namespace crosslane::report
