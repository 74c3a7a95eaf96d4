// `crosslane_lanes_bench`: runs the measurements of every instruction set that this CPU has, one program after the
// other, and prints them as ratios: of permutes by the three lowerings, and of each algorithm against what else there
// is.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

namespace {

using nlohmann::json;

struct Level {
  const char* name;
  bool present;
};
std::vector<Level> levels() {
  const bool avx512 = __builtin_cpu_supports("x86-64-v4"), vbmi = avx512 && __builtin_cpu_supports("avx512vbmi");
  const bool vbmi2 = vbmi && __builtin_cpu_supports("avx512vbmi2");
  return {{"baseline", true},      {"avx2", bool(__builtin_cpu_supports("x86-64-v3"))},
          {"avx512", avx512},      {"avx512_vbmi", vbmi},
          {"avx512_vbmi2", vbmi2}, {"avx512_gfni", vbmi2 && __builtin_cpu_supports("gfni")}};
}

struct Way {
  std::string name;
  double ns;
};
struct Row {
  std::string level, section, name, metric, kind, ours; // `ours`: the way that the library takes
  std::vector<Way> ways;

  double time(const std::string& way) const {
    const auto i = std::find_if(ways.begin(), ways.end(), [&](const Way& w) { return w.name == way; });
    return i == ways.end() ? 0 : i->ns;
  }
  // The least time of what is not the library's choice, over the library's: below 1 we lose.
  double gain() const {
    double best = 1e99;
    for (const Way& w : ways)
      if (w.name != ours)
        best = std::min(best, w.ns);
    return best / time(ours);
  }
};

// Lines of level.cpp: section, name, metric, kind, ours, way, nanoseconds.
std::vector<Row> run(const std::string& folder, const std::string& level, int rounds, const std::string& only) {
  std::vector<Row> rows;
  const std::string program = folder + "/crosslane_lanes_bench_" + level;
  if (!std::filesystem::exists(program)) {
    fmt::print(stderr, "{}: not built, left out\n", program);
    return rows;
  }
  fmt::print(stderr, "{}\n", level);
  FILE* pipe = popen(fmt::format("'{}' {} '{}'", program, rounds, only).c_str(), "r");
  if (!pipe)
    return rows;
  char text[1024];
  while (std::fgets(text, sizeof text, pipe)) {
    std::string line(text);
    while (!line.empty() && line.back() == '\n')
      line.pop_back();
    std::vector<std::string> field;
    std::istringstream in(line);
    for (std::string f; std::getline(in, f, '\t');)
      field.push_back(f);
    if (field.size() != 7)
      continue;
    Row row{level, field[0], field[1], field[2], field[3], field[4], {}};
    const auto same = [&](const Row& r) {
      return r.section == row.section && r.name == row.name && r.metric == row.metric;
    };
    if (rows.empty() || !same(rows.back()))
      rows.push_back(row);
    rows.back().ways.push_back({field[5], std::stod(field[6])});
  }
  if (pclose(pipe))
    fmt::print(stderr, "{}: did not finish\n", program);
  return rows;
}

// A permute's throughput and latency count alike.
struct Pattern {
  const Row *throughput = nullptr, *latency = nullptr;
  double relative(const std::string& way) const { // to the best way, as geometric mean
    const auto one = [&](const Row& r) {
      double best = 1e99;
      for (const Way& w : r.ways)
        best = std::min(best, w.ns);
      return r.time(way) / best;
    };
    return std::sqrt(one(*throughput) * one(*latency));
  }
  double loss() const {
    double best = 1e99;
    for (const Way& w : throughput->ways)
      best = std::min(best, relative(w.name));
    return relative(throughput->ours) / best;
  }
};

void print_patterns(const std::vector<Row>& rows, bool all) {
  std::map<std::string, std::vector<Pattern>> by_level;
  for (size_t i = 0; i + 1 < rows.size(); ++i)
    if (rows[i].section == "pattern" && rows[i].metric == "throughput" && rows[i + 1].name == rows[i].name)
      by_level[rows[i].level].push_back({&rows[i], &rows[i + 1]});
  if (by_level.empty())
    return;
  fmt::print("\nPermutes: times relative to the compiler's own shuffle, throughput and latency; below 1 is faster. "
             "`loss` is the taken\n"
             "way over the best one (geometric mean of both).{}\n\n"
             "| level | permute | recognised as | taken | steps T | steps L | pinned T | pinned L | loss "
             "|\n|---|---|---|---|---:|---:|---:|---:|---:|\n",
             all ? "" : " Only those that differ by more than 10%; --all shows the others.");
  for (const auto& [level, patterns] : by_level)
    for (const Pattern& p : patterns) {
      const double t = p.throughput->time("compiler"), l = p.latency->time("compiler");
      const double lowest = std::min(p.relative("steps"), p.relative("pinned")) / p.relative("compiler");
      if (all || p.loss() > 1.1 || lowest < 1 / 1.1)
        fmt::print("| {} | {} | {} | {} | {:.2f} | {:.2f} | {:.2f} | {:.2f} | {:.2f} |\n", level, p.throughput->name,
                   p.throughput->kind, p.throughput->ours, p.throughput->time("steps") / t,
                   p.latency->time("steps") / l, p.throughput->time("pinned") / t, p.latency->time("pinned") / l,
                   p.loss());
    }
  fmt::print("\n| level | permutes | taken way over 10% slower than the best | over 10% faster than the compiler's | "
             "compiler / taken, mean | best | worst |\n"
             "|---|---:|---:|---:|---:|---:|---:|\n");
  for (const auto& [level, patterns] : by_level) {
    int slow = 0, fast = 0;
    double sum = 0, best = 0, worst = 1e99;
    for (const Pattern& p : patterns) {
      const double gain = p.relative("compiler") / p.relative(p.throughput->ours);
      slow += p.loss() > 1.1, fast += gain > 1.1;
      sum += std::log(gain), best = std::max(best, gain), worst = std::min(worst, gain);
    }
    fmt::print("| {} | {} | {} | {} | {:.2f} | {:.2f} | {:.2f} |\n", level, patterns.size(), slow, fast,
               std::exp(sum / double(patterns.size())), best, worst);
  }
}

void print_algorithms(const std::vector<Row>& rows) {
  bool first = true;
  for (const Row& r : rows) {
    if (r.section == "pattern")
      continue;
    if (std::exchange(first, false))
      fmt::print(
          "\nAlgorithms: the others' times over the library's; above 1 the library is faster.\n\n"
          "| level | algorithm | of | lanes ns | others / lanes | best other / lanes |\n|---|---|---|---:|---|---:|\n");
    std::string others;
    for (const Way& w : r.ways)
      if (w.name != r.ours)
        others += fmt::format("{}{} {:.2f}", others.empty() ? "" : ", ", w.name, w.ns / r.time(r.ours));
    fmt::print("| {} | {} | {} | {:.1f} | {} | {:.2f}{} |\n", r.level, r.section, r.name, r.time(r.ours), others,
               r.gain(), r.gain() < 1 / 1.1 ? " slower" : "");
  }
}

} // namespace

int main(int argc, char** argv) {
  CLI::App app{"Measures the ways of lanes/ against each other, the compiler, Highway and plain loops"};
  std::string only, json_path, level;
  int rounds = 200;
  bool all = false;
  app.add_option("--only", only,
                 "only what contains this, such as 'pattern', 'reverse', 'u8' or 'compress: to memory'");
  app.add_option("--level", level,
                 "only this instruction set: baseline, avx2, avx512, avx512_vbmi, avx512_vbmi2, avx512_gfni");
  app.add_option("--rounds", rounds, "how often each way is timed; the least time counts")->check(CLI::PositiveNumber);
  app.add_option("--json", json_path, "also write the times to this file");
  app.add_flag("--all", all, "every permute, not only those that differ");
  CLI11_PARSE(app, argc, argv);
  if (only.find('\'') != std::string::npos)
    return fmt::print(stderr, "--only: no quotes\n"), 2;

  const std::string folder = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  std::vector<Row> rows;
  for (const Level& l : levels()) {
    if (!level.empty() && level != l.name)
      continue;
    if (!l.present) {
      fmt::print(stderr, "{}: this CPU does not have it\n", l.name);
      continue;
    }
    const std::vector<Row> some = run(folder, l.name, rounds, only);
    rows.insert(rows.end(), some.begin(), some.end());
  }
  print_patterns(rows, all);
  print_algorithms(rows);
  if (!json_path.empty()) {
    json out = json::array();
    for (const Row& r : rows) {
      json entry = {{"level", r.level},   {"section", r.section}, {"name", r.name},
                    {"metric", r.metric}, {"kind", r.kind},       {"taken", r.ours}};
      for (const Way& w : r.ways)
        entry["nanoseconds"][w.name] = w.ns;
      out.push_back(entry);
    }
    std::ofstream(json_path) << out.dump(2) << "\n";
  }
  return rows.empty();
}
