// Source: LLVM 19, SIInsertWaitcnts (hasReadVCCZBug, partialVCCWritesUpdateVCCZ).
#include "lint/checks/vccz.h"
#include <fmt/format.h>

namespace crosslane::lint {

namespace {

bool spoils(isa::Generation g) { return g <= isa::Generation::gfx7; }

} // namespace

void Vccz::step(const Step& step, const Outstanding& outstanding, isa::Generation g) {
  if (has(step.facts.written, isa::hazards::Registers::vcc))
    written(step, outstanding, g);
  if (spoils(g) && step.facts.unit == isa::Unit::smem)
    load = step.pc;
}

void Vccz::written(const Step& step, const Outstanding& outstanding, isa::Generation g) {
  for (const Use& u : step.uses) {
    if (!u.written || !u.overlaps(slot::vcc, slot::vcc + 2))
      continue;
    if (u.indexed) // s_movrel: which register is not known
      continue;
    if (u.first > slot::vcc || u.end() < slot::vcc + 2) {
      half = step.pc, half_by_valu = step.facts.unit == isa::Unit::valu;
      continue;
    }
    half = 0;
    written_in = step.block;
    if (!spoils(g) || !outstanding.any(Stream::smem))
      load = 0;
  }
}

bool Vccz::join(const Vccz& from) {
  const bool grown = (!load && from.load) || (!half && from.half) || (from.half && from.half_by_valu && !half_by_valu);
  load = load ? load : from.load;
  if (from.half && (!half || (from.half_by_valu && !half_by_valu)))
    half = from.half, half_by_valu = from.half_by_valu;
  written_in = analysis::none; // a block begins here
  return grown;
}

void Vccz::report(const Step& step, const Outstanding& outstanding, const Subject& subject,
                  std::vector<Finding>& out) const {
  if (!looked_at(step))
    return;
  const bool elsewhere = !load && !half;
  const std::string name(isa::mnemonic(step.op(), subject.target()));
  const bool pending = load && outstanding.any(Stream::smem);
  const auto tell = [&](Rule rule, std::string message, std::vector<Note> notes) {
    out.push_back({.rule = rule,
                   .severity = elsewhere                                      ? Severity::pedantic
                               : rule == Rule::vcc_half_vccz && !half_by_valu ? Severity::warning
                                                                              : Severity::error,
                   .said = Said::llvm,
                   .pc = step.pc,
                   .message = std::move(message),
                   .notes = std::move(notes),
                   .fix = Fix{Fix::Kind::insert, step.pc,
                              pending ? "s_waitcnt lgkmcnt(0)\ns_mov_b64 vcc, vcc" : "s_mov_b64 vcc, vcc"}});
  };
  if (load)
    tell(Rule::smem_vccz,
         fmt::format("{} reads VCCZ, which a scalar load {}; {} has to be written again{}", name,
                     pending ? "may spoil when it comes back" : "has spoilt", "VCC",
                     pending ? " behind s_waitcnt lgkmcnt(0)" : ""),
         {{load, "scalar load here, after which VCC was not written"}});
  if (half)
    tell(Rule::vcc_half_vccz,
         fmt::format(
             "{} reads VCCZ, which was not updated when half of VCC was written; VCC has to be written as a whole",
             name),
         {{half, "half of VCC written here"}});
  if (elsewhere)
    tell(spoils(subject.generation()) ? Rule::smem_vccz : Rule::vcc_half_vccz,
         fmt::format("{} reads VCCZ, and this block has not written VCC; LLVM has s_mov_b64 vcc, vcc in it", name), {});
}

} // namespace crosslane::lint
