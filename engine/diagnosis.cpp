#include "engine/diagnosis.h"
#include "engine/executes.h"
#include "engine/lane_address.h"
#include "isa/decode.h"
#include "isa/print.h"
#include <cstdio>
#include <cstring>
#include <algorithm>

namespace crosslane::engine {

namespace {

// The lane whose access covers the faulting address; when the host did not say where (non-canonical addresses), the
// first lane whose address no host pointer can have.
void find_lane(machine::Fault& fault, const isa::Instruction& inst, const Wave& w) {
  for (int lane = 0; lane < 64; ++lane) {
    if (!(w.exec() >> lane & 1)) continue;
    const auto access = lane_address(inst, w, lane);
    if (!access) continue;  // outside of its buffer
    const bool covers = fault.address - access->address < access->bytes;
    const bool impossible = fault.address == 0 && access->address >> 47 != 0;
    if (covers || impossible) {
      fault.lane = lane;
      fault.address = access->address;
      return;
    }
  }
}

}  // namespace

void diagnose(machine::Fault& fault, const Wave& w) {
  const DispatchContext& ctx = context(&w);
  fault.kernel = ctx.kernel;
  std::copy(std::begin(w.workgroup->id), std::end(w.workgroup->id), fault.workgroup);
  fault.wave = w.id;
  if (fault.kind == machine::FaultKind::bad_pc) {
    fault.pc = fault.address;
    fault.detail = "the jump leaves the loaded code";
    return;
  }
  const auto* op = static_cast<const Uop*>(w.fault_op);
  const Programs& of = programs(&w);
  Program& program = of.trap && of.trap->owns(op) ? *of.trap : *of.kernel;
  fault.pc = program.address_of(op);
  const uint64_t left = program.base() + program.size() - fault.pc;
  isa::Instruction inst;
  const auto* bytes = reinterpret_cast<const uint8_t*>(fault.pc);
  if (isa::decode(ctx.code->target(), std::span(bytes, left), inst)) fault.instruction = isa::print(inst);
  else if (left >= 4) {
    uint32_t word;
    std::memcpy(&word, bytes, 4);
    char text[24];
    std::snprintf(text, sizeof text, ".long 0x%08x", word);
    fault.instruction = text;
  }
  if (fault.kind == machine::FaultKind::unimplemented && fault.detail.empty()) fault.detail = why_not_executed(inst);
  if (fault.kind == machine::FaultKind::unmapped_address) {
    find_lane(fault, inst, w);
    if (ctx.options->memory) fault.detail = ctx.options->memory->describe(fault.address);
  }
}

}  // namespace crosslane::engine
