// `make bench`: starts itself once per machine to measure, one after the other, and prints one table with all of them,
// the targets and whether they are met. The numbers also go to a JSON file.
#include "bench/items.h"
#include "bench/measure.h"
#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <spawn.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace {

using namespace crosslane::bench;
using nlohmann::json;

struct Machine {
  const char* key;
  const char* title;
  std::string environment, wrapper, arguments; // how the child is started
};

std::string executable() { return std::filesystem::read_symlink("/proc/self/exe"); }

bool installed(const std::string& command) {
  return std::system(("command -v " + command + " >/dev/null 2>&1").c_str()) == 0;
}

struct Measured {
  double seconds = 0, instructions = 0, compiling = 0;
  std::string error;
};
using Column = std::map<std::string, Measured>; // by item

Column run_child(const Machine& machine, const std::string& only) {
  auto out = std::filesystem::temp_directory_path() / ("crosslane-bench-" + std::to_string(getpid()) + ".json");
  std::string command = fmt::format(
      "{} {} '{}' {} --only '{}' --out '{}'", machine.environment, machine.wrapper, executable(),
      machine.arguments + (crosslane::workload::Clock::processor_time ? " --cpu-time" : ""), only, out.string());
  fmt::print(stderr, "{}\n", machine.title);
  Column column;
  if (std::system(command.c_str()) == 0) {
    std::ifstream file(out);
    for (const json& entry : json::parse(file))
      column[entry["item"]] = {entry.value("seconds", 0.0), entry.value("instructions", 0.0),
                               entry.value("compiling", 0.0), entry.value("error", "")};
  } else {
    fmt::print(stderr, "  did not finish; its column stays empty\n");
  }
  std::filesystem::remove(out);
  return column;
}

// What is least of two rounds. An error of either stays.
void keep_least(Column& least, const Column& round) {
  for (const auto& [item, measured] : round) {
    const auto [kept, is_new] = least.try_emplace(item, measured);
    if (is_new)
      continue;
    kept->second.seconds = std::min(kept->second.seconds, measured.seconds);
    kept->second.compiling = std::min(kept->second.compiling, measured.compiling);
    if (kept->second.error.empty())
      kept->second.error = measured.error;
  }
}

// The median of 41 starts of `crosslane --version`, after three that warm the page cache; 0 when it does not start.
double process_start(const std::string& program) {
  std::string name = program, version = "--version";
  char* const arguments[] = {name.data(), version.data(), nullptr};
  posix_spawn_file_actions_t silent;
  posix_spawn_file_actions_init(&silent);
  posix_spawn_file_actions_addopen(&silent, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  std::vector<double> times;
  for (int i = 0; i < 44; ++i) {
    auto start = std::chrono::steady_clock::now();
    pid_t child = 0;
    int status = 0;
    if (posix_spawn(&child, name.c_str(), &silent, nullptr, arguments, environ) != 0 ||
        waitpid(child, &status, 0) != child || status != 0)
      return 0;
    if (i >= 3)
      times.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  posix_spawn_file_actions_destroy(&silent);
  std::nth_element(times.begin(), times.begin() + 20, times.end());
  return times[20];
}

std::string milliseconds(double seconds) {
  if (seconds <= 0)
    return "-";
  double ms = seconds * 1e3;
  return ms < 0.1    ? fmt::format("{:.4f}", ms)
         : ms < 10   ? fmt::format("{:.2f}", ms)
         : ms < 1000 ? fmt::format("{:.1f}", ms)
                     : fmt::format("{:.0f}", ms);
}

std::string ratio(double a, double b) { return a > 0 && b > 0 ? fmt::format("{:.2f}", a / b) : "-"; }

// Geometric means of how many times faster crosslane is.
class Means {
public:
  void add(const std::string& than, double ours, double theirs) {
    if (ours <= 0 || theirs <= 0)
      return;
    auto sum = std::ranges::find(sums_, than, &Sum::than);
    if (sum == sums_.end())
      sum = sums_.insert(sum, Sum{than});
    sum->logarithms += std::log(theirs / ours), ++sum->count;
  }
  std::string text() const {
    std::string text = "Geometric means:";
    for (const Sum& s : sums_)
      text += fmt::format(" {:.2f}x {} ({} workloads){}", std::exp(s.logarithms / s.count), s.than, s.count,
                          &s == &sums_.back() ? "." : ",");
    return text;
  }

private:
  struct Sum {
    std::string than;
    double logarithms = 0;
    int count = 0;
  };
  std::vector<Sum> sums_;
};

const char* verdict(bool met) { return met ? "met" : "MISSED"; }

std::string targets(const Item& item, const Measured& one, double pocl) {
  std::string text;
  auto add = [&](const std::string& t) { text += (text.empty() ? "" : "; ") + t; };
  if (one.seconds <= 0)
    return "not measured";
  if (item.target_rate)
    add(fmt::format(">= {:g} M/s: {}", *item.target_rate,
                    verdict(one.instructions / one.seconds >= *item.target_rate * 1e6)));
  if (item.target_ms)
    add(fmt::format("< {:g} ms: {}", *item.target_ms, verdict(one.seconds * 1e3 < *item.target_ms)));
  if (pocl > 0 && item.kind == Kind::loop)
    add(fmt::format("faster than PoCL: {}", verdict(one.seconds < pocl)));
  if (pocl > 0 && item.kind == Kind::stream)
    add(fmt::format("<= 3x PoCL: {}", verdict(one.seconds <= 3 * pocl)));
  return text.empty() ? "-" : text;
}

} // namespace

int main(int argc, char** argv) {
  CLI::App app{"Measures crosslane beside plain C++, PoCL and Oclgrind"};
  std::string machine, out, json_path, only, program = CROSSLANE_PROGRAM;
  unsigned threads = 0, rounds = 1;
  bool small = false, cpu_time = false;
  app.add_option("--json", json_path, "also write the numbers to this file");
  app.add_option("--only", only, "only items whose name contains this");
  app.add_option("--rounds", rounds, "measure all so often in turns, and take the least: for a machine with neighbours")
      ->check(CLI::Range(1, 100));
  app.add_flag("--cpu-time", cpu_time, "processor time instead of the wall's, one core only: for a busy machine");
  app.add_option("--program", program, "the crosslane command whose start is timed");
  app.add_option("--measure", machine, "(used by itself) crosslane, native or opencl");
  app.add_option("--threads", threads, "(used by itself) 0: all cores");
  app.add_flag("--small", small, "(used by itself) the small sizes, once");
  app.add_option("--out", out, "(used by itself) where the measurements go");
  CLI11_PARSE(app, argc, argv);
  crosslane::workload::Clock::processor_time = cpu_time;
  if (!machine.empty())
    return measure(machine, threads, small, only, out);

  const std::string pocl = "POCL_CACHE_DIR='" CROSSLANE_KERNEL_CACHE "/pocl'";
  const std::string compiled = "CROSSLANE_JIT=always CROSSLANE_CACHE=off";
  std::vector<Machine> machines = {
      {"one", "crosslane, compiled, one core", compiled, "", "--measure crosslane --threads 1"},
      {"all", "crosslane, compiled, all cores", compiled, "", "--measure crosslane --threads 0"},
      {"interpreter", "crosslane, interpreter, one core", "CROSSLANE_JIT=off", "", "--measure crosslane --threads 1"},
      {"native", "plain C++ -O3 -march=native, one core", "", "", "--measure native"},
      {"pocl_one", "PoCL, one core", pocl + " POCL_MAX_PTHREAD_COUNT=1", "taskset -c 0", "--measure opencl"},
      {"pocl_all", "PoCL, all cores", pocl, "", "--measure opencl"},
      {"oclgrind", "Oclgrind, small sizes", "", "oclgrind", "--measure opencl --small"}};
  if (!installed("oclgrind"))
    machines.pop_back();
  if (cpu_time)
    std::erase_if(machines,
                  [](const Machine& m) { return std::string(m.key).ends_with("_all") || m.key == std::string("all"); });

  std::map<std::string, Column> columns;
  for (unsigned round = 0; round < rounds; ++round)
    for (const Machine& m : machines)
      keep_least(columns[m.key], run_child(m, only));

  json all = json::array();
  const unsigned cores = std::thread::hardware_concurrency();
  fmt::print(
      "\n| workload | M wave-inst/s | 1 core ms | {0} cores ms | compiling ms | interpreter ms | C++ -O3 ms | PoCL 1 "
      "core ms | PoCL {0} cores ms | Oclgrind ms* | interpreter / | C++ / | PoCL 1 / | PoCL {0} / | target |\n"
      "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---|\n",
      cores);
  Means means;
  std::vector<std::string> errors;
  for (const Item& item : items()) {
    if (item.name.find(only) == std::string::npos)
      continue;
    std::map<std::string, Measured> m;
    for (auto& [key, column] : columns) {
      m[key] = column[item.name];
      if (!m[key].error.empty())
        errors.push_back(fmt::format("{} ({}): {}", item.name, key, m[key].error));
    }
    double scaled = 0;
    if (item.small && m["oclgrind"].seconds > 0)
      scaled = m["oclgrind"].seconds * work_items(item.full()) / work_items(item.small()) * item.inner;
    const Measured& one = m["one"];
    std::string rate =
        one.seconds > 0 && one.instructions > 0 ? fmt::format("{:.0f}", one.instructions / one.seconds / 1e6) : "-";
    fmt::print("| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |\n", item.name, rate,
               milliseconds(one.seconds), milliseconds(m["all"].seconds), milliseconds(one.compiling),
               milliseconds(m["interpreter"].seconds), milliseconds(m["native"].seconds),
               milliseconds(m["pocl_one"].seconds), milliseconds(m["pocl_all"].seconds), milliseconds(scaled),
               ratio(m["interpreter"].seconds, one.seconds), ratio(m["native"].seconds, one.seconds),
               ratio(m["pocl_one"].seconds, one.seconds), ratio(m["pocl_all"].seconds, m["all"].seconds),
               targets(item, one, m["pocl_one"].seconds));
    means.add("the interpreter", one.seconds, m["interpreter"].seconds);
    if (m["native"].seconds > 0 && m["pocl_one"].seconds > 0) { // the same workloads for both
      means.add("C++ -O3", one.seconds, m["native"].seconds);
      means.add("PoCL", one.seconds, m["pocl_one"].seconds);
      means.add("PoCL, with compiling once", one.seconds + one.compiling, m["pocl_one"].seconds);
    }
    json entry = {{"workload", item.name},
                  {"instructions", one.instructions},
                  {"compiling_seconds", one.compiling},
                  {"oclgrind_scaled_seconds", scaled}};
    for (auto& [key, measured] : m)
      entry[key + "_seconds"] = measured.seconds;
    all.push_back(entry);
  }
  if (only.empty()) {
    double start = process_start(program);
    fmt::print("| process start (--version) | - | {} | - | - | - | - | - | - | - | - | - | - | - | {} |\n",
               milliseconds(start), start > 0 ? fmt::format("< 5 ms: {}", verdict(start < 0.005)) : "not measured");
    all.push_back({{"workload", "process start"}, {"one_seconds", start}});
  }
  fmt::print(
      "\n{}\n{} are {}medians of 5 repetitions after a warm-up, on one core but where it says {}; compiling, in "
      "processor time, is not in them. Ratios are the\nother's time over crosslane's, compiled: above 1 crosslane "
      "is faster.\n* Oclgrind runs a small size, once; the time is scaled up by work-items and loop length.\n",
      means.text(), cpu_time ? "Processor times" : "Times",
      rounds > 1 ? fmt::format("the least, of {} rounds, of ", rounds) : "", cores);
  for (const std::string& e : errors)
    fmt::print("error: {}\n", e);
  if (!json_path.empty())
    std::ofstream(json_path) << all.dump(2) << "\n";
  return errors.empty() ? 0 : 1;
}
