// Owns a code object that is to be measured by probes: as it was, as it is with probes, and what the probes count.
#pragma once
#include "rewrite/probe_cache.h"
#include <memory>

namespace crosslane::rewrite {

struct Probed {
  std::shared_ptr<const codeobject::CodeObject> original, object; // the same: no kernel has probes
  Plan plan;
  std::vector<Instrumented> kernels; // what could not be instrumented says why

  // Null: the kernel has no probes, or none that a profile is made of.
  const KernelPlan* find(std::string_view kernel) const {
    return why_not(kernel).empty() ? plan.find(kernel) : nullptr;
  }
  // Empty: it has probes, or nobody wanted any.
  std::string why_not(std::string_view kernel) const;
};

// What `crosslane instrument` made keeps the probes that it has, and gets no others. Code at addresses of `original`
// is the same in `object`, byte for byte.
// `cache`: of earlier runs.
llvm::Expected<Probed> probe(std::shared_ptr<const codeobject::CodeObject>, const Options&,
                             ProbeCache& cache = probe_cache());

// Where waves of the kernel look for what they are told (rewrite/plan.h). An error: the object lacks the symbol.
llvm::Expected<uint64_t> control_address(const codeobject::CodeObject&, const KernelPlan&);

} // namespace crosslane::rewrite
