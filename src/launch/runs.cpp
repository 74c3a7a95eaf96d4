// A collector with one kernel.
#include "launch/runs.h"
#include "check/checks.h"
#include "events/several.h"
#include "files/error.h"
#include "jit/jit.h"
#include "machine/diagnostic.h"
#include "profile/process.h"
#include "profile/stopped.h"
#include "profile/trace_search.h"
#include "profile/watchdog.h"
#include "report/summary.h"
#include <algorithm>

namespace crosslane::launch {

namespace {

// While it lives, the launch can be stopped.
class Stoppable {
public:
  Stoppable(const Observer& observer, Stop& stop) : observer_(observer) {
    if (observer_.runs_begin)
      observer_.runs_begin(stop);
  }
  ~Stoppable() {
    if (observer_.runs_end)
      observer_.runs_end();
  }
  Stoppable(const Stoppable&) = delete;
  Stoppable& operator=(const Stoppable&) = delete;

private:
  const Observer& observer_;
};

double least(double a, double b) { return a > 0 ? std::min(a, b) : b; }

} // namespace

llvm::Expected<profile::Options> profile_options(const Job& job) {
  profile::Texts texts = job.profile;
  // Fidelity and time alone have a JSON document of their own.
  if ((job.fidelity || job.time) && texts.views.empty() && texts.csv.empty() && texts.html.empty() &&
      texts.trace.empty())
    texts.json.clear();
  auto options = profile::parse(texts, job.wording == Wording::keys ? profile::key_names : profile::option_names);
  if (!options)
    return options;
  if (!options->any() && job.overhead)
    return fail("{} needs {}: it compares a run with and without the views", option(job.wording, "overhead"),
                option(job.wording, "profile"));
  if (options->probes && (job.overhead || !job.counters.empty()))
    return fail("{} and {}: ask for one of the two", option(job.wording, "instrument"),
                option(job.wording, job.overhead ? "overhead" : "counters"));
  if (options->any() && options->launches.first >= job.runs)
    return fail("{}: there {} {} launch{}, counted from 0; {} makes more",
                option(job.wording, "launch", texts.launches), job.runs == 1 ? "is" : "are", job.runs,
                job.runs == 1 ? "" : "es", option(job.wording, "runs"));
  return options;
}

llvm::Expected<std::unique_ptr<Runs>> Runs::create(const Job& job, const profile::Options& options,
                                                   const Observer& observer, Session& session,
                                                   const codeobject::Kernel& kernel, const rewrite::Probed* probed,
                                                   const profile::SourceTexts& texts) {
  std::unique_ptr<Runs> runs(new Runs(job, observer, session, kernel, probed));
  if (probed)
    runs->original_ = {probed->original.get(), session.image().base, session.image().target};
  if (observer.progress)
    runs->progress_ = std::make_unique<profile::Progress>(observer.progress);
  else if (observer.advanced)
    runs->progress_ = std::make_unique<profile::Progress>(observer.advanced);
  if (!options.any())
    return runs;
  if (options.trace) // rather found out now than by an empty trace
    if (const std::string instead = profile::lacks_wave(*options.trace, session.packet()); !instead.empty())
      return fail("{}: the launch {}", option(job.wording, "trace_wave", job.profile.trace), instead);
  runs->options_ = options;
  runs->output_ = std::make_unique<profile::Output>(options, /*shared=*/false);
  runs->collector_ = std::make_unique<profile::Collector>(options, profile::command_line(), profile::current_folder());
  runs->collector_->set_source_texts(texts);
  runs->collector_->set_buffers([&session](uint64_t address) { return session.buffer_at(address); });
  return runs;
}

llvm::Error Runs::run(events::Listener* also, events::Pace* pace, Result& result) {
  const Stoppable stoppable(observer_, stop_);
  engine::Options options = session_.options();
  options.threads = job_.threads;
  options.pace = pace;
  options.reach = job_.host_memory ? machine::everything : machine::device_reach();
  options.compiler = jit::compiler();
  if (job_.poison)
    options.poison = job_.poison;
  if (!job_.bounds.empty())
    options.lds_faults = job_.bounds != "card";
  options.register_faults = true;
  for (unsigned i = 0; i < job_.runs; ++i) {
    if (i > 0)
      if (auto error = session_.reset())
        return error;
    auto outcome = run_one(options, also);
    take_printed(result);
    if (!outcome)
      return outcome.takeError();
    result.outcome = std::move(*outcome);
    result.end = end(result.outcome);
    const auto texts = session_.overwritten(); // each is told once, and must not be the next launch's
    if (result.end != End::complete) {
      result.why = why(result.outcome);
      break;
    }
    if (!texts.empty() && !told_of_bounds()) {
      result.end = End::fault;
      result.why = fmt::format("memory fault: the kernel wrote {}, within what sizes are rounded up to\n  see where: "
                               "{}\n  kernel {}",
                               fmt::join(texts, "; "), option(job_.wording, "check", "memory"),
                               codeobject::demangle(kernel_.name));
      break;
    }
    const double seconds = result.outcome.stats.seconds;
    result.best = least(result.best, seconds), result.sum += seconds;
  }
  return llvm::Error::success();
}

// Somebody says more of accesses to what sizes are rounded up to, or they are wanted.
bool Runs::told_of_bounds() const {
  const auto checks = check::wanted_of(job_.check);
  return job_.bounds == "card" || (checks && checks->memory);
}

void Runs::take_printed(Result& result) {
  const toolchain::Printed printed = session_.take_printed();
  result.printed += printed.text;
  if (printed.full && observer_.note)
    observer_.note(fmt::format("warning: kernel '{}' prints more than the {} MiB that a run has room for",
                               codeobject::demangle(kernel_.name), toolchain::printf_buffer_bytes >> 20));
}

llvm::Expected<engine::Outcome> Runs::run_one(engine::Options options, events::Listener* also) {
  const engine::AqlPacket& packet = session_.packet();
  auto dispatch = collector_ ? collector_->begin(loaded(), packet) : nullptr;
  if (!dispatch || probed_) {
    options.listener = also;
    auto outcome = run_once(options);
    if (dispatch) {
      interrupt(outcome);
      collector_->end(std::move(dispatch), packet, outcome.stats, session_.records());
    }
    return outcome;
  }
  if (job_.overhead)
    if (auto error = run_plain(options))
      return error;
  events::Several both;
  both.add(dispatch->listener());
  if (also)
    both.add(*also);
  options.listener = also ? &both : &dispatch->listener();
  auto outcome = run_once(options);
  overhead_.profiled_seconds = least(overhead_.profiled_seconds, outcome.stats.seconds);
  interrupt(outcome);
  collector_->end(std::move(dispatch), packet, outcome.stats);
  return outcome;
}

void Runs::interrupt(const engine::Outcome& outcome) {
  if (outcome.fault)
    collector_->interrupt(outcome.fault->kind == machine::FaultKind::cancelled ? stop_.text()
                                                                               : machine::describe(*outcome.fault));
}

// As a profile knows it: without probes.
profile::LoadedKernel Runs::loaded() const {
  if (!probed_)
    return {.image = &session_.image(), .kernel = &kernel_};
  return {.image = &original_,
          .kernel = probed_->original->find_kernel(kernel_.name),
          .plan = probed_->find(kernel_.name),
          .no_probes = probed_->why_not(kernel_.name)};
}

// The run that is to be profiled, without the views.
llvm::Error Runs::run_plain(engine::Options options) {
  options.pace = nullptr;
  const int runs = overhead_.plain_seconds > 0 ? 1 : 2; // the first one also touches memory and decodes
  for (int i = 0; i < runs; ++i) {
    const auto outcome = run_once(options);
    session_.take_printed(); // the profiled run prints the same
    overhead_.plain_seconds = least(overhead_.plain_seconds, outcome.stats.seconds);
    if (auto error = session_.reset())
      return error;
    if (outcome.fault) // the profiled run will tell
      break;
  }
  return llvm::Error::success();
}

engine::Outcome Runs::run_once(engine::Options options) {
  options.cancel = &stop_.flag();
  if (progress_)
    options.progress = progress_->begin(kernel_.name, profile::workgroup_count(session_.packet()));
  engine::Outcome outcome;
  {
    const profile::Watchdog limit(job_.timeout, [this] { stop_.expire(); });
    outcome = session_.run(options);
  }
  if (progress_) {
    progress_->end(options.progress);
    progress_->erase(); // others write now
  }
  if (observer_.note)
    for (const std::string& text : session_.let_through())
      observer_.note(text);
  return outcome;
}

End Runs::end(const engine::Outcome& outcome) const {
  if (stop_.requested())
    return End::stopped;
  if (!outcome.fault)
    return End::complete; // though the time may have been over just then
  switch (outcome.fault->kind) {
  case machine::FaultKind::cancelled: return End::timeout;
  case machine::FaultKind::bad_dispatch: return End::refused;
  default: return End::fault;
  }
}

std::string Runs::why(const engine::Outcome& outcome) const {
  if (!outcome.fault)
    return stop_.text();
  const std::string places = profile::describe(outcome.census, session_.image(), kernel_.name);
  if (outcome.fault->kind == machine::FaultKind::cancelled)
    return stop_.text() + ": " + places;
  std::string text = machine::describe(*outcome.fault);
  if (outcome.fault->kind == machine::FaultKind::deadlock)
    text += "\n" + places;
  if (const std::string last = machine::diagnostic(*outcome.fault); !last.empty())
    text += "\n" + last;
  return text;
}

llvm::Error Runs::write(const std::string& more, Result& result, const findings::Modelled* modelled) {
  if (job_.overhead)
    collector_->set_overhead(overhead_);
  result.profile = collector_->profile();
  if (modelled && result.profile->kernels.size() == 1)
    findings::add_modelled(result.profile->kernels.front(), result.profile->views, *modelled);
  result.summary = report::summary(*result.profile, options_.by);
  auto error = output_->write(*result.profile, more);
  if (!error)
    result.written = output_->written();
  return error;
}

} // namespace crosslane::launch
