// Counts times costs, spread over the units of the card.
#include "timing/whole.h"
#include <algorithm>

namespace crosslane::timing {

namespace {

using gpu::Parameter;

double executions(const Counts& counts, uint64_t pc) {
  const auto found = counts.find(pc);
  return found == counts.end() ? 0 : found->second.executions;
}

// All waves together, each in the time that it takes by itself. Innermost loops by the steady time of an iteration.
Cycles ways(const KernelEstimate& k, const Counts& counts, bool alone) {
  std::vector<bool> in_loop(k.blocks.size());
  Cycles sum;
  const auto take = [&](const PathRange& time, double times) {
    sum += Cycles(time.least.cycles, time.most.cycles) * times;
  };
  for (const LoopEstimate& loop : k.loops) {
    if (loop.has_inner || loop.path.empty())
      continue;
    take(alone ? loop.alone : loop.among, executions(counts, loop.header));
    for (const uint32_t b : loop.path)
      in_loop[b] = true;
  }
  for (size_t b = 0; b < k.blocks.size(); ++b)
    if (!in_loop[b] && k.blocks[b].count)
      take(alone ? k.blocks[b].alone : k.blocks[b].among, executions(counts, k.rows[k.blocks[b].first].pc));
  return sum;
}

struct Largest {
  Cycles cycles;
  std::string least, most;
  void take(const WholeTerm& t) {
    if (t.cycles.least > cycles.least)
      cycles.least = t.cycles.least, least = t.name;
    if (t.cycles.most > cycles.most)
      cycles.most = t.cycles.most, most = t.name;
  }
};

} // namespace

WholeEstimate whole(const KernelEstimate& k, const Counts& counts, const LaunchCounts& l, const gpu::Machine& m) {
  WholeEstimate w;
  const auto of = [&](Parameter p) {
    w.used.add(p);
    return m[p];
  };
  for (const Row& row : k.rows)
    if (const double times = executions(counts, row.pc); times > 0)
      add(w.sums, row, times);
  // Workgroups that are fewer than compute units leave the rest without work.
  const double units = std::max(1.0, std::min(of(Parameter::compute_units), l.workgroups));
  const double simds = std::max(1.0, std::min(units * of(Parameter::simds), l.waves));
  Bounds one = bounds(w.sums, 1, m);
  const uint32_t waves = std::max(1u, k.occupancy.waves_per_simd);
  for (size_t b = 0; b < binding_count; ++b) {
    const Binding which = Binding(b);
    if (which == Binding::latency)
      continue;
    const bool shared = which == Binding::vmem || which == Binding::lds || which == Binding::export_;
    Cycles all = one[b];
    if (which == Binding::issue)
      all = bounds(w.sums, waves, m)[b] * (1.0 / waves);
    // Those that all SIMDs of a compute unit share are there once for each of them.
    const Cycles here = shared ? all * (1 / (m[Parameter::simds] * units)) : all * (1 / simds);
    if (here.most > 0)
      w.units.push_back({std::string(name_of(which)), here});
  }
  const double fit = units * std::min<double>(waves * m[Parameter::simds], of(Parameter::waves_in_flight_per_cu));
  const double resident = std::max(1.0, std::min(l.waves, fit));
  w.way = {"way of a wave", ways(k, counts, resident <= simds) * (1 / resident)};
  const double launch =
      l.workgroups * std::max(of(Parameter::workgroup_launch), of(Parameter::wave_launch) * l.waves_per_workgroup);
  w.launch = {"launch", launch};
  const double mhz = of(Parameter::clock);
  if (l.bytes_most > 0) {
    const double bytes_per_cycle = of(Parameter::dram_bandwidth) * of(Parameter::dram_reached) * 1e3 / mhz;
    w.dram = {"DRAM", Cycles(l.bytes_least, l.bytes_most) * (1 / bytes_per_cycle)};
  }
  w.fixed_us = of(Parameter::launch_fixed) * 1e-3;
  Largest by_counts, roofline;
  for (const WholeTerm& t : w.units) {
    by_counts.take(t);
    if (t.name == name_of(Binding::valu) || t.name == name_of(Binding::matrix))
      roofline.take(t);
  }
  by_counts.take(w.way);
  roofline.take(w.launch), roofline.take(w.dram);
  w.static_us = by_counts.cycles * (1 / mhz);
  w.static_least = by_counts.least, w.static_most = by_counts.most;
  w.roofline_us = roofline.cycles * (1 / mhz);
  w.roofline_us += Cycles(w.fixed_us);
  w.roofline_least = roofline.least, w.roofline_most = roofline.most;
  return w;
}

} // namespace crosslane::timing
