// What each view of a profile costs: five examples without a listener, with each view, with all of them, and with all of them on
// one workgroup in a hundred. The ways take turns, so that a noisy machine is as noisy for all; the least of the turns counts.
#include "events/several.h"
#include "tests/kernels/runner.h"
#include "tests/kernels/workloads.h"
#include "views/active_lanes.h"
#include "views/branches.h"
#include "views/lds.h"
#include "views/memory.h"
#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <memory>

namespace {

using namespace crosslane;

struct Example {
  const char* name;
  workload::Workload (*make)();
};
const Example examples[] = {
    {"vector add 2^22", [] { return workload::vector_add(1 << 22); }},
    {"tiled matmul 512", [] { return workload::matmul_tiled(512); }},
    {"bitonic sort 2^18", [] { return workload::bitonic_sort(1 << 18); }},
    {"histogram in LDS 2^22", [] { return workload::histogram_local(1 << 22, 256); }},
    {"Mandelbrot 512^2, 256 it.", [] { return workload::mandelbrot(512, 512, 256); }},
};

// All views of one kind of run; those that take part are added to the listener.
struct Way {
  const char* name;
  bool branches, divergence, memory, lds;
  bool sampled = false;
};
const Way ways[] = {
    {"off", false, false, false, false},
    {"branches", true, false, false, false},
    {"divergence", false, true, false, false},
    {"memory", false, false, true, false},
    {"lds", false, false, false, true},
    {"all", true, true, true, true},
    {"all, 1%", true, true, true, true, true},
};

// One workgroup in a hundred: what sampling costs, however it chooses.
class Hundredth final : public events::Several {
public:
  bool wants_workgroup(const machine::Workgroup& group) const override { return group.number % 100 == 37; }
};

struct Views {
  views::Branches branches;
  views::ActiveLaneCounts lanes;
  views::MemoryCoalescing memory;
  views::LdsBanks lds;
  std::unique_ptr<events::Several> all;

  explicit Views(const Way& way) : all(way.sampled ? std::make_unique<Hundredth>() : std::make_unique<events::Several>()) {
    if (way.branches) all->add(branches);
    if (way.divergence) all->add(lanes);
    if (way.memory) all->add(memory);
    if (way.lds) all->add(lds);
  }
  events::Listener* listener() { return all->empty() ? nullptr : all.get(); }
};

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Measures what the views of a profile cost: milliseconds without, and the ratio with each"};
  std::string only;
  unsigned turns = 5, threads = 1;
  app.add_option("--only", only, "only examples whose name contains this");
  app.add_option("--turns", turns, "measurements of each way; the least counts")->check(CLI::PositiveNumber);
  app.add_option("--threads", threads, "host threads; 0: all cores");
  CLI11_PARSE(app, argc, argv);

  fmt::print("| example | wave-instructions | off, ms |");
  for (const Way& way : ways)
    if (&way != ways) fmt::print(" {} |", way.name);
  fmt::print("\n|---|---:|---:|");
  for (size_t i = 1; i < std::size(ways); ++i) fmt::print("---:|");
  fmt::print("\n");
  for (const Example& example : examples) {
    if (std::string(example.name).find(only) == std::string::npos) continue;
    const workload::Workload w = example.make();
    workload::Settings settings;
    settings.threads = threads;
    const auto session = workload::open_crosslane(w, settings);
    if (!session->error().empty()) {
      fmt::print(stderr, "{}: {}\n", example.name, session->error());
      return 1;
    }
    double best[std::size(ways)];
    std::ranges::fill(best, std::numeric_limits<double>::infinity());
    for (unsigned turn = 0; turn <= turns; ++turn)
      for (size_t i = 0; i < std::size(ways); ++i) {
        Views views(ways[i]);
        session->listen(views.listener());
        session->fill();
        const double seconds = session->once();
        if (turn > 0) best[i] = std::min(best[i], seconds);  // the first turn decodes
      }
    if (!session->error().empty()) {
      fmt::print(stderr, "{}: {}\n", example.name, session->error());
      return 1;
    }
    fmt::print("| {} | {} | {:.2f} |", example.name, session->stats().instructions, best[0] * 1e3);
    for (size_t i = 1; i < std::size(ways); ++i) fmt::print(" {:.2f}x |", best[i] / best[0]);
    fmt::print("\n");
    std::fflush(stdout);
  }
}
