// What a kernel begins with, and which reads are judged.
#include "lint/checks/undefined.h"
#include "codeobject/first_instruction.h"
#include "isa/access.h"
#include "isa/classify.h"
#include "isa/op.h"
#include "lint/at_launch.h"
#include "lint/registers.h"
#include <fmt/format.h>

namespace crosslane::lint {

namespace {

using isa::Encoding;
using isa::Generation;
using isa::Role;

// Registers whose values only this instruction's result depends on. What is neither is always defined (EXEC), or not a
// register of the wave.
bool is_register(uint16_t s) { return s < slot::exec || s == slot::scc || s >= slot::vgpr; }

// What is surely meant of it.
unsigned sure_end(const Use& u) { return u.exact ? u.end() : u.first + 1u; }

constexpr int message_interrupt = 1;

// Puts values elsewhere, and nothing else depends on them: compilers copy and spill tuples of which a part is
// undefined, register by register.
bool only_copies(const isa::Instruction& in) {
  using enum isa::Op;
  switch (in.op) {
  case s_mov_b32:
  case s_mov_b64:
  case v_mov_b32:
  case v_writelane_b32:
  case v_accvgpr_write_b32:
  case v_accvgpr_read_b32:
  case v_accvgpr_mov_b32: return true;
  default: break;
  }
  const bool stores = isa::is_store(isa::row(in.op).access);
  return stores && (in.encoding == Encoding::SCRATCH || (in.encoding == Encoding::MUBUF && !in.offen && !in.idxen));
}

// Of these every register must hold something: an address, a resource.
bool is_place(Role r) {
  return r == Role::addr || r == Role::base || r == Role::offset || r == Role::resource || r == Role::sampler;
}

// Functions keep what their callers had in registers, whatever that is: GCC's on their stack, which is any memory.
bool may_save(const isa::Instruction& in, const Use& u) {
  return isa::is_store(isa::row(in.op).access) && !is_place(u.role) && u.first >= slot::vgpr;
}

// v_xor_b32 v0, v0, v0 and the like give the same whatever is there.
bool cancels(const isa::Instruction& in) {
  return in.src[0] == in.src[1] && in.src[0] != isa::code::none && isa::unit(in) <= isa::Unit::valu;
}

} // namespace

Undefined::Undefined(const Subject& subject, const Launches& launches, Report& report)
    : subject_(subject), launches_(launches), report_(report) {}

Undefined::State Undefined::enter(const analysis::Function& function) {
  const auto& kernels = launches_.of(function.block).kernels;
  State s = everything();
  bool any = false;
  if (function.kernel && !function.address_taken)
    for (const codeobject::Kernel* kernel : kernels)
      if (kernel->entry + subject_.image->bias == function.address ||
          codeobject::first_instruction(*kernel) + subject_.image->bias == function.address) {
        const SlotSet begins = at_launch(*kernel, subject_.generation());
        if (any)
          s.some.unite(begins), s.all.intersect(begins);
        else
          s.some = s.all = begins;
        any = true;
      }
  if (!any && is_called_alone(function)) // until its callers come, nobody gives it anything
    s.some.clear();
  return s;
}

// By kernels and their functions, which say where they go.
bool Undefined::is_called_alone(const analysis::Function& function) const {
  return !function.kernel && !function.address_taken && launches_.of(function.block).sgprs.known();
}

// What the wave had, and what the function has written besides.
Undefined::State Undefined::back(const State& before, const State* out, const Step& call) {
  if (!out) {
    if (launches_.of(call.block).sgprs.known())
      unknown_.insert(call.pc);
    return everything();
  }
  State s = *out;
  s.some.unite(before.some), s.all.unite(before.all);
  return s;
}

// VCC has two names.
void Undefined::write_vcc(State& s, const Step& step) const {
  const auto also = [&](unsigned first) { s.some.add(first, first + 2), s.all.add(first, first + 2); };
  const uint16_t pair = launches_.of(step.block).vcc_pair(subject_.generation());
  for (const Use& u : step.uses)
    if (pair && u.written && u.first < slot::scc) {
      const bool vcc = u.overlaps(slot::vcc, slot::vcc + 2);
      if (!vcc && u.first >= isa::code::flat_scratch)
        continue;
      if (vcc || u.overlaps(pair, uint16_t(pair + 2)))
        also(vcc ? pair : uint16_t(slot::vcc));
    }
}

bool Undefined::step(State& s, const Step& step) {
  bool undefined = false, news = step.facts.writes_scalar;
  for (const Use& u : step.uses) {
    if (!is_register(u.first))
      continue;
    if (u.read && !u.indexed)
      undefined |= !s.all.holds_all(u.first, sure_end(u));
    if (u.written)
      news |= !s.all.holds_all(u.first, u.end());
  }
  if (!undefined && !news) // as most: what all ways have some have
    return false;
  if (step.facts.writes_scalar)
    write_vcc(s, step);
  for (const Use& u : step.uses)
    if (u.written) {
      s.some.add(u.first, u.end()), s.all.add(u.first, u.indexed ? u.end() : sure_end(u));
    } else if (undefined && u.read && !u.indexed) { // has been told; once is enough
      s.some.add(u.first, sure_end(u)), s.all.add(u.first, sure_end(u));
    }
  return undefined;
}

bool Undefined::join(State& into, const State& from) {
  const bool some = into.some.unite(from.some), all = into.all.intersect(from.all);
  return some || all;
}

bool Undefined::is_flat_scratch(const Use& u) const {
  const unsigned first =
      subject_.generation() >= Generation::gfx8 ? isa::code::flat_scratch : isa::code::flat_scratch_gfx7;
  return u.first == first || u.first == first + 1u;
}

void Undefined::report(const State& s, const Step& step) {
  const isa::Instruction& in = *step.instruction;
  for (const Use& u : step.uses) {
    if (!u.read || u.indexed || !is_register(u.first))
      continue;
    const unsigned end = sure_end(u);
    if (s.all.holds_all(u.first, end))
      continue;
    const bool none = !s.some.holds_any(u.first, end), lacks = !s.some.holds_all(u.first, end);
    if (is_flat_scratch(u) && u.role == Role::implicit) {
      // FLAT reads it where its address is in scratch, which only the wave knows.
      if (lacks && in.encoding == Encoding::SCRATCH)
        tell(Rule::flat_scratch_init, Severity::error, Said::manual | Said::llvm, step, u, "goes to scratch by");
      continue;
    }
    if (u.first == slot::m0 && in.encoding == Encoding::DS && !in.gds) {
      if (lacks)
        tell(Rule::m0_lds, Severity::error, Said::manual | Said::llvm | Said::aco, step, u, "limits LDS by");
      continue;
    }
    if (u.first == slot::m0 && isa::unit(in) == isa::Unit::message) {
      if (lacks && (in.imm & 15) == message_interrupt)
        tell(Rule::sendmsg, Severity::warning, Said::manual, step, u, "sends");
      continue;
    }
    const bool sure = none || (lacks && is_place(u.role));
    if (sure && (is_place(u.role) || !only_copies(in)) && !cancels(in) &&
        !(launches_.of(step.block).kernels.empty() && may_save(in, u)))
      tell(Rule::uninit, Severity::error, Said::manual | Said::llvm, step, u, "reads");
    else
      tell(Rule::uninit, Severity::pedantic, Said::nobody, step, u, "reads");
  }
}

void Undefined::tell(Rule rule, Severity severity, Said said, const Step& step, const Use& u, const char* what) {
  Finding f{.rule = rule, .severity = severity, .said = said, .pc = step.pc};
  const unsigned count = u.exact ? u.count : 1;
  f.message =
      fmt::format("{} {} {}, which {}", isa::mnemonic(step.op(), subject_.target()), what,
                  register_name(subject_.generation(), u.first, uint16_t(count)),
                  severity != Severity::pedantic ? "nothing has written" : "is not written in full on all ways here");
  const uint32_t part = subject_.graph.blocks[step.block].part;
  if (launches_.of(step.block).kernels.empty())
    if (const analysis::Call* call = a_call_to(part))
      f.notes.push_back({subject_.graph.blocks[call->block].last, "called here, where nothing has written it either"});
  if (rule == Rule::m0_lds)
    f.fix = Fix{Fix::Kind::insert, step.pc, "s_mov_b32 m0, -1"};
  report_.findings.push_back(std::move(f));
}

const analysis::Call* Undefined::a_call_to(uint32_t part) const {
  const auto& graph = subject_.graph;
  for (const analysis::Call& call : graph.calls)
    for (const uint32_t f : graph.callees_of(call))
      if (const analysis::BlockId entry = graph.functions[f].block;
          entry != analysis::none && graph.blocks[entry].part == part && launches_.of(call.block).sgprs.known())
        return &call;
  return nullptr;
}

void Undefined::finish() {
  if (!unknown_.empty())
    report_.not_judged.push_back(
        {*unknown_.begin(),
         fmt::format("undefined registers behind {}, and in what it may reach",
                     unknown_.size() == 1 ? "a call whose goal is not known"
                                          : fmt::format("{} calls whose goals are not known", unknown_.size()))});
}

} // namespace crosslane::lint
