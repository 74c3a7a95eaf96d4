// Owns what s_waitcnt is for besides registers: memory that others look at behind a barrier, a message or a cache
// operation, and what is still in caches when a wave ends.
#pragma once
#include "lint/checks/outstanding.h"
#include "lint/finding.h"
#include <set>

namespace crosslane::lint {

struct MemoryOrder {
  uint64_t scalar_store = 0;               // not written back; 0: none
  uint64_t write_back = 0;                 // buffer_wbl2 that was not waited for
  uint64_t barrier = 0, barrier_write = 0; // an s_barrier that a write to LDS may have been outstanding at
  bool one_wave = false;                   // of a workgroup: barriers mean nothing

  // Whether OrderReporter may have anything to say.
  bool step(const Step&, const Outstanding&, const CountingRules&);
  bool join(const MemoryOrder& from);
  bool operator==(const MemoryOrder&) const = default;
};

bool reads_lds(const isa::Instruction&, const CountingRules&);

class OrderReporter {
public:
  OrderReporter(const Subject& subject, const CountingRules& rules) : subject_(subject), rules_(rules) {}
  void report(const Step&, const MemoryOrder&, const Outstanding&, std::vector<Finding>&);

private:
  const Subject& subject_;
  const CountingRules& rules_;
  std::set<uint64_t> barriers_; // told of

  void behind_dma(const Step&, const Outstanding&, std::vector<Finding>&) const;
  void at_barrier(const Step&, const Outstanding&, std::vector<Finding>&) const;
  void pending_memory(const Step&, const Outstanding&, Rule, Severity, Said, std::string_view why,
                      std::vector<Finding>&) const;
  std::string name(isa::Op op) const { return std::string(isa::mnemonic(op, subject_.target())); }
};

} // namespace crosslane::lint
