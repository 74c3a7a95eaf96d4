// A collector with one kernel.
#include "cli/launch_profile.h"
#include "events/several.h"
#include "files/error.h"
#include "profile/process.h"
#include "profile/stopped.h"
#include "profile/trace_search.h"
#include "profile/watchdog.h"
#include "report/summary.h"
#include <algorithm>
#include <cstdio>
#include <unistd.h>

namespace crosslane::cli {

namespace {

void write_to_stderr(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

} // namespace

llvm::Expected<profile::Options> profile_options(const Job& job) {
  profile::Texts texts = job.profile;
  // The fidelity alone has a JSON document of its own.
  if (job.fidelity && texts.views.empty() && texts.csv.empty() && texts.html.empty() && texts.trace.empty())
    texts.json.clear();
  auto options = profile::parse(texts);
  if (!options)
    return options;
  if (!options->any() && job.overhead)
    return fail("--overhead needs --profile: it compares a run with and without the views");
  if (options->any() && options->launches.first >= job.runs)
    return fail("--launch {}: there {} {} launch{}, counted from 0; --runs makes more", texts.launches,
                job.runs == 1 ? "is" : "are", job.runs, job.runs == 1 ? "" : "es");
  return options;
}

llvm::Expected<std::unique_ptr<LaunchProfile>> LaunchProfile::create(const Job& job, const profile::Options& options,
                                                                     Session& session,
                                                                     const codeobject::Kernel& kernel) {
  std::unique_ptr<LaunchProfile> profile(new LaunchProfile(session, kernel, job.timeout));
  if (isatty(STDERR_FILENO))
    profile->progress_ = std::make_unique<profile::Progress>(write_to_stderr);
  if (!options.any())
    return profile;
  if (options.trace) // rather found out now than by an empty trace
    if (const std::string instead = profile::lacks_wave(*options.trace, session.packet()); !instead.empty())
      return fail("--trace-wave {}: the launch {}", job.profile.trace, instead);
  profile->options_ = options;
  profile->measures_overhead_ = job.overhead;
  profile->output_ = std::make_unique<profile::Output>(options, /*shared=*/false);
  profile->collector_ =
      std::make_unique<profile::Collector>(options, profile::command_line(), profile::current_folder());
  profile->collector_->set_buffers([&session](uint64_t address) { return session.buffer_at(address); });
  return profile;
}

engine::Outcome LaunchProfile::run_once(engine::Options options) {
  options.cancel = &interrupt_->flag();
  if (progress_)
    options.progress = progress_->begin(kernel_.name, profile::workgroup_count(session_.packet()));
  engine::Outcome outcome;
  {
    const profile::Watchdog limit(timeout_, [this] { interrupt_->expire(); });
    outcome = session_.run(options);
  }
  if (progress_) {
    progress_->end(options.progress);
    progress_->erase(); // others write now
  }
  return outcome;
}

// The run that is to be profiled, without the views.
llvm::Error LaunchProfile::run_plain(const engine::Options& options) {
  const int runs = overhead_.plain_seconds > 0 ? 1 : 2; // the first one also touches memory and decodes
  for (int i = 0; i < runs; ++i) {
    const auto outcome = run_once(options);
    const double seconds = outcome.stats.seconds;
    overhead_.plain_seconds = overhead_.plain_seconds > 0 ? std::min(overhead_.plain_seconds, seconds) : seconds;
    if (auto error = session_.reset())
      return error;
    if (outcome.fault) // the profiled run will tell
      break;
  }
  return llvm::Error::success();
}

llvm::Expected<engine::Outcome> LaunchProfile::run(engine::Options options, events::Listener* also) {
  const engine::AqlPacket& packet = session_.packet();
  auto dispatch = collector_ ? collector_->begin({.image = &session_.image(), .kernel = &kernel_}, packet) : nullptr;
  if (!dispatch) {
    options.listener = also;
    return run_once(options);
  }
  if (measures_overhead_)
    if (auto error = run_plain(options))
      return error;
  events::Several both;
  both.add(dispatch->listener());
  if (also)
    both.add(*also);
  options.listener = also ? &both : &dispatch->listener();
  auto outcome = run_once(options);
  const double seconds = outcome.stats.seconds;
  overhead_.profiled_seconds = overhead_.profiled_seconds > 0 ? std::min(overhead_.profiled_seconds, seconds) : seconds;
  if (outcome.fault)
    collector_->interrupt(outcome.fault->kind == machine::FaultKind::cancelled ? interrupt_->text()
                                                                               : machine::describe(*outcome.fault));
  collector_->end(std::move(dispatch), packet, outcome.stats);
  return outcome;
}

Exit LaunchProfile::exit(const engine::Outcome& outcome) const {
  if (const int signal = interrupt_->signal())
    return static_cast<Exit>(128 + signal); // as a shell says it
  if (!outcome.fault)
    return Exit::ok; // though the time may have been over just then
  switch (outcome.fault->kind) {
  case machine::FaultKind::cancelled: return Exit::timeout;
  case machine::FaultKind::bad_dispatch: // nothing has run
    return Exit::bad;
  default: return Exit::fault;
  }
}

std::string LaunchProfile::why(const engine::Outcome& outcome) const {
  if (!outcome.fault)
    return interrupt_->text();
  const std::string places = profile::describe(outcome.census, session_.image(), kernel_.name);
  switch (outcome.fault->kind) {
  case machine::FaultKind::cancelled: return interrupt_->text() + ": " + places;
  case machine::FaultKind::deadlock: return machine::describe(*outcome.fault) + "\n" + places;
  default: return machine::describe(*outcome.fault);
  }
}

llvm::Error LaunchProfile::write(const std::string& more) {
  if (measures_overhead_)
    collector_->set_overhead(overhead_);
  const findings::Profile profile = collector_->profile();
  summary_ = report::summary(profile, options_.by);
  auto error = output_->write(profile, more);
  if (const std::string written = output_->written(); !error && !written.empty())
    write_to_stderr("crosslane: " + written + "\n");
  return error;
}

} // namespace crosslane::cli
