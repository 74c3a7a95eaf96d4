// SGPRs first, as far as they cost no wave; then lanes of VGPRs likewise; then fewer waves. Virtual SGPRs last.
#include "rewrite/registers.h"
#include "files/error.h"
#include "rewrite/virtual_sgprs.h"
#include <algorithm>

namespace crosslane::rewrite {

namespace {

constexpr uint32_t control_sgprs = 8, scratch_sgprs = 6, zeros = 8, late_sgprs = 10, copy_sgprs = 3;

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

uint32_t vgprs_for(uint32_t lanes) { return (lanes + 63) / 64; }

uint32_t own_vgprs(const Budget& budget, const ProbeNeeds& needs) {
  return needs.vgprs ? budget.first_vgpr % 2 + needs.vgprs : 0;
}

// `lanes`: VGPRs for counters and the like.
llvm::Error assign_vgprs(ProbeRegisters& r, const Budget& budget, const ProbeNeeds& needs, uint32_t lanes) {
  const uint32_t own = own_vgprs(budget, needs);
  if (own + lanes > budget.most_vgprs)
    return fail("it leaves {} VGPRs, and probes need {}: {} of their own, {} for counters and for SGPRs that it does "
                "not leave",
                budget.most_vgprs, own + lanes, own, lanes);
  r.own_vgprs = uint16_t(budget.first_vgpr + (needs.vgprs ? budget.first_vgpr % 2 : 0));
  r.lanes = uint16_t(budget.first_vgpr + own);
  r.vgprs = uint16_t(budget.first_vgpr + own + lanes);
  // Where waves end nothing is needed any more; rather two that no load may still be on its way to.
  if (budget.free_vgprs >= own + lanes + 2)
    r.end_vgpr = r.vgprs, r.vgprs = uint16_t(r.vgprs + 2);
  else
    r.vgprs = std::max<uint16_t>(r.vgprs, uint16_t(own + lanes + 2));
  return llvm::Error::success();
}

// All SGPRs are, and all counters are in lanes.
llvm::Expected<ProbeRegisters> make_virtual(ProbeRegisters r, const Budget& budget, const ProbeNeeds& needs,
                                            uint32_t counters) {
  const uint32_t most = uint32_t(budget.first_sgpr) + budget.most_sgprs;
  r.virtual_sgprs = uint16_t(r.sgprs - first_virtual_sgpr), r.sgprs = budget.first_sgpr;
  if (r.virtual_sgprs > most)
    return fail("a wave has {} SGPRs, and probes need {} at a time", most, r.virtual_sgprs);
  r.slots = uint16_t(counters);
  if (auto error = assign_vgprs(r, budget, needs, vgprs_for(counters + 2u * r.virtual_sgprs)))
    return std::move(error);
  return r;
}

} // namespace

ProbeRegisters registers_of_copy(const Budget& budget) {
  ProbeRegisters r;
  r.scratch = uint16_t(up(budget.first_sgpr, 2));
  r.sgprs = uint16_t(r.scratch + copy_sgprs), r.vgprs = budget.first_vgpr;
  if (r.sgprs <= budget.first_sgpr + budget.most_sgprs)
    return r;
  r.scratch = first_virtual_sgpr, r.virtual_sgprs = copy_sgprs, r.sgprs = budget.first_sgpr;
  r.lanes = budget.first_vgpr, r.vgprs = uint16_t(r.lanes + 1);
  return r;
}

llvm::Expected<ProbeRegisters> assign_registers(const Budget& budget, const ProbeNeeds& needs) {
  const uint32_t counters = needs.in_memory ? 0 : needs.counters;
  const bool may_come_late = needs.control_may_come_late && budget.first_sgpr >= late_sgprs;
  bool late_control = false;
  const auto needed = [&](uint32_t in_sgprs) {
    return sgprs_from(budget.first_sgpr, needs, in_sgprs, late_control).sgprs - uint32_t(budget.first_sgpr);
  };
  late_control = may_come_late && needed(0) > budget.most_sgprs;
  if (needed(0) > budget.most_sgprs)
    return make_virtual(sgprs_from(first_virtual_sgpr, needs, 0, late_control), budget, needs, counters);
  const auto fits = [&](uint32_t room) {
    uint32_t n = std::min(counters, room);
    while (n && needed(n) > room)
      --n;
    return n;
  };
  uint32_t in_sgprs = fits(budget.free_sgprs);
  if (in_sgprs < counters &&
      vgprs_for(counters - in_sgprs) + own_vgprs(budget, needs) > budget.free_vgprs) // it takes a wave
    in_sgprs = fits(budget.most_sgprs);
  ProbeRegisters r = sgprs_from(budget.first_sgpr, needs, in_sgprs, late_control);
  const uint32_t with_zeros = r.counters + zeros - budget.first_sgpr;
  r.with_zeros = !late_control && in_sgprs > 1 && with_zeros <= std::max<uint32_t>(budget.free_sgprs, needed(in_sgprs));
  if (r.with_zeros)
    r.sgprs = std::max(r.sgprs, uint16_t(budget.first_sgpr + with_zeros));
  if (auto error = assign_vgprs(r, budget, needs, vgprs_for(counters - in_sgprs)))
    return std::move(error);
  return r;
}

} // namespace crosslane::rewrite
