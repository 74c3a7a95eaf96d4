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

} // namespace

bool LdsSize::step(State& s, const Step& step) {
  const isa::Instruction& in = *step.instruction;
  const bool found = step.facts.unit == isa::Unit::lds && may_go_beyond(s, step);
  if (s.count) {
    // Lanes that come back hold what they held before.
    if (step.facts.writes_exec() && !isa::narrows_exec(in))
      s.count = 0;
    for (const Use& u : has(step.facts.written, isa::hazards::Registers::vgpr) ? step.uses : std::span<const Use>())
      if (u.written && u.first >= slot::vgpr && u.first < slot::accvgpr)
        s.keep_if([&](const KnownConstants::One& one) {
          return !u.overlaps(uint16_t(slot::vgpr + one.vgpr), uint16_t(slot::vgpr + one.vgpr + 1));
        });
  }
  if (in.op != Op::v_mov_b32 || in.form == isa::Form::dpp || in.form == isa::Form::sdwa ||
      in.encoding != isa::Encoding::VOP1)
    return found;
  const auto value = isa::constant_source(in, in.src[0], isa::Type::B32);
  if (!value || !isa::is_vgpr(in.dst) || subject_.graph.indexes_vgprs)
    return found;
  if (s.count == KnownConstants::most)
    std::shift_left(s.all.begin(), s.all.end(), 1), --s.count;
  s.all[s.count++] = {uint16_t(in.dst - isa::code::vgpr0), uint32_t(*value)};
  return found;
}

bool LdsSize::may_go_beyond(const State& s, const Step& step) const {
  const uint16_t address = step.instruction->addr;
  return launches_.of(step.block).lds.most == 0 ||
         (isa::is_vgpr(address) && s.find(uint16_t(address - isa::code::vgpr0)));
}

bool LdsSize::join(State& into, const State& from) {
  const uint8_t before = into.count;
  into.keep_if([&](const KnownConstants::One& one) {
    const auto* other = from.find(one.vgpr);
    return other && *other == one;
  });
  return into.count != before;
}

void LdsSize::report(const State& s, const Step& step) {
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
  const auto* address = s.find(uint16_t(in.addr - isa::code::vgpr0));
  if (!address)
    return;
  const uint64_t width = bytes_of(row.memory);
  uint64_t end = 0;
  if (isa::has_two_addresses(row.access)) {
    const bool st64 =
        row.access == Access::load2_st64 || row.access == Access::store2_st64 || row.access == Access::swap2_st64;
    const uint64_t unit = width * (st64 ? 64 : 1);
    end = address->value + std::max(uint64_t(uint32_t(in.imm) & 0xff), uint64_t(in.offset1)) * unit + width;
  } else {
    end = address->value + uint64_t(uint32_t(in.imm) & 0xffff) + width;
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
