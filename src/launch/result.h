// Owns what is known of a launch after it: how it ended and why, what the buffers hold, how they compare with what was
// expected, and what was measured.
#pragma once
#include "check/telling.h"
#include "engine/dispatch.h"
#include "findings/profile.h"
#include "launch/compare.h"
#include "launch/footprint.h"
#include "lint/placed.h"
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace crosslane::launch {

struct Ready;

enum class End : uint8_t {
  complete,
  fault,   // of the kernel
  refused, // it cannot be dispatched: nothing has run
  timeout, // Job::timeout
  stopped, // Stop::request()
};

struct Result {
  End end = End::complete;
  std::string why;          // unless complete: the fault, or what stopped the run, and where its waves were
  engine::Outcome outcome;  // of the last run
  double best = 0, sum = 0; // seconds of the complete runs

  std::string printed; // by the kernel's printf(), in all runs

  // Of Job::expect, in its order; nothing unless complete. Of Job::expect_captured; also of a fault.
  std::vector<Comparison> comparisons;
  // Of Job::print, in its order: a buffer, and how many of its elements.
  struct Print {
    std::string buffer;
    uint64_t count;
  };
  std::vector<Print> prints;

  std::optional<findings::Profile> profile;    // if Job::profile asks for any
  std::string summary;                         // the same as text, from where Job::profile wants to see it
  std::optional<lint::Judged> judged;          // what Job::check found, but for what is suppressed
  std::optional<check::Telling::Told> checked; // the same as texts
  std::optional<Footprint> footprint;          // if Job::footprint asks for it
  std::string fidelity;                        // as text, if Job::fidelity asks for it
  std::string timing;                          // as text, if Job::time asks for it
  std::string counters;                        // as text, if Job::counters asks for it
  std::string counters_document;               // the same as JSON
  // What JSON documents have beside the profile, as "\"timing\":{...}" with commas between; may be empty.
  std::string members;

  std::string written;          // "wrote 'p.json' and 'p.html'": reports, for a person; empty: none
  std::string unwritten;        // which files could not be written and why, a line each; empty: all could
  bool standard_output = false; // a file of the job went there, which is its alone then

  // What a buffer holds now, by the name of its parameter, or "argN"; the error lists the buffers.
  llvm::Expected<Buffer> buffer(std::string_view name) const;

  std::shared_ptr<const Ready> ready; // that ran
};

} // namespace crosslane::launch
