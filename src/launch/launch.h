// Owns launching one kernel with its arguments and files: what `crosslane launch` is but for its options and what it
// prints. The job says everything in words, and its files are read and written here.
#pragma once
#include "launch/arguments.h"
#include "launch/captured.h"
#include "launch/job.h"
#include "launch/loaded_code.h"
#include "launch/observer.h"
#include "launch/result.h"
#include "profile/sources.h"

namespace crosslane::launch {

// What a program has before it launches: code that is loaded, whose kernel runs in place of the job's, and arguments in
// place of its words.
struct Prepared {
  std::shared_ptr<Device> device;
  std::shared_ptr<LoadedCode> code;
  const codeobject::Kernel* kernel; // of the code
  SetArguments arguments;
  profile::SourceTexts texts; // of the code, where it is of no file
};

// Of launches of one captured dispatch, one after the other: its memory is where it was, as before it.
struct PlacedDispatch {
  std::shared_ptr<Device> device;
  std::shared_ptr<Captured> captured; // Job::dispatch of Job::capture
};

// Blocks until the last run has ended. The error says what is wrong with the job, before anything has run; a kernel
// that faults or is stopped is a result. With Job::sandbox this process keeps no right but to compute, for good.
llvm::Expected<Result> launch(const Job&, const Observer& = {}, const Prepared* = nullptr,
                              const PlacedDispatch* = nullptr);

} // namespace crosslane::launch
