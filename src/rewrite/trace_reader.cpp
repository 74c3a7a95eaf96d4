// The layout of an entry is MemoryPlan's.
#include "rewrite/trace_reader.h"
#include "files/error.h"
#include "isa/decode.h"

namespace crosslane::rewrite {

llvm::Expected<TraceReader> TraceReader::create(const codeobject::CodeObject& object, const KernelPlan& plan) {
  TraceReader out(plan);
  const auto target = isa::parse_target(object.processor());
  for (const TracedAccess& place : plan.memory->places) {
    auto bytes = object.bytes_at(place.address, 8);
    if (bytes.empty()) // the last one
      bytes = object.bytes_at(place.address, 4);
    isa::Instruction in;
    const bool decoded = target && isa::decode(*target, bytes, in) > 0;
    const auto operands = decoded ? address_operands(in) : std::nullopt;
    if (!operands || operands->vectors != place.vectors)
      return fail("{}: what it says of its probes is damaged", object.name());
    out.instructions_.push_back(in);
  }
  return out;
}

LaneAddresses TraceReader::addresses(uint32_t place, std::span<const uint32_t> entry) const {
  const isa::Instruction& in = instructions_[place];
  return lane_addresses(in, uint64_t(entry[2]) << 32 | entry[1], entry.subspan(3, address_operands(in)->scalar_count),
                        entry.subspan(16));
}

} // namespace crosslane::rewrite
