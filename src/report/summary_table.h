// Owns the tables of the terminal summary: hottest source lines, instructions, or kernels. Not for users of the layer.
#pragma once
#include "findings/profile.h"
#include <span>
#include <string>
#include <vector>

namespace crosslane::report {

// How things are called in one profile, short but distinct.
struct Names {
  explicit Names(const findings::Profile&);
  std::vector<std::string> files;                   // by index in Profile::sources
  std::vector<std::string> kernels;                 // by index in Profile::kernels
  std::string place(const findings::Place&) const;  // "transpose.hip:14"; empty if it is not known
  std::string source(const findings::Place&) const; // the text of that line
private:
  const findings::Profile* profile_;
};

// The hottest lines of a kernel (or its instructions, which is all there is without line tables).
std::string instruction_table(const findings::KernelProfile&, const Names&, bool by_instruction, unsigned width);
// `order`: kernels, the one with most work first.
std::string kernel_table(const findings::Profile&, const Names&, std::span<const size_t> order, unsigned width);

} // namespace crosslane::report
