// Scalar and vector instructions, and what stays in the instruction buffer. Memory is memory_cost.cpp's.
#include "timing/cost.h"
#include "isa/classify.h"
#include "isa/flow.h"
#include "isa/matrix.h"
#include "isa/op.h"
#include "timing/memory_cost.h"
#include <fmt/format.h>

namespace crosslane::timing {

namespace {

using gpu::Parameter;

constexpr double pass = 4, jump = 20; // the document; its author marks the second with question marks

Cost plain(Resource resource, Cycles wave, bool in_document) {
  Cost c;
  c.resource = resource, c.wave = c.unit = wave, c.in_document = in_document;
  return c;
}

// Source: AMD's matrix instruction calculator: cycles, and after how many of them other vector instructions may start;
// beside f64 none may.
Cost matrix(const isa::Instruction& i) {
  const isa::Matrix shape = isa::matrix(i.op);
  Cost c = plain(Resource::matrix, shape.passes() * pass, false);
  const bool cdna1 = isa::info(i.target).generation == isa::Generation::gfx908;
  c.valu = shape.item == isa::MatrixItem::f64 ? c.unit.least : cdna1 ? 8 : 4;
  c.wave = c.valu;
  c.note = "AMD's matrix instruction calculator";
  return c;
}

Cost vector(const isa::Instruction& i, const gpu::Machine& m, Model model) {
  if (isa::is_matrix(i.op))
    return matrix(i);
  const uint32_t cycles = issue_cycles(i, rates(m, model));
  Cost c = plain(Resource::valu, cycles, isa::info(i.target).generation < isa::Generation::gfx908);
  if (const auto p = rate_parameter(i)) {
    c.used.add(*p);
    const uint32_t document = issue_cycles(i, rates(m, Model::document));
    if (cycles != document)
      c.note = fmt::format("CLRX says {}; {}", document, m.setting(*p).source);
  } else if (cycles != issue_cycles(i, rates(m, Model::document))) {
    c.note = "CLRX does not know gfx90a; LLVM, SIDPFullSpeedModel";
  }
  return c;
}

Cost scalar(const isa::Instruction& i) {
  using enum isa::Op;
  if (isa::writes_hwreg(isa::row(i.op)) || isa::saves_exec(i))
    return plain(Resource::salu, 2 * pass, true);
  return plain(Resource::salu, pass, true);
}

Cost branch(const isa::Instruction& i) {
  using enum isa::FlowKind;
  const isa::FlowKind kind = isa::flow(i).kind;
  // The document has jumps; forks and joins it names as not checked.
  Cost c = plain(Resource::branch, pass, kind == isa::FlowKind::branch);
  const bool always = kind == jump || kind == call || (kind == isa::FlowKind::branch && !isa::flow(i).falls_through);
  c.taken = timing::jump;
  if (always)
    c.wave = timing::jump;
  if (!c.in_document)
    c.note = "assumed: as s_branch";
  return c;
}

// What takes no unit. Source: ISA manuals, S_NOP and S_SLEEP; the rest is assumed to take its turn.
Cost internal(const isa::Instruction& i) {
  Cost c = plain(Resource::internal, pass, false);
  if (i.op == isa::Op::s_nop)
    c.wave = pass * ((i.imm & 15) + 1);
  if (i.op == isa::Op::s_sleep)
    c.wave = {64.0 * (i.imm & 127) + pass, 64.0 * (i.imm & 127) + 64};
  c.unit = 0;
  return c;
}

} // namespace

std::string_view name_of(Resource r) {
  constexpr std::string_view names[] = {"VALU", "matrix", "SALU",   "SMEM",    "VMEM",
                                        "LDS",  "branch", "export", "internal"};
  return names[size_t(r)];
}

Cost cost(const isa::Instruction& i, const gpu::Machine& m, Model model, const Lanes& lanes) {
  switch (isa::unit(i)) {
  case isa::Unit::salu: return scalar(i);
  case isa::Unit::valu: return vector(i, m, model);
  case isa::Unit::smem: return scalar_memory_cost(i);
  case isa::Unit::vmem:
  case isa::Unit::flat: return vector_memory_cost(i, m, model, lanes);
  case isa::Unit::lds:
  case isa::Unit::gds: return lds_cost(i, m, model, lanes);
  case isa::Unit::export_: {
    // assumed: a cycle for each 64 bytes, as stores.
    Cost c = plain(Resource::export_, 4.0 * std::max(1, __builtin_popcount(i.dmask)), false);
    c.wave = pass, c.note = "assumed: 64 bytes a cycle";
    return c;
  }
  case isa::Unit::branch: return branch(i);
  case isa::Unit::message: return plain(Resource::branch, pass, false);
  case isa::Unit::internal: return internal(i);
  }
  return internal(i);
}

} // namespace crosslane::timing
