// Owns what a job does with its buffers and files, all of it found out before anything runs, rather than after a long
// run: buffers by index instead of by name, expectations as values, every name of a file that is read or written.
#pragma once
#include "files/collisions.h"
#include "launch/arguments.h"
#include "launch/job.h"
#include "launch/result.h"

namespace crosslane::launch {

struct Wanted {
  struct Out {
    std::string path;
    int buffer;
  };
  struct Expect {
    std::string name;
    int buffer;
    Buffer value;
  };
  std::vector<Result::Print> prints;
  std::vector<Out> outs;
  std::vector<Expect> expects;
};

// The error says which option names what is not there, or what cannot be compared.
llvm::Expected<Wanted> resolve(const Job&, const Arguments&, const Signature&);

// All that a launch writes, each found to have a place.
llvm::Expected<std::vector<files::Use>> outputs_of(const Job&);
// All that it reads.
std::vector<files::Use> inputs_of(const Job&, const Arguments&, const Wanted&);

} // namespace crosslane::launch
