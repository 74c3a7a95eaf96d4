// The long run: crosslane_differential --count 2000. Each batch of kernels runs in a process of its own, so that a
// compiler that crashes costs one batch. Ends with 1 at any mismatch; each is reduced and left as a .cl file that
// --replay runs.
#include "check/late.h"
#include "engine/dispatch.h"
#include "events/several.h"
#include "fleet/fleet.h"
#include "tests/generated/differential.h"
#include "tests/generated/executed.h"
#include "tests/generated/generate.h"
#include "tests/generated/reduce.h"
#include <CLI/CLI.hpp>
#include <chrono>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>

namespace crosslane::generated {
namespace {

namespace fs = std::filesystem;

struct Options {
  uint64_t seed = 1, count = 50;
  std::vector<std::string> targets{"gfx803", "gfx900", "gfx906"};
  std::string level, folder, replay, mnemonics;
  unsigned batch = 8;
  int budget = 300;
  bool print_only = false, operations = false, late = false, mpi = false, resume = false;
  std::string journal;
};

Kernel kernel_of(const Options& options, uint64_t number) {
  const std::string name = fmt::format("k{}", number);
  return options.operations ? operations_kernel(number, name) : generate(number, name);
}

struct Totals {
  uint64_t kernels = 0, runs = 0, instructions = 0, different = 0, refused = 0, uncompiled = 0, unknown = 0;
  std::map<std::string, uint64_t> mnemonics;
};

std::string base_name(const Kernel& k, const Setting& s) { return k.name + "-" + s.target + s.level; }

void report(Differential& machine, const Options& options, const Kernel& kernel, const Setting& setting,
            const Verdict& found) {
  fmt::print("{} of {} on {} {}: {}\n", found.outcome == Outcome::refused ? "ERROR" : "MISMATCH", kernel.name,
             setting.target, setting.level, found.message.substr(0, 2000));
  std::fflush(stdout);
  if (options.operations)
    for (size_t slot = 0; slot < kernel.slots.size(); ++slot)
      if (found.message.find(fmt::format("out{} ", slot)) != std::string::npos)
        fmt::print("  {}\n", print(kernel.body[slot].arguments[0]));
  if (options.budget <= 0 || options.operations)
    return;
  Kernel small = kernel;
  Verdict last = found;
  small = reduce(
      kernel,
      [&](const Kernel& k) {
        auto verdict = machine.run({k}, {setting})[0][0];
        if (verdict.outcome != found.outcome)
          return false;
        last = std::move(verdict);
        return true;
      },
      options.budget);
  const std::string path = options.folder + "/" + base_name(kernel, setting) + ".cl", text = replayable(small, setting);
  std::ofstream(path) << text;
  fmt::print("reduced to:\n{}\n{}run it again: crosslane_differential --replay {}\n"
             "unreduced: crosslane_differential --seed {} --count 1 --targets {} --level={}\n",
             text, last.message.substr(0, 2000), path, kernel.name.substr(1), setting.target, setting.level);
  std::fflush(stdout);
}

// In a process of its own. Totals go through the pipe as lines.
void run_batch(const Options& options, uint64_t first, uint64_t count, FILE* results) {
  std::vector<Kernel> kernels;
  for (uint64_t i = 0; i < count; ++i)
    kernels.push_back(kernel_of(options, first + i));
  const std::string scratch = options.folder + fmt::format("/work-{}", getpid());
  fs::create_directories(scratch);
  setenv("POCL_CACHE_DIR", scratch.c_str(), 1);
  Executed executed;
  check::Late late;
  events::Several listeners;
  if (!options.mnemonics.empty())
    listeners.add(executed);
  if (options.late)
    listeners.add(late);
  {
    Differential machine(scratch, listeners.empty() ? nullptr : &listeners);
    std::vector<Setting> settings;
    for (const auto& t : options.targets)
      settings.push_back({t, options.level.empty() ? level_for(first / options.batch) : options.level});
    const auto verdicts = machine.run(kernels, settings);
    for (size_t i = 0; i < kernels.size(); ++i)
      for (size_t j = 0; j < settings.size(); ++j) {
        const Verdict& v = verdicts[i][j];
        std::fprintf(results, "run %d\n", int(v.outcome));
        if (v.outcome == Outcome::unknown) {
          if (i == 0 || v.message != verdicts[i - 1][j].message)
            fmt::print("no answer from the oracle for {}: {}\n", kernels[i].name, v.message.substr(0, 3000));
          break;
        }
        if (v.outcome == Outcome::uncompiled)
          fmt::print("{} does not compile for {} {}: {}\n", kernels[i].name, settings[j].target, settings[j].level,
                     v.message.substr(0, 200));
        else if (v.outcome != Outcome::same) {
          report(machine, options, kernels[i], settings[j], v);
          if (!options.operations)
            break; // the other targets usually say the same
        }
      }
    std::fprintf(results, "instructions %llu\n", static_cast<unsigned long long>(machine.instructions()));
  }
  for (const auto& [name, n] : executed.counts())
    std::fprintf(results, "m %s %llu\n", name.c_str(), static_cast<unsigned long long>(n));
  std::fprintf(results, "done\n");
  // The code objects that the compiler helper keeps.
  const std::string stem = fmt::format("generated-{}-", getpid());
  for (const auto& entry : fs::directory_iterator(CROSSLANE_KERNEL_CACHE))
    if (entry.path().filename().string().starts_with(stem))
      fs::remove(entry.path());
  fs::remove_all(scratch);
}

void collect(FILE* results, Totals& totals, bool& done) {
  char line[256];
  while (std::fgets(line, sizeof line, results)) {
    std::istringstream words(line);
    std::string kind, name;
    uint64_t n = 0;
    words >> kind;
    if (kind == "run") {
      words >> n;
      ++totals.runs;
      totals.different += Outcome(n) == Outcome::different;
      totals.refused += Outcome(n) == Outcome::refused;
      totals.uncompiled += Outcome(n) == Outcome::uncompiled;
      totals.unknown += Outcome(n) == Outcome::unknown;
    } else if (kind == "instructions") {
      words >> n;
      totals.instructions += n;
    } else if (kind == "m") {
      words >> name >> n;
      totals.mnemonics[name] += n;
    } else if (kind == "done") {
      done = true;
    }
  }
}

int replay(const Options& options) {
  std::ifstream file(options.replay);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  auto found = read_replayable(text);
  if (!found) {
    fmt::print(stderr, "{} does not start with a line '// replay ...' as this program writes it\n", options.replay);
    return 2;
  }
  if (!options.level.empty())
    found->second.level = options.level;
  check::Late late;
  Differential machine(options.folder, options.late ? &late : nullptr);
  const auto verdict = machine.run({found->first}, {found->second})[0][0];
  fmt::print("{}\n", verdict.outcome == Outcome::same ? "no difference" : verdict.message);
  return verdict.outcome == Outcome::same ? 0 : 1;
}

// Batches as items of a fleet, each a run of this program by itself; what they print is printed in their order.
std::string batch_of(const std::vector<std::string>& words, const Options& options, uint64_t first, uint64_t count) {
  std::string command = "/proc/" + std::to_string(getpid()) + "/exe";
  command = fs::read_symlink(command).string();
  for (const std::string& word : words)
    command += " '" + word + "'";
  command += fmt::format(" --seed {} --count {} --budget {} 2>&1", first, count, options.budget);
  std::string text;
  if (FILE* out = popen(command.c_str(), "r")) {
    char part[4096];
    while (const size_t n = std::fread(part, 1, sizeof part, out))
      text.append(part, n);
    text += fmt::format("status {}\n", pclose(out));
  }
  return text;
}

int run_by_mpi(const Options& options, const std::vector<std::string>& words) {
  const auto fail = [](llvm::Error error) {
    fmt::print(stderr, "crosslane_differential: {}\n", llvm::toString(std::move(error)));
    return 2;
  };
  auto transport = fleet::open_mpi();
  if (!transport)
    return fail(transport.takeError());
  std::vector<std::pair<uint64_t, uint64_t>> batches;
  for (uint64_t at = options.seed, end = options.seed + options.count; at < end;) {
    const uint64_t count = std::min<uint64_t>(options.batch - at % options.batch, end - at);
    batches.emplace_back(at, count), at += count;
  }
  std::unique_ptr<fleet::Journal> journal;
  int status = 0;
  if ((*transport)->rank() == 0 && !options.journal.empty()) {
    auto opened = fleet::Journal::open(
        options.journal,
        fmt::format("differential {} from {} for {}", fmt::join(words, " "), options.seed, options.count),
        options.resume);
    if (opened)
      journal = std::move(*opened);
    else
      status = fail(opened.takeError());
  }
  std::vector<int> silent;
  if (status) {
    fleet::dismiss(**transport);
  } else if (auto outcome = fleet::run(
                 {batches.size(),
                  [&](uint64_t item) { return batch_of(words, options, batches[item].first, batches[item].second); }},
                 {.transport = transport->get(), .journal = journal.get()})) {
    uint64_t kernels = 0, runs = 0, bad = 0;
    for (const std::string& text : outcome->results) {
      std::istringstream lines(text);
      bool clean = false;
      std::string others;
      for (std::string line; std::getline(lines, line);) {
        unsigned long long k = 0, r = 0;
        if (std::sscanf(line.c_str(), "%llu kernels from", &k) == 1 &&
            std::sscanf(line.substr(line.rfind("): ") + 3).c_str(), "%llu runs", &r) == 1)
          kernels += k, runs += r;
        else if (line == "status 0")
          clean = true;
        else if (std::sscanf(line.c_str(), "%llu kernels, ", &k) != 1)
          others += line + "\n";
      }
      if (!clean)
        ++bad;
      fmt::print("{}", others);
    }
    if (outcome->leader)
      fmt::print("{} kernels from seed {} on {}: {} runs in {} batches by {} ranks, {} batches with mismatches, errors "
                 "or crashes\n",
                 kernels, options.seed, fmt::join(options.targets, ", "), runs, batches.size(), (*transport)->size(),
                 bad);
    status = bad ? 1 : 0, silent = outcome->silent;
  } else {
    status = fail(outcome.takeError());
  }
  std::fflush(stdout);
  (*transport)->end(silent.empty(), status);
  std::_Exit(status);
}

int run(const Options& options) {
  fs::create_directories(options.folder);
  if (options.print_only) {
    for (uint64_t i = 0; i < options.count; ++i)
      fmt::print("{}\n", print(std::vector<Kernel>{kernel_of(options, options.seed + i)}));
    return 0;
  }
  if (!options.replay.empty())
    return replay(options);
  Totals totals;
  uint64_t crashed = 0;
  const auto start = std::chrono::steady_clock::now();
  for (uint64_t at = options.seed, end = options.seed + options.count; at < end;) {
    const uint64_t count = std::min<uint64_t>(options.batch - at % options.batch, end - at);
    std::fflush(stdout);
    int ends[2];
    if (pipe(ends) != 0)
      return 2;
    const pid_t child = fork();
    if (child == 0) {
      close(ends[0]);
      FILE* results = fdopen(ends[1], "w");
      run_batch(options, at, count, results);
      std::fclose(results);
      std::fflush(stdout);
      _exit(0);
    }
    close(ends[1]);
    FILE* results = fdopen(ends[0], "r");
    bool done = false;
    collect(results, totals, done);
    std::fclose(results);
    int status = 0;
    waitpid(child, &status, 0);
    if (!done) {
      ++crashed;
      fmt::print("CRASH in the batch of kernels {} to {} (status {:#x})\n", at, at + count - 1, status);
    }
    at += count;
    totals.kernels += count;
    if (totals.kernels % 80 < count) {
      const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      fmt::print("{} kernels, {} runs, {} mismatches, {} errors, {:.0f} s\n", totals.kernels, totals.runs,
                 totals.different, totals.refused, seconds);
    }
  }
  if (!options.mnemonics.empty()) {
    std::ofstream file(options.mnemonics);
    for (const auto& [name, n] : totals.mnemonics)
      file << name << '\t' << n << '\n';
  }
  fmt::print("{} kernels from seed {} on {} ({}): {} runs, {} wave-instructions, {} mismatches, {} errors, {} that "
             "clang cannot compile, "
             "{} without an oracle, {} crashes\n",
             totals.kernels, options.seed, fmt::join(options.targets, ", "), engine::host_level(), totals.runs,
             totals.instructions, totals.different, totals.refused, totals.uncompiled, totals.unknown, crashed);
  return totals.different || totals.refused || totals.unknown || crashed ? 1 : 0;
}

} // namespace
} // namespace crosslane::generated

int main(int argc, char** argv) {
  crosslane::generated::Options o;
  o.folder = CROSSLANE_KERNEL_CACHE "/differential";
  CLI::App app("Random kernels on PoCL and on crosslane, compared bit by bit");
  app.add_option("--count", o.count, "How many kernels")->capture_default_str();
  app.add_option("--seed", o.seed, "The first one's number")->capture_default_str();
  app.add_option("--targets", o.targets, "GPUs")->delimiter(',')->capture_default_str();
  app.add_option("--level", o.level, "-O0 to -O3 for all; else it changes from batch to batch");
  app.add_option("--batch", o.batch, "Kernels in one source file")->capture_default_str();
  app.add_option("--budget", o.budget, "Attempts at making a mismatch smaller")->capture_default_str();
  app.add_option("--folder", o.folder, "Where reduced kernels are left")->capture_default_str();
  app.add_option("--replay", o.replay, "A reduced kernel");
  app.add_option("--mnemonics", o.mnemonics, "File for what was executed, as mnemonic and count");
  app.add_flag("--late", o.late, "What is loaded arrives as late as the counters allow (check/late.h)");
  app.add_flag("--print", o.print_only, "Only print the kernels");
  app.add_flag("--operations", o.operations, "Instead of random kernels, each operation by itself");
  app.add_flag("--mpi", o.mpi, "By all processes that mpirun has started");
  app.add_option("--journal", o.journal, "--mpi: keep what is finished in this file");
  app.add_flag("--resume", o.resume, "--journal: go on where an earlier run was cut off");
  CLI11_PARSE(app, argc, argv);
  if (o.operations)
    o.seed = 0, o.count = crosslane::generated::operation_kernels();
  if (!o.mpi)
    return crosslane::generated::run(o);
  // What every batch is told; which kernels, each by itself.
  std::vector<std::string> words = {"--targets", fmt::format("{}", fmt::join(o.targets, ",")),
                                    "--batch",   std::to_string(o.batch),
                                    "--folder",  o.folder};
  if (!o.level.empty())
    words.push_back("--level=" + o.level);
  if (o.late)
    words.push_back("--late");
  return crosslane::generated::run_by_mpi(o, words);
}
