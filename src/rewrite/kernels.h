// Owns which kernels of a code object can be copied, with all the code that their waves may run, and why others cannot.
#pragma once
#include "lint/subject.h"
#include <string>
#include <vector>

namespace crosslane::rewrite {

struct CopiedKernel {
  const codeobject::Kernel* kernel = nullptr;
  uint32_t function = analysis::none;    // in Graph::functions
  std::vector<analysis::BlockId> blocks; // that its waves may run, functions it calls included; by address
  // Calls and jumps through pointers: what they lead to is not copied, and runs as it was. Jumps may be returns, to
  // wherever the call was.
  std::vector<uint64_t> calls_to_old;
  std::string refused; // why it cannot be copied; empty: it can
};

// Of the kernels that `wanted` says, in the order of the code object.
CopiedKernel find_code(const lint::Subject&, const codeobject::Kernel&);

// Jumps to one of several places of the code, all of which are known.
bool is_table_jump(const lint::Subject&, analysis::BlockId);
// Jumps to where nobody knows.
bool is_unknown_jump(const lint::Subject&, analysis::BlockId);
// Where the last instruction of a block goes, if it is one known place: a direct branch or call, a jump or call through
// an address that the code makes. none: it is no such instruction, or there are several.
analysis::BlockId single_target(const lint::Subject&, analysis::BlockId);

} // namespace crosslane::rewrite
