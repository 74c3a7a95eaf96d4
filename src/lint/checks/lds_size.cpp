// LDS instructions whose address is known, and kernels that use LDS and ask for none.
#include "lint/checks/lds_size.h"
#include "isa/access.h"
#include "isa/classify.h"
#include "isa/inline_constant.h"
#include "isa/op.h"
#include <algorithm>
#include <fmt/format.h>

namespace crosslane::lint {

namespace {

using isa::Access;
using isa::Op;

uint64_t bytes_of(isa::Type t) {
  switch (t) {
  case isa::Type::B8:
  case isa::Type::I8:
  case isa::Type::U8: return 1;
  case isa::Type::B16:
  case isa::Type::I16:
  case isa::Type::U16:
  case isa::Type::F16: return 2;
  default: return uint64_t(isa::dwords(t)) * 4;
  }
}

uint16_t slot_of(uint16_t vgpr) { return uint16_t(slot::vgpr + vgpr - isa::code::vgpr0); }

// The largest value of an item that is on; none: it is not known which are.
std::optional<uint64_t> farthest(const KnownItems& known, const ItemValues& values, ItemValues::Id value) {
  const auto of = values[value];
  if (std::ranges::all_of(of, [&](uint32_t v) { return v == of[0]; }))
    return of[0];
  if (!known.exec || !known.here)
    return std::nullopt;
  std::optional<uint64_t> most;
  for (uint32_t n = 0; n < of.size(); ++n)
    if (values[known.exec][n] && values[known.here][n] && of[n] < 0x80000000u) // an offset may bring those below 0 back
      most = std::max(most.value_or(0), uint64_t(of[n]));
  return most;
}

} // namespace

bool LdsSize::may_go_beyond(const KnownItems& known, const ItemValues&, const Step& step) const {
  const uint16_t address = step.instruction->addr;
  return launches_.of(step.block).lds.most == 0 || (isa::is_vgpr(address) && known.find(slot_of(address), false));
}

void LdsSize::report(const KnownItems& known, const ItemValues& values, const Step& step) {
  const isa::Instruction& in = *step.instruction;
  if (in.encoding != isa::Encoding::DS || in.gds)
    return;
  const isa::Row& row = isa::row(in.op);
  if (!has(isa::memory_use(in).spaces, isa::Space::lds))
    return;
  const Launch& launch = launches_.of(step.block);
  if (!launch.lds.known())
    return;
  const std::string name(isa::mnemonic(step.op(), subject_.target()));
  const auto tell = [&](Severity severity, std::string message) {
    report_.findings.push_back({.rule = Rule::lds_size,
                                .severity = severity,
                                .said = Said::manual,
                                .pc = step.pc,
                                .message = std::move(message)});
  };
  const Severity doubt = launch.unknown_lds ? Severity::note : Severity::warning;
  const uint32_t part = subject_.graph.blocks[step.block].part;
  if (launch.lds.most == 0 && !launch.dynamic_lds && !told_[part] && !launch.kernels.empty()) {
    told_[part] = true;
    tell(doubt, fmt::format("{} uses LDS, of which kernel {} asks for none", name, launch.lds.kernel->name));
    return;
  }
  if (!isa::has_lds_address(row.access) || !isa::is_vgpr(in.addr))
    return;
  const auto* one = known.find(slot_of(in.addr), false);
  const auto address = one ? farthest(known, values, one->value) : std::nullopt;
  if (!address)
    return;
  const uint64_t width = bytes_of(row.memory);
  uint64_t end = 0;
  if (isa::has_two_addresses(row.access)) {
    const bool st64 =
        row.access == Access::load2_st64 || row.access == Access::store2_st64 || row.access == Access::swap2_st64;
    const uint64_t unit = width * (st64 ? 64 : 1);
    end = *address + std::max(uint64_t(uint32_t(in.imm) & 0xff), uint64_t(in.offset1)) * unit + width;
  } else {
    end = *address + uint64_t(uint32_t(in.imm) & 0xffff) + width;
  }
  const uint32_t most = isa::info(subject_.target()).lds_per_workgroup;
  if (end > most)
    tell(Severity::warning, fmt::format("{} goes up to byte {} of LDS; {} gives a workgroup {}", name, end,
                                        isa::info(subject_.target()).name, most));
  else if (end > launch.lds.count && launch.lds.most > 0 && !launch.dynamic_lds)
    tell(doubt, fmt::format("{} goes up to byte {} of LDS; kernel {} has {}", name, end, launch.lds.kernel->name,
                            launch.lds.count));
}

} // namespace crosslane::lint
