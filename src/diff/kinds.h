// Owns what is read of each kind of documents.
#pragma once
#include "diff/document.h"
#include "diff/json.h"

namespace crosslane::diff {

llvm::Error read_profile(const Json&, Document&);
llvm::Error read_times(const Json&, Document&);
llvm::Error read_findings(const Json&, Document&);
llvm::Error read_counters(const Json&, Document&);
llvm::Error read_estimates(const Json&, Document&);
llvm::Error read_tests(const Json&, Document&);

// Source lines and branches of a profile's kernel.
void read_parts(const Json& document, const Json& kernel, std::vector<Part>&);

// The numbers of a `timing` member that the kernel does not have yet.
void add_times(const Json& timing, Kernel&);

} // namespace crosslane::diff
