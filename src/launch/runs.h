// Owns the runs of a launch: one after the other from the same start, profiled if the job asks for it, with the line
// that tells how far a long one is, the time limit, and what a run that faulted or was stopped has to say.
#pragma once
#include "findings/modelled.h"
#include "launch/job.h"
#include "launch/observer.h"
#include "launch/result.h"
#include "launch/session.h"
#include "profile/collector.h"
#include "profile/output.h"
#include "profile/progress.h"

namespace crosslane::launch {

// What the job asks for, as far as it can be judged before anything is compiled.
llvm::Expected<profile::Options> profile_options(const Job&);

class Runs {
public:
  // The error says what cannot be had of this launch. All that is given must outlive the runs.
  static llvm::Expected<std::unique_ptr<Runs>> create(const Job&, const profile::Options&, const Observer&, Session&,
                                                      const codeobject::Kernel&, const rewrite::Probed* = nullptr,
                                                      const profile::SourceTexts& = {});

  // All of them; ends at the first that is not complete. `also`: hears of everything; may be null.
  // `pace`: Options::pace.
  llvm::Error run(events::Listener* also, events::Pace* pace, Result&);
  bool profiled() const { return collector_ != nullptr; }
  // Takes the profile and writes its files. `more`: members for the JSON document, "\"key\":value", or empty.
  llvm::Error write(const std::string& more, Result&, const findings::Modelled* modelled = nullptr);

private:
  Runs(const Job& job, const Observer& observer, Session& session, const codeobject::Kernel& kernel,
       const rewrite::Probed* probed)
      : job_(job), observer_(observer), session_(session), kernel_(kernel), probed_(probed) {}
  profile::LoadedKernel loaded() const;
  bool told_of_bounds() const;
  void take_printed(Result& result);
  llvm::Expected<engine::Outcome> run_one(engine::Options options, events::Listener* also);
  engine::Outcome run_once(engine::Options options);
  llvm::Error run_plain(engine::Options options);
  End end(const engine::Outcome&) const;
  std::string why(const engine::Outcome&) const;
  void interrupt(const engine::Outcome&); // the profile, if it is one

  const Job& job_;
  const Observer& observer_;
  Session& session_;
  const codeobject::Kernel& kernel_;
  const rewrite::Probed* probed_; // null: nobody asked for probes
  views::Image original_;         // its image, where the session's is
  profile::Options options_;
  findings::Overhead overhead_; // the best of all runs
  std::unique_ptr<profile::Progress> progress_;
  Stop stop_;
  std::unique_ptr<profile::Collector> collector_;
  std::unique_ptr<profile::Output> output_;
};

} // namespace crosslane::launch
