// A limit for each resource, the lowest counts. Registers belong to a SIMD unit, LDS and barriers to a compute unit of
// four.
//
// A workgroup starts when all of its wavefronts fit, so that a limit counts in whole workgroups: registers for 3
// wavefronts of a unit are 12 of a compute unit, which is one workgroup of 8, 2 in each unit.
#include "timing/occupancy.h"
#include <algorithm>
#include <fmt/format.h>

namespace crosslane::timing {

namespace {

using gpu::Parameter;

constexpr uint32_t kinds_issued = 5; // in one clock, CLRX

const gpu::Machine& machine_of(const OccupancyInput& in) { return in.machine ? *in.machine : gpu::machine(in.target); }

constexpr uint32_t round_up(uint32_t n, uint32_t granule) { return (n + granule - 1) / granule * granule; }
constexpr uint32_t ceil_divide(uint32_t a, uint32_t b) { return (a + b - 1) / b; }

struct Kernel {
  const gpu::Machine& m;
  uint32_t vgprs, sgprs, lds; // rounded up to granules
  uint32_t waves;             // of a workgroup

  uint32_t simd_units() const { return m.whole(Parameter::simds); }
  uint32_t lds_granule() const { return m.whole(Parameter::lds_granule); }
  uint32_t vgpr_granule() const { return m.whole(Parameter::vgpr_granule); }
  uint32_t sgpr_granule() const { return m.whole(Parameter::sgpr_granule); }
  uint32_t max() const { return m.whole(Parameter::waves_per_simd); }

  // Wavefronts in the fullest SIMD unit when a compute unit holds so many workgroups.
  uint32_t of_workgroups(uint32_t groups) const { return std::min(max(), ceil_divide(groups * waves, simd_units())); }
  // ... when a SIMD unit could hold so many wavefronts. A workgroup that does not fit could not be launched; a program
  // may do it here, and gets the number for its wavefronts alone.
  uint32_t of_waves(uint32_t n) const {
    if (n >= max())
      return max(); // whether workgroups divide that is no matter of registers
    const uint32_t groups = n * simd_units() / waves;
    return groups ? of_workgroups(groups) : n;
  }
  uint32_t by_vgprs(uint32_t n) const { return of_waves(m.whole(Parameter::vgprs) / n); }
  uint32_t by_sgprs(uint32_t n) const { return of_waves(m.whole(Parameter::sgprs) / n); }
  uint32_t by_lds(uint32_t bytes) const {
    return bytes ? of_workgroups(std::max(1u, m.whole(Parameter::lds_size) / bytes)) : max();
  }
  uint32_t by_workgroups(uint32_t waves_of_one) const {
    const uint32_t fit = max() * simd_units() / waves_of_one;
    // Workgroups of one wavefront need no barrier.
    const uint32_t groups = waves_of_one == 1 ? fit : std::min(fit, m.whole(Parameter::workgroups_per_cu));
    return std::min(max(), ceil_divide(groups * waves_of_one, simd_units()));
  }
};

// The largest number of a resource, in granules, with which `limit` is at least `waves`; 0: none.
template <class Limit> uint32_t most(uint32_t now, uint32_t granule, uint32_t waves, Limit limit) {
  for (uint32_t n = now; n > granule;) {
    n -= granule;
    if (limit(n) >= waves)
      return n;
  }
  return 0;
}

Kernel rounded(const OccupancyInput& in) {
  Kernel k{machine_of(in), 0, 0, 0, std::max(1u, ceil_divide(in.workgroup_items, 64))};
  k.vgprs = round_up(std::max({in.vgprs, in.agprs, 1u}), k.vgpr_granule());
  k.sgprs = round_up(std::max(in.sgprs, 1u), k.sgpr_granule());
  k.lds = round_up(in.lds_bytes, k.lds_granule());
  return k;
}

std::vector<OccupancyLimit> limits(const Kernel& k) {
  return {{"waves", k.max()},
          {"vgprs", k.by_vgprs(k.vgprs)},
          {"sgprs", k.by_sgprs(k.sgprs)},
          {"lds", k.by_lds(k.lds)},
          {"workgroups", k.by_workgroups(k.waves)}};
}

OccupancyLimit lowest(const std::vector<OccupancyLimit>& limits) {
  return *std::min_element(limits.begin(), limits.end(),
                           [](const auto& a, const auto& b) { return a.waves < b.waves; });
}

const char* vector_registers(const OccupancyInput& in) {
  if (isa::info(in.target).generation == isa::Generation::gfx90a && in.agprs)
    return "VGPRs and AccVGPRs";
  return in.agprs && in.agprs >= in.vgprs ? "AccVGPRs" : "VGPRs";
}

// Changes one resource of `k` so that it allows `waves`, and says how; empty: nothing would do.
std::string change(Kernel& k, const std::string& name, const OccupancyInput& in, uint32_t waves) {
  const Kernel now = k;
  if (name == "vgprs") {
    k.vgprs = most(k.vgprs, k.vgpr_granule(), waves, [&](uint32_t n) { return k.by_vgprs(n); });
    return k.vgprs ? fmt::format("{} {} or fewer (now {})", k.vgprs, vector_registers(in), now.vgprs) : "";
  }
  if (name == "sgprs") {
    k.sgprs = most(k.sgprs, k.sgpr_granule(), waves, [&](uint32_t n) { return k.by_sgprs(n); });
    return k.sgprs ? fmt::format("{} SGPRs or fewer (now {})", k.sgprs, now.sgprs) : "";
  }
  if (name == "lds") {
    k.lds = most(k.lds, k.lds_granule(), waves, [&](uint32_t n) { return k.by_lds(n); });
    return k.lds ? fmt::format("{} bytes of LDS or less (now {})", k.lds, in.lds_bytes) : "";
  }
  // Workgroups: of a size that leaves room, or so small that barriers run out. The power of two that is nearest.
  const auto distance = [&](uint32_t n) { return std::max(n, now.waves) * 16 / std::min(n, now.waves); };
  k.waves = 0;
  for (const uint32_t n : {4u, 8u, 2u, 16u, 1u})
    if (now.by_workgroups(n) >= waves && (!k.waves || distance(n) < distance(k.waves)))
      k.waves = n;
  return k.waves ? fmt::format("workgroups of {} work-items (now {})", k.waves * 64, in.workgroup_items) : "";
}

// Every limit below `waves` has to go up.
std::string advice(const OccupancyInput& in, uint32_t waves) {
  Kernel k = rounded(in);
  std::string text;
  for (const OccupancyLimit& limit : limits(k))
    if (limit.waves < waves) {
      const std::string one = change(k, limit.name, in, waves);
      if (one.empty())
        return "";
      text += (text.empty() ? "use " : " and ") + one;
    }
  // Of workgroups of another size, registers may let fewer be there.
  const uint32_t reached = lowest(limits(k)).waves;
  return reached >= waves ? fmt::format("{} for {} waves", text, reached) : "";
}

} // namespace

Occupancy occupancy(const OccupancyInput& in) {
  Occupancy o;
  o.max_waves_per_simd = machine_of(in).whole(Parameter::waves_per_simd);
  o.limits = limits(rounded(in));
  o.limiter = lowest(o.limits).name;
  o.waves_per_simd = lowest(o.limits).waves;
  for (uint32_t waves = o.waves_per_simd + 1; waves <= o.max_waves_per_simd && o.advice.empty(); ++waves)
    o.advice = advice(in, waves);
  return o;
}

uint32_t instructions_per_clock(uint32_t waves_per_simd) { return std::min(waves_per_simd, kinds_issued); }

} // namespace crosslane::timing
