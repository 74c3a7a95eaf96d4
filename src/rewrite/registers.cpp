// SGPRs first, as far as they cost no wave; then lanes of VGPRs likewise; then fewer waves.
#include "rewrite/registers.h"
#include "files/error.h"
#include <algorithm>

namespace crosslane::rewrite {

namespace {
constexpr uint32_t control_sgprs = 8, common_sgprs = control_sgprs + 6 + 3 + 3; // a multiple of 4
}

llvm::Expected<ProbeRegisters> assign_registers(const Budget& budget, const ProbeNeeds& needs, bool probes) {
  const uint32_t counters = needs.in_memory ? 0 : needs.counters;
  const uint32_t gap_behind_counters = counters && needs.sgprs ? 1 : 0; // own ones are from an even one on
  const uint32_t fixed_sgprs = common_sgprs + gap_behind_counters + needs.sgprs;
  ProbeRegisters r;
  r.sgprs = budget.first_sgpr, r.vgprs = budget.first_vgpr;
  if (!probes)
    return r;
  const uint16_t first = uint16_t((budget.first_sgpr + 3) / 4 * 4); // s_load_dwordx8 wants a multiple of 4
  const uint32_t gap = first - budget.first_sgpr;
  const auto fits = [&](uint32_t room) { return room >= gap + fixed_sgprs ? room - gap - fixed_sgprs : 0; };
  const auto vgprs_for = [](uint32_t n) { return (n + 63) / 64; };
  const bool fixed_free = budget.free_sgprs >= gap + fixed_sgprs;
  uint32_t in_sgprs = std::min(counters, fits(budget.free_sgprs));
  const uint32_t own_vgprs = needs.vgprs ? budget.first_vgpr % 2 + needs.vgprs : 0;
  if (in_sgprs < counters && vgprs_for(counters - in_sgprs) + own_vgprs > budget.free_vgprs) // it takes a wave
    in_sgprs = std::min(counters, fits(budget.most_sgprs));
  if (!fixed_free && budget.most_sgprs < gap + fixed_sgprs)
    return fail("it leaves {} SGPRs, and probes need {}", budget.most_sgprs, gap + fixed_sgprs);
  const uint32_t lanes = vgprs_for(counters - in_sgprs) + own_vgprs;
  if (lanes > budget.most_vgprs)
    return fail("it leaves {} VGPRs, and probes with {} counters in VGPRs need {}", budget.most_vgprs,
                counters - in_sgprs, lanes);
  r.control = first;
  r.scratch = uint16_t(first + control_sgprs);
  r.group = uint16_t(r.scratch + 6), r.item = uint16_t(r.group + 3);
  r.counters = uint16_t(first + common_sgprs); // stores want a multiple of 4
  r.own_sgprs = uint16_t((r.counters + in_sgprs + 1) / 2 * 2);
  r.in_sgprs = in_sgprs;
  r.sgprs = uint16_t(first + fixed_sgprs + in_sgprs);
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
