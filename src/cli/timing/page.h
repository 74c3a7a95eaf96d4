// Owns estimates as a profile of code that did not run, for the page of the HTML report: cycles beside source and
// disassembly, and the loops.
#pragma once
#include "cli/timing/report.h"
#include "findings/profile.h"
#include "profile/sources.h"

namespace crosslane::cli {

class TimingPage {
public:
  TimingPage();
  void add(const TimingKernel&);
  bool empty() const { return profile_.kernels.empty(); }
  std::string html();

private:
  findings::Profile profile_;
  profile::Sources sources_;
  std::string about_; // what all of it was estimated for
};

} // namespace crosslane::cli
