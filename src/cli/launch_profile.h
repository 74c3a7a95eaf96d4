// Owns what `crosslane launch` does around its runs for who wants to know about them: the profile and its reports, the
// line that tells how far a long run is, and what a run that faulted or was stopped (Ctrl-C, --timeout) has to say.
#pragma once
#include "cli/exit.h"
#include "cli/interrupt.h"
#include "cli/job.h"
#include "cli/session.h"
#include "profile/collector.h"
#include "profile/output.h"
#include "profile/progress.h"

namespace crosslane::cli {

// What the job asks for, as far as it can be judged before anything is compiled.
llvm::Expected<profile::Options> profile_options(const Job&);

class LaunchProfile {
public:
  // The error says what cannot be had of this launch.
  static llvm::Expected<std::unique_ptr<LaunchProfile>> create(const Job&, const profile::Options&, Session&,
                                                               const codeobject::Kernel&);

  bool wanted() const { return collector_ != nullptr; }
  // One run, profiled if it is among those asked for. `also`: hears of all of it; may be null.
  llvm::Expected<engine::Outcome> run(engine::Options options, events::Listener* also);
  // How a run ended, and if it is not Exit::ok, why: the fault, or what stopped it, and where its waves were.
  Exit exit(const engine::Outcome&) const;
  std::string why(const engine::Outcome&) const;
  // After the last run: what takes long now may be interrupted like anything else.
  void end_of_runs() { interrupt_.reset(); }
  // Writes the files. `more`: members for the JSON document, "\"key\":value", or empty.
  llvm::Error write(const std::string& more);
  const std::string& summary() const { return summary_; } // after write(): the same as text

private:
  LaunchProfile(Session& session, const codeobject::Kernel& kernel, double timeout)
      : session_(session), kernel_(kernel), timeout_(timeout) {}
  engine::Outcome run_once(engine::Options options);
  llvm::Error run_plain(const engine::Options& options);

  Session& session_;
  const codeobject::Kernel& kernel_;
  double timeout_; // seconds of a run; 0: no limit
  profile::Options options_;
  bool measures_overhead_ = false;
  findings::Overhead overhead_; // the best of all runs
  std::unique_ptr<profile::Progress> progress_;
  std::unique_ptr<Interrupt> interrupt_ = std::make_unique<Interrupt>();
  std::unique_ptr<profile::Collector> collector_;
  std::unique_ptr<profile::Output> output_;
  std::string summary_;
};

} // namespace crosslane::cli
