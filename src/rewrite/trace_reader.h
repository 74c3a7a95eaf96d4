// Owns reading what waves with probes of addresses (rewrite/memory_probes.h) have written down: entry by entry, the
// instruction and where its lanes went.
#pragma once
#include "codeobject/code_object.h"
#include "rewrite/lane_addresses.h"
#include "rewrite/tally.h"

namespace crosslane::rewrite {

class TraceReader {
public:
  // `object`: as it was before it had probes, or with them. The error says that the note does not fit the code. `plan`
  // has a MemoryPlan, and must outlive it.
  static llvm::Expected<TraceReader> create(const codeobject::CodeObject& object, const KernelPlan& plan);
  const std::vector<isa::Instruction>& instructions() const { return instructions_; } // of MemoryPlan::places

  // f(index in MemoryPlan::places, addresses) of each access.
  template <class F> void each(const Tally::TracedWave& wave, F f) const {
    for (std::span<const uint32_t> words = wave.words; !words.empty();) {
      const uint32_t place = words[0];
      const auto entry = words.first(traced_bytes(plan_->memory->places[place].vectors) / 4);
      f(place, addresses(place, entry));
      words = words.subspan(entry.size());
    }
  }

private:
  explicit TraceReader(const KernelPlan& plan) : plan_(&plan) {}
  LaneAddresses addresses(uint32_t place, std::span<const uint32_t> entry) const;

  const KernelPlan* plan_;
  std::vector<isa::Instruction> instructions_;
};

} // namespace crosslane::rewrite
