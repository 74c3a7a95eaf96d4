// The steps in their order; each is in a file of its own.
#include "findings/derive.h"

namespace crosslane::findings {

void derive(KernelProfile& kernel, const std::vector<SourceFile>& sources, const Views& views,
            std::span<const Buffer> buffers) {
  derive_mix(kernel);
  derive_counters(kernel, views);
  derive_lines(kernel);
  derive_findings(kernel, sources, buffers);
}

} // namespace crosslane::findings
