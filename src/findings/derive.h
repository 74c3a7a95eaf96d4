// Owns the steps of derive(): each fills in one member of a kernel's profile from what was collected. Whoever writes
// reports calls derive() (findings/profile.h), which takes them in the order in which one may need another's result.
#pragma once
#include "findings/profile.h"

namespace crosslane::findings {

// Sums by class, most frequent first; classes that did not execute are left out.
void derive_mix(KernelProfile&);

// Hardware counters and metrics made of them, all of docs/counters.md, in its order.
void derive_counters(KernelProfile&, const Views&);

// Sums by source line, sorted by file and line.
void derive_lines(KernelProfile&);

// What costs most and what would help, most costly first.
void derive_findings(KernelProfile&, const std::vector<SourceFile>& sources, std::span<const Buffer> buffers = {});

} // namespace crosslane::findings
