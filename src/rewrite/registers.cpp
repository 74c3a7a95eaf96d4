// SGPRs first, as far as they cost no wave; then lanes of VGPRs likewise; then fewer waves.
#include "rewrite/registers.h"
#include "files/error.h"
#include <algorithm>

namespace crosslane::rewrite {

namespace {

constexpr uint32_t control_sgprs = 8, scratch_sgprs = 6, zeros = 8, late_sgprs = 10;

uint32_t up(uint32_t n, uint32_t to) { return (n + to - 1) / to * to; }

// Everything but VGPRs, with so many counters in SGPRs. Loads and stores of 4 and more want a multiple of 4.
ProbeRegisters sgprs_from(uint32_t first, const ProbeNeeds& needs, uint32_t in_sgprs, bool late_control) {
  ProbeRegisters r;
  r.group = uint16_t(first), r.item = uint16_t(first + 3), r.late_control = late_control;
  r.control = late_control ? uint16_t(0) : uint16_t(up(r.item + needs.item_sgprs, 4));
  r.counters =
      late_control ? uint16_t(up(r.item + needs.item_sgprs, in_sgprs ? 4 : 1)) : uint16_t(r.control + control_sgprs);
  r.in_sgprs = in_sgprs;
  r.scratch = uint16_t(up(r.counters + in_sgprs, 2));
  r.own_sgprs = uint16_t(r.scratch + scratch_sgprs);
  r.sgprs = uint16_t(r.own_sgprs + needs.sgprs);
  return r;
}

} // namespace

llvm::Expected<ProbeRegisters> assign_registers(const Budget& budget, const ProbeNeeds& needs, bool probes) {
  if (!probes) { // copying alone takes three, if any
    ProbeRegisters r;
    r.scratch = uint16_t(up(budget.first_sgpr, 2));
    r.sgprs = uint16_t(r.scratch + 3), r.vgprs = budget.first_vgpr;
    return r;
  }
  const uint32_t counters = needs.in_memory ? 0 : needs.counters;
  bool late_control = false;
  const auto needed = [&](uint32_t in_sgprs) {
    return sgprs_from(budget.first_sgpr, needs, in_sgprs, late_control).sgprs - uint32_t(budget.first_sgpr);
  };
  late_control = needs.control_may_come_late && budget.first_sgpr >= late_sgprs && needed(0) > budget.most_sgprs;
  const auto fits = [&](uint32_t room) {
    uint32_t n = std::min(counters, room);
    while (n && needed(n) > room)
      --n;
    return n;
  };
  const auto vgprs_for = [](uint32_t n) { return (n + 63) / 64; };
  uint32_t in_sgprs = fits(budget.free_sgprs);
  const uint32_t own_vgprs = needs.vgprs ? budget.first_vgpr % 2 + needs.vgprs : 0;
  if (in_sgprs < counters && vgprs_for(counters - in_sgprs) + own_vgprs > budget.free_vgprs) // it takes a wave
    in_sgprs = fits(budget.most_sgprs);
  if (needed(in_sgprs) > budget.most_sgprs)
    return fail("it leaves {} SGPRs, and probes need {}", budget.most_sgprs, needed(in_sgprs));
  ProbeRegisters r = sgprs_from(budget.first_sgpr, needs, in_sgprs, late_control);
  const uint32_t with_zeros = r.counters + zeros - budget.first_sgpr;
  r.with_zeros = !late_control && in_sgprs > 1 && with_zeros <= std::max<uint32_t>(budget.free_sgprs, needed(in_sgprs));
  if (r.with_zeros)
    r.sgprs = std::max(r.sgprs, uint16_t(budget.first_sgpr + with_zeros));
  const uint32_t lanes = vgprs_for(counters - in_sgprs) + own_vgprs;
  if (lanes > budget.most_vgprs)
    return fail("it leaves {} VGPRs, and probes with {} counters in VGPRs need {}", budget.most_vgprs,
                counters - in_sgprs, lanes);
  r.own_vgprs = uint16_t(budget.first_vgpr + (needs.vgprs ? budget.first_vgpr % 2 : 0));
  r.lanes = uint16_t(budget.first_vgpr + own_vgprs);
  r.vgprs = uint16_t(budget.first_vgpr + lanes);
  // Where waves end nothing is needed any more; rather two that no load may still be on its way to.
  if (budget.free_vgprs >= lanes + 2)
    r.end_vgpr = r.vgprs, r.vgprs = uint16_t(r.vgprs + 2);
  else
    r.vgprs = std::max<uint16_t>(r.vgprs, uint16_t(lanes + 2));
  return r;
}

} // namespace crosslane::rewrite
