// Parameters of a card as cycles of its clock.
#include "timing/replay/machine.h"
#include <algorithm>
#include <bit>
#include <cmath>

namespace crosslane::timing::replay {

Machine machine_of(const gpu::Machine& card, gpu::Used& used) {
  using enum gpu::Parameter;
  const auto real = [&](gpu::Parameter p) { return used.add(p), card[p]; };
  const auto whole = [&](gpu::Parameter p) { return used.add(p), card.whole(p); };
  Machine m;
  m.mhz = real(clock);
  m.units = whole(compute_units), m.engines = whole(shader_engines);
  m.simds = std::min(whole(simds), 4u), m.waves_per_simd = whole(waves_per_simd);
  m.vgprs = whole(vgprs), m.sgprs = whole(sgprs);
  m.vgpr_granule = whole(vgpr_granule), m.sgpr_granule = whole(sgpr_granule), m.lds_granule = whole(lds_granule);
  m.lds_bytes = whole(lds_size), m.barriers = whole(workgroups_per_cu);
  m.waves_in_flight = whole(waves_in_flight_per_cu) * m.units;
  m.units_per_cache = whole(cus_per_scalar_cache);
  m.valu_period = whole(lone_wave_valu_period);
  m.rates = rates(card);
  used.add(dpfactor), used.add(mul_cycles), used.add(fma_f32_cycles);
  m.time_latency = whole(memtime_latency);
  m.barrier_waits = whole(barrier_waits_for_counters) != 0;
  m.most_vm = isa::info(card.target).generation >= isa::Generation::gfx9 ? 63 : 15;
  m.launch_latency = whole(launch_latency), m.launch_period = whole(workgroup_launch),
  m.wave_launch = real(wave_launch),
  // What is measured of a launch without work has the latency of its first wave in it.
      m.launch_ns = std::max(0.0, real(launch_fixed) - m.launch_latency * 1e3 / m.mhz);
  const auto lines = [&](gpu::Parameter size, uint32_t line, uint32_t ways) {
    return std::max(whole(size) / line, ways);
  };
  m.l1_ways = whole(l1_ways), m.l1_lines = lines(l1_size, 64, m.l1_ways), m.l1_latency = whole(l1_hit_latency);
  static constexpr gpu::Parameter loads[shapes][2] = {{load_x1_scattered, load_x1_scattered},
                                                      {load_x2_contiguous, load_x2_scattered},
                                                      {load_x3_contiguous, load_x3_scattered},
                                                      {load_x4_contiguous, load_x4_scattered},
                                                      {load_x4_contiguous, load_x4_split},
                                                      {load_x2_contiguous, load_texel8_scattered},
                                                      {load_texel8_contiguous, load_texel8_scattered},
                                                      {load_texel16_contiguous, load_texel16_scattered}};
  for (int shape = 0; shape < shapes; ++shape)
    for (int scattered = 0; scattered < 2; ++scattered)
      m.load_clocks[shape][scattered] = whole(loads[shape][scattered]);
  m.bank_conflicts = isa::info(card.target).generation == isa::Generation::gfx90a;
  m.store_bytes = whole(store_bytes_per_clock), m.store_extra = whole(store_extra);
  m.store_clocks = whole(store_cycles), m.address_queue = whole(address_queue);
  m.scalar_ways = whole(scalar_cache_ways), m.code_ways = whole(instruction_cache_ways);
  m.lookahead = whole(fetch_ahead);
  m.atomics_per_clock = whole(l2_atomic_lanes), m.write_queue = whole(l2_write_queue);
  m.scalar_lines = lines(scalar_cache_size, 64, m.scalar_ways), m.scalar_latency = whole(scalar_hit_latency);
  m.code_lines = lines(instruction_cache_size, 64, m.code_ways), m.taken = whole(fetch_latency);
  m.lds_latency = whole(lds_latency);
  m.l2_line_bytes = std::max(std::bit_floor(whole(l2_line)), 64u), m.l2_ways = whole(l2_ways),
  m.channels = whole(l2_channels);
  m.l2_lines = lines(l2_size, m.l2_line_bytes, m.l2_ways * m.channels);
  m.channel_bytes = whole(l2_bytes_per_clock) * real(l2_reached), m.interleave = std::max(whole(l2_interleave), 64u);
  m.l2_latency = std::max(whole(l2_hit_latency), m.l1_latency), m.scalar_miss = whole(scalar_miss_extra);
  m.memory_latency = m.l2_latency + uint32_t(std::lround(real(dram_latency) * m.mhz * 1e-3));
  m.memory_request = whole(dram_request);
  m.memory_bytes = real(dram_bandwidth) * real(dram_reached) * 1e3 / m.mhz;
  return m;
}

} // namespace crosslane::timing::replay
