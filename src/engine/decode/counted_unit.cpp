// Blocks of compiled code as listeners have them.
#include "engine/counts.h"
#include "engine/decode/run_decoder.h"
#include "isa/classify.h"
#include "isa/decode.h"
#include "isa/divergence.h"
#include "isa/flow.h"

namespace crosslane::engine {

// Run by run, also through what the unit leaves out: what is a site depends on what came before it in its run.
void find_sites(Unit& unit, uint64_t size) {
  std::map<uint32_t, isa::SiteKind> found;
  std::vector<uint32_t> pending;
  for (const UnitBlock& block : unit.blocks)
    for (const uint32_t way : block.ways)
      pending.push_back(unit.instructions[unit.blocks[way].first].pc);
  pending.push_back(unit.entry);
  const auto end = uint32_t(size / 4);
  while (!pending.empty()) {
    uint32_t pc = pending.back();
    pending.pop_back();
    isa::SiteFinder finder;
    for (bool goes_on = true; goes_on && pc < end && !found.contains(pc);) {
      isa::Instruction inst;
      const auto* bytes = reinterpret_cast<const uint8_t*>(unit.base) + uint64_t(pc) * 4;
      const int length = isa::decode(unit.target, std::span(bytes, size - uint64_t(pc) * 4), inst);
      if (!length || inst.reserved)
        break;
      found[pc] = finder.next(inst);
      const Flow flow = flow_of(inst, pc);
      if (flow.branches && flow.target < end)
        pending.push_back(flow.target);
      goes_on = flow.falls_through, pc += uint32_t(length) / 4;
    }
  }
  for (UnitInstruction& u : unit.instructions)
    if (const auto at = found.find(u.pc); at != found.end())
      u.site = at->second;
}

std::shared_ptr<const CountedUnit> counted_unit(const Unit& unit) {
  auto out = std::make_shared<CountedUnit>();
  for (const UnitInstruction& u : unit.instructions)
    out->sites.push_back({unit.base + uint64_t(u.pc) * 4, &out->instructions.emplace_back(u.inst)});
  for (const events::Site& site : out->sites)
    out->parts.push_back({new_block_id(), {&site, 1}});
  for (const UnitBlock& b : unit.blocks) {
    const UnitInstruction& last = unit.instructions[b.first + b.count - 1];
    const isa::Condition c = isa::flow(last.inst).condition;
    out->blocks.push_back({.block = {new_block_id(), {out->sites.data() + b.first, b.count}},
                           .site = last.site,
                           .narrows = isa::narrows_exec(last.inst),
                           .counts_taken = counts_taken(unit, b),
                           .on_exec = c == isa::Condition::execz || c == isa::Condition::execnz});
  }
  return out;
}

} // namespace crosslane::engine
