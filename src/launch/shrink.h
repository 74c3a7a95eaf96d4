// Owns making a captured dispatch smaller while it still shows its mistake: fewer workgroups first, then less memory
// that is not zero. By trying (delta debugging): each step is a run.
#pragma once
#include "launch/captured.h"
#include "launch/job.h"
#include "launch/observer.h"

namespace crosslane::launch {

struct Shrunk {
  std::string symptom; // what it still shows
  uint64_t workgroups = 0, of_workgroups = 0;
  uint64_t bytes = 0, of_bytes = 0; // not zero, in units of the last step
  unsigned runs = 0;
};

// Job::capture and what is to be watched; writes a capture of one dispatch to `folder`, which must be new. An error if
// the dispatch shows nothing: no fault, and no finding of the checks that are asked for.
llvm::Expected<Shrunk> shrink(const Job&, const std::string& folder, const Observer&);

} // namespace crosslane::launch
