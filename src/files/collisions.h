// Owns the rule that nothing of a user's is overwritten by the way: no output over an input of the same run, no two
// outputs into one file, none into the file that standard output or standard error already goes to. Links have no
// second name.
#pragma once
#include <llvm/Support/Error.h>
#include <span>
#include <string>

namespace crosslane::files {

struct Use {
  std::string name; // as files/place.h takes it
  std::string what; // as the user knows it: "--out c", "the kernel"
};

// What the outputs must not be. The error names both.
llvm::Error refuse_collisions(std::span<const Use> inputs, std::span<const Use> outputs);

// Does one of them go to standard output? It is alone there then.
bool uses_standard_output(std::span<const Use> outputs);

} // namespace crosslane::files
