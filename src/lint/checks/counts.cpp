// Compares what instructions name with what descriptors allocate.
#include "lint/checks/counts.h"
#include "isa/op.h"
#include "lint/path.h"
#include "lint/registers.h"
#include <algorithm>
#include <fmt/format.h>

namespace crosslane::lint {

namespace {

using isa::Generation;

std::string whose(const Least& least) {
  return least.count == least.most ? fmt::format("kernel {} has", least.kernel->name)
                                   : fmt::format("kernel {}, which reaches it, has", least.kernel->name);
}

unsigned first_special(Generation g) { return g >= Generation::gfx8 ? isa::code::flat_scratch : 104; }

bool is_flat_scratch(Generation g, unsigned r) {
  const unsigned first = g >= Generation::gfx8 ? isa::code::flat_scratch : isa::code::flat_scratch_gfx7;
  return g >= Generation::gfx7 && r >= first && r < first + 2;
}

} // namespace

Counts::Counts(const Subject& subject, const Launches& launches, Report& report)
    : subject_(subject), launches_(launches), report_(report), first_special_(first_special(subject.generation())),
      gfx90a_(subject.generation() == Generation::gfx90a), scalars_(subject.graph.parts.size()) {}

void Counts::look(const Step& step) {
  const uint32_t part = subject_.graph.blocks[step.block].part;
  const Launch& launch = launches_.of(step.block);
  if (!launch.sgprs.known())
    return;
  Scalars& scalars = scalars_[part];
  for (const Use& u : step.uses) {
    const unsigned end = u.first + (u.exact && !u.indexed ? u.count : 1u);
    if (u.first >= slot::vgpr) {
      const bool agpr = u.first >= slot::accvgpr;
      const Least& has = agpr ? launch.agprs : launch.vgprs;
      if (end - (agpr ? slot::accvgpr : slot::vgpr) > has.count)
        beyond(step, u, end, has);
    } else if (u.first < first_special_) {
      if (end > scalars.end)
        scalars.end = uint16_t(end), scalars.pc = step.pc;
      if (end > launch.sgprs.count)
        beyond(step, u, end, launch.sgprs);
    } else if (u.first < slot::scc) {
      note_special(step, u, scalars);
    }
  }
  if (gfx90a_)
    shift_by_last_vgpr(step, launch);
}

void Counts::beyond(const Step& step, const Use& u, unsigned end, const Least& has) {
  const bool scalar = u.first < slot::scc, agpr = u.first >= slot::accvgpr;
  const std::string name = register_name(subject_.generation(), u.first, uint16_t(end - u.first));
  const char* file = scalar ? "SGPRs" : agpr ? "AccVGPRs" : "VGPRs";
  Finding f{.rule = scalar ? Rule::sgpr_count : Rule::vgpr_count,
            .severity = Severity::error,
            .said = Said::manual | Said::llvm,
            .pc = step.pc};
  f.message = fmt::format("{} {} {}, beyond the {} {} that {}", isa::mnemonic(step.op(), subject_.target()),
                          u.written ? "writes" : "reads", name, has.count, file, whose(has));
  f.notes.push_back({has.kernel->entry + subject_.image->bias,
                     fmt::format("the descriptor of {} allocates {} {}", has.kernel->name, has.count, file)});
  report_.findings.push_back(std::move(f));
}

void Counts::note_special(const Step& step, const Use& u, Scalars& s) const {
  const Generation g = subject_.generation();
  const auto first = [&](uint64_t& at) {
    if (!at || step.pc < at)
      at = step.pc;
  };
  if (is_flat_scratch(g, u.first)) {
    // Named, or by instructions that reach nothing but scratch: FLAT touches it only where its address is scratch.
    if (u.role != isa::Role::implicit || step.instruction->encoding == isa::Encoding::SCRATCH)
      first(s.flat_scratch);
  } else if (g >= Generation::gfx8 && (u.first == isa::code::xnack_mask || u.first == isa::code::xnack_mask + 1u)) {
    first(s.xnack_mask);
  } else if (u.first == slot::vcc || u.first == slot::vcc + 1u) {
    first(s.vcc);
  }
}

void Counts::finish() {
  const Generation g = subject_.generation();
  for (uint32_t part = 0; part < scalars_.size(); ++part) {
    const Scalars& s = scalars_[part];
    const Least& has = launches_.of_part(part).sgprs;
    // Beyond what is allocated: told already. Beyond what can be named, there is room for all.
    if (!has.known() || s.end > has.count)
      continue;
    const auto needs = [&](uint64_t pc, unsigned behind, const char* name) {
      if (!pc || s.end + behind <= has.count)
        return false;
      Finding f{.rule = Rule::sgpr_reserved, .severity = Severity::error, .said = Said::manual | Said::llvm, .pc = pc};
      f.message = fmt::format("{} lies in the last {} of the {} SGPRs that {}, where s{} is, too", name, behind,
                              has.count, whose(has), s.end - 1);
      f.notes.push_back({s.pc, fmt::format("s{} used here", s.end - 1)});
      report_.findings.push_back(std::move(f));
      return true;
    };
    if (!needs(s.flat_scratch, g >= Generation::gfx8 ? 6 : 4, "flat_scratch") &&
        !needs(g >= Generation::gfx8 ? s.xnack_mask : 0, 4, "xnack_mask"))
      needs(s.vcc, 2, "vcc");
  }
}

void Counts::shift_by_last_vgpr(const Step& step, const Launch& launch) {
  if (step.op() != isa::Op::v_lshlrev_b64 && step.op() != isa::Op::v_lshrrev_b64 && step.op() != isa::Op::v_ashrrev_i64)
    return;
  const uint16_t amount = step.instruction->src[0];
  if (!isa::is_vgpr(amount))
    return;
  const unsigned n = amount - isa::code::vgpr0;
  if (n % 8 != 7 || n + 1 < launch.vgprs.count)
    return;
  Finding f{.rule = Rule::gfx90a_shift64_last_vgpr, .severity = Severity::error, .said = Said::llvm, .pc = step.pc};
  f.message = fmt::format("{} shifts by v{}, the last of the {} VGPRs that {}: the shift goes wrong on gfx90a",
                          isa::mnemonic(step.op(), subject_.target()), n, launch.vgprs.count, whose(launch.vgprs));
  report_.findings.push_back(std::move(f));
}

} // namespace crosslane::lint
