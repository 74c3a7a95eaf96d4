// Owns which registers of an instruction clash with what is outstanding, and by which rule.
#pragma once
#include "lint/checks/outstanding.h"
#include "lint/finding.h"

namespace crosslane::lint {

struct Clash {
  size_t operation = 0; // in Outstanding::operations()
  Rule rule{};
  Severity severity{};
  Said said{};
  bool reads = false;                                           // else overwrites
  bool late = false;                                            // what the operation still reads, not what it writes
  bool strictly = false;                                        // open in the strict reading alone
  uint8_t counters = 0;                                         // to wait for
  Range registers{};                                            // that both have
  bool fatal() const { return severity != Severity::pedantic; } // ... to the default reading
};

// Appends them, at most one of each operation.
void find_clashes(const Subject&, const Outstanding&, const CountingRules&, const Step&, std::vector<Clash>& out);
void find_clashes(const Subject&, std::span<const Operation>, const CountingRules&, const Step&,
                  std::vector<Clash>& out);

} // namespace crosslane::lint
