// Owns which probes somebody asks for: the words of --probe, --at and --trace-bytes of `crosslane instrument`, and of
// whatever else instruments.
#pragma once
#include "rewrite/user_text.h"
#include <functional>

namespace crosslane::rewrite {

struct Probes {
  bool divergence = false; // executions, agreements and divergences of each site (isa/divergence.h), of each wave
  bool blocks = false;     // executions of each basic block, of each wave
  bool lanes = false;  // work-items of each run of instructions under one EXEC, summed over executions, of each wave
  bool time = false;   // cycles of each wave, and in each loop
  bool memory = false; // addresses of each access, lane by lane, as far as there is room:
  uint32_t trace_bytes = 64 << 10; // of each wave's record
  std::optional<UserProbe> user;
  bool document_lds = false, document_global = false; // as divergence, as Wu did it (rewrite/document_probes.h); alone
  bool poison = false;                                // what nobody reads is overwritten (rewrite/poison_probes.h)
  bool any() const {
    return divergence || blocks || lanes || time || memory || user || document_lds || document_global || poison;
  }
  bool operator==(const Probes&) const = default;
};

// Empty: not given; and what messages call them.
struct ProbeTexts {
  std::string probes, places, trace_bytes; // "divergence,FILE.s", "memory,kernel.cl:12", "64K"
};
struct ProbeNames {
  const char *probes, *places, *trace_bytes;
};
// ProbeTexts::probes with its files called otherwise: for who reads it in another folder.
std::string with_files(const std::string& probes, const std::function<std::string(const std::string&)>& name);
llvm::Expected<Probes> parse_probes(const ProbeTexts&, const ProbeNames&);

} // namespace crosslane::rewrite
