// Helpers of the lint tests: what lint finds in a few lines of assembly.
#pragma once
#include "lint/lint.h"
#include <string>
#include <vector>

namespace crosslane::test {

struct LintCase {
  std::string target = "gfx900";
  lint::RuleSet rules = lint::RuleSet::default_;
  std::string descriptor = {}; // lines of .amdhsa_kernel, besides 128 VGPRs, 90 SGPRs and 1024 bytes of LDS
  bool performance = false;    // that group, too
  // Rules about registers that nothing has written, LDS and messages, too: a few lines seldom begin as a kernel does.
  bool undefined = false;
};

// `body` is the code of a kernel `k`, which other functions may follow. "LINE RULE" of each finding in turn, the first
// line of `body` being line 1: "3 valu-sgpr-vmem".
std::vector<std::string> found(const std::string& body, const LintCase& = {});

// The findings themselves; pc is the line.
lint::Report report_of(const std::string& body, const LintCase& = {});

} // namespace crosslane::test
