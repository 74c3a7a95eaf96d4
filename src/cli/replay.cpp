// crosslane replay: runs captured dispatches again, lists them, and makes them smaller.
#include "capture/reader.h"
#include "cli/interrupt.h"
#include "cli/launch_options.h"
#include "cli/run_job.h"
#include "cli/standard_error.h"
#include "cli/standard_output.h"
#include "cli/verb.h"
#include "codeobject/code_object.h"
#include "files/error.h"
#include "files/write.h"
#include "findings/text.h"
#include "fleet/fleet.h"
#include "launch/replays.h"
#include "launch/shrink.h"
#include <cstdlib>
#include <thread>
#include <unistd.h>

namespace crosslane::cli {

namespace {

std::string size_text(const uint32_t (&size)[3]) {
  return size[2] > 1   ? fmt::format("{}x{}x{}", size[0], size[1], size[2])
         : size[1] > 1 ? fmt::format("{}x{}", size[0], size[1])
                       : fmt::format("{}", size[0]);
}

std::string how_it_ended(const capture::Dispatch& d) {
  return !d.outcome         ? "not seen to end"
         : d.outcome->fault ? std::string(machine::name(d.outcome->fault->kind))
                            : fmt::format("{} instructions", d.outcome->instructions);
}

// A line for each, with one that cannot be read among them.
llvm::Expected<Exit> list(const std::string& folder) {
  auto reader = capture::Reader::open(folder);
  if (!reader)
    return reader.takeError();
  std::string text = fmt::format("{:>8}  {:<10} {:>13} {:>10} {:>12}  {:<20} {}\n", "dispatch", "card", "grid", "block",
                                 "bytes", "ended with", "kernel");
  llvm::Error errors = llvm::Error::success();
  for (const uint64_t number : (*reader)->numbers()) {
    auto d = (*reader)->dispatch(number);
    if (!d) {
      errors = llvm::joinErrors(std::move(errors), d.takeError());
      continue;
    }
    const auto& p = d->packet;
    text +=
        fmt::format("{:>8}  {:<10} {:>13} {:>10} {:>12}  {:<20} {} (launch {})\n", number, d->card,
                    size_text(p.grid_size), size_text({p.workgroup_size[0], p.workgroup_size[1], p.workgroup_size[2]}),
                    d->bytes(), how_it_ended(*d), codeobject::demangle(d->kernel), d->launch);
  }
  print(findings::plain_lines(text));
  if (errors)
    return std::move(errors);
  return Exit::ok;
}

std::string bytes_text(uint64_t bytes) { return fmt::format("{} byte{}", bytes, bytes == 1 ? "" : "s"); }

llvm::Expected<Exit> shrink(const Job& job, const std::string& folder) {
  Interrupt interrupt;
  launch::Observer observer;
  observer.runs_begin = [&interrupt](launch::Stop& stop) { interrupt.begin(stop); };
  observer.runs_end = [&interrupt] { interrupt.end(); };
  auto shrunk = launch::shrink(job, folder, observer);
  if (!shrunk && interrupt.signal()) {
    llvm::consumeError(shrunk.takeError());
    return static_cast<Exit>(128 + interrupt.signal()); // as a shell says it
  }
  if (!shrunk)
    return shrunk.takeError();
  print(fmt::format("{}\nstill shown by {} of {} workgroups, and {} of {} that are not zero, found in {} runs\n",
                    shrunk->symptom, shrunk->workgroups, shrunk->of_workgroups, shrunk->bytes,
                    bytes_text(shrunk->of_bytes), shrunk->runs));
  return Exit::ok;
}

struct ReplayOptions {
  LaunchOptions launch;
  bool list = false;
  std::string shrink;
  bool all = false, mpi = false, resume = false;
  uint64_t ranges = 0;
  std::string journal;
  bool many() const { return all || mpi; }
};

// A line on the terminal, in place of the last one.
void show(const fleet::Progress& p) {
  std::string text = fmt::format("\r\x1b[Kcrosslane: {} of {} replays", p.done, p.items);
  if (p.ranks > 1)
    text += fmt::format(", {} of {} ranks", p.heard, p.ranks);
  if (const uint64_t made = p.done - p.resumed; made && p.done < p.items)
    text += fmt::format(", {:.0f} s to go", p.seconds / double(made) * double(p.items - p.done));
  std::fwrite(text.data(), 1, text.size(), stderr);
}

llvm::Expected<Exit> lead(launch::Replays& replays, const Job& job, const ReplayOptions& options,
                          fleet::Transport* transport, std::vector<int>& silent) {
  const bool first = !transport || transport->rank() == 0;
  std::unique_ptr<fleet::Journal> journal;
  if (first && !options.journal.empty()) {
    auto opened = fleet::Journal::open(options.journal, replays.name(), options.resume);
    if (!opened)
      return opened.takeError();
    journal = std::move(*opened);
  }
  const bool terminal = first && isatty(STDERR_FILENO);
  auto outcome = fleet::run({replays.count(), [&](uint64_t item) { return replays.run(item); }},
                            {.transport = transport,
                             .journal = journal.get(),
                             .progress = terminal ? show : std::function<void(const fleet::Progress&)>()});
  if (!outcome)
    return outcome.takeError();
  if (!outcome->leader)
    return Exit::ok;
  silent = outcome->silent;
  if (terminal)
    std::fputs("\r\x1b[K", stderr);
  for (const int rank : silent)
    warn(fmt::format("rank {} did not say that it ends: it may have died; what it had was done by others", rank));
  auto summary = launch::Replays::summary(replays.join(std::move(outcome->results)));
  if (!summary)
    return summary.takeError();
  if (job.profile.json == "-")
    leave_standard_output();
  if (!job.profile.json.empty())
    if (auto error = files::write(job.profile.json, summary->document))
      return std::move(error);
  print(findings::plain_lines(summary->text));
  return summary->failed                           ? Exit::bad
         : summary->faults                         ? Exit::fault
         : summary->timeouts                       ? Exit::timeout
         : summary->different                      ? Exit::wrong
         : summary->findings && job.checked.status ? static_cast<Exit>(job.checked.status)
         : summary->findings                       ? Exit::wrong
                                                   : Exit::ok;
}

llvm::Expected<Exit> run_all(const Job& job, const ReplayOptions& options, fleet::Transport* transport,
                             std::vector<int>& silent) {
  auto replays = launch::Replays::create(job, options.ranges);
  if (!replays)
    return replays.takeError();
  return lead(*replays, job, options, transport, silent);
}

// By all ranks, each of which ends here: a thread of it may still be at work with what another rank did first.
llvm::Expected<Exit> run_by_mpi(Job job, const ReplayOptions& options) {
  auto transport = fleet::open_mpi();
  if (!transport)
    return transport.takeError();
  fleet::Transport& mpi = **transport;
  if (!job.threads) // the ranks of a machine share its cores
    job.threads = std::max(1u, std::thread::hardware_concurrency() / static_cast<unsigned>(mpi.neighbours()));
  std::vector<int> silent;
  auto exit = run_all(job, options, &mpi, silent);
  int status = exit ? *exit : Exit::bad;
  const auto failed = [&](llvm::Error error) {
    const std::string who = mpi.rank() ? fmt::format("rank {}: ", mpi.rank()) : "";
    complain(who + llvm::toString(std::move(error)));
    status = Exit::bad;
  };
  if (!exit) {
    failed(exit.takeError());
    fleet::dismiss(mpi);
  }
  if (auto error = finish_printing())
    failed(std::move(error));
  std::fflush(stderr);
  mpi.end(silent.empty(), status);
  std::_Exit(status);
}

llvm::Expected<Exit> run(const ReplayOptions& options) {
  auto job = options.launch.job();
  if (!job)
    return job.takeError();
  if (options.list && !options.shrink.empty())
    return fail("--list and --shrink: ask for one of the two");
  if (options.many() && (options.list || !options.shrink.empty()))
    return fail("--all and {}: ask for one of the two", options.list ? "--list" : "--shrink");
  if (!options.many() && (options.resume || !options.journal.empty()))
    return fail("{} is of many replays: --all or --mpi", options.resume ? "--resume" : "--journal");
  if (!options.many() && options.ranges)
    return fail("--ranges is of many replays: --all or --mpi, with --dispatch N if it is one");
  if (options.resume && options.journal.empty())
    return fail("--resume needs --journal FILE, which it goes on with");
  std::vector<int> silent;
  return options.list              ? list(job->capture)
         : !options.shrink.empty() ? shrink(*job, options.shrink)
         : options.mpi             ? run_by_mpi(std::move(*job), options)
         : options.all             ? run_all(*job, options, nullptr, silent)
                                   : run_job(*job);
}

constexpr const char* footer =
    R"(A capture is made by 'crosslane run --capture FOLDER -- program'. Its dispatches run again as they were, to the bit: the
same code, arguments and memory at the same addresses, on any machine; docs/capturing.md says what is kept, and what is not.

Exit status: 0 ok, with --expect: as captured, a fault too; 1 not as captured, or findings (--check); 2 bad usage or capture;
3 GPU fault, 124 time limit over (--timeout), 128 + N stopped by signal N.

Examples:
  crosslane run --capture captured -- ./vector_add
  crosslane replay captured --list
  crosslane replay captured --dispatch 0 --expect
  crosslane replay captured --dispatch 0 --check
  crosslane replay captured --dispatch 0 --profile memory --html memory.html
  crosslane replay captured --dispatch 0 --time --gpu vega56
  crosslane replay captured --all --expect
  crosslane replay captured --all --time --gpu all --json times.json
  mpirun -n 4 crosslane replay captured --mpi --check --journal checked.journal
  mpirun -n 4 crosslane replay captured --dispatch 0 --mpi --ranges 64 --expect
  CROSSLANE_JIT=verify crosslane replay captured)";

} // namespace

Run add_replay(CLI::App& app) {
  auto options = std::make_shared<ReplayOptions>();
  options->launch.add_replay_to(app);
  app.add_flag("--list", options->list, "what has been captured: a line for each dispatch");
  app.add_option(
         "--shrink", options->shrink,
         "write a new capture of the fewest workgroups and bytes that still show the fault, or the first finding "
         "of --check")
      ->type_name("FOLDER");
  app.add_flag("--all", options->all,
               "replay all dispatches and tell of them in a table; with --time, on each card of --gpu A,B,... or --gpu "
               "all; --json FILE writes everything that is known");
  app.add_flag("--mpi", options->mpi, "the same by all processes that mpirun or srun has started (docs/fleet.md)");
  app.add_option("--ranges", options->ranges,
                 "--all, --mpi: cut each dispatch in so many ranges of workgroups, which run apart from each other; if "
                 "one depends on another, that is told instead of a result; with --time by a stretch of each range")
      ->check(CLI::Range(1, 1000000))
      ->type_name("N");
  app.add_option("--journal", options->journal, "--all, --mpi: keep what is finished in this file")->type_name("FILE");
  app.add_flag("--resume", options->resume, "--journal: go on where an earlier run was cut off");
  app.footer(footer);
  return [options] { return run(*options); };
}

} // namespace crosslane::cli
