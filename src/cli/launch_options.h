// Owns the options of `crosslane launch` and `crosslane replay`, and how they are laid over a launch description: what
// the command line gives wins, whatever its value, lists are joined. An option is remembered as what it does to the
// job, so that none can be forgotten.
#pragma once
#include "launch/job.h"
#include <CLI/CLI.hpp>
#include <functional>

namespace crosslane::cli {

using launch::Job;
using launch::Sizes;

class LaunchOptions {
public:
  // This object must outlive the parsing.
  void add_to(CLI::App& app);
  void add_replay_to(CLI::App& app); // instead: of a captured dispatch
  // After parsing: the launch as a whole.
  llvm::Expected<Job> job() const;

  const std::string& file() const { return own_.file; } // as given: a kernel or a description

private:
  void add_run_options(CLI::App& app); // how it runs, and what is watched
  // `place`: a member of Job, or a function that gives one: where the value belongs.
  template <class Place> CLI::Option* option(CLI::App& app, const char* name, Place place, const char* what);
  template <class Place> void flag(CLI::App& app, const char* name, Place place, const char* what);
  CLI::Option* sizes(CLI::App& app, const char* name, Sizes Job::* place, const char* what);

  Job own_; // the file and the lists
  std::vector<std::string> named_;
  bool grid_ = false; // --grid or --groups was given: both replace both
  std::vector<std::function<llvm::Error(Job&)>> given_;
};

} // namespace crosslane::cli
