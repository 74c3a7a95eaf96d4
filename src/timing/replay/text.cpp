// Times, rates, then where the cycles of waves went, then the instructions that took most of them.
#include "timing/replay/text.h"
#include "isa/print.h"
#include <algorithm>
#include <fmt/format.h>
#include <numeric>
#include <tuple>

namespace crosslane::timing::replay {

namespace {

double share(uint64_t part, uint64_t whole) { return whole ? 100.0 * double(part) / double(whole) : 0; }

struct Costly {
  const BlockRows* block;
  uint32_t at;
  uint64_t cycles;
};

} // namespace

std::string text(const Figures& f, const Estimate* estimate, const Program& program, const Machine& m,
                 std::string_view card, size_t rows) {
  std::string out;
  const auto add = [&]<class... T>(fmt::format_string<T...> form, T&&... values) {
    out += fmt::format(form, std::forward<T>(values)...);
  };
  const double cycles = double(std::max<uint64_t>(f.cycles, 1));
  const Figures& e = estimate ? estimate->error : f;
  const auto off = [&](uint64_t error, uint64_t count) {
    return estimate ? fmt::format(" ± {:.1f} %", share(error, count)) : "";
  };
  add("modelled on {}, {:.0f} MHz, {} compute units\n", card, m.mhz, m.units);
  add("  time            {:.3f} us{}: {} cycles ({:.3f} us) and {:.3f} us of launching\n", f.nanoseconds / 1e3,
      off(e.cycles, f.cycles), f.cycles, cycles / m.mhz, m.launch_ns / 1e3);
  if (estimate)
    add("  sampled         {} of {} workgroups were replayed, in {} stretches; ±: by how stretches differ, 95 %\n",
        estimate->replayed, f.groups, estimate->stretches);
  add("  waves           {} in {} workgroups, {:.1f} of {} resident on average\n", f.waves, f.groups,
      double(f.wave_cycles) / cycles, m.units * m.simds * m.waves_per_simd);
  add("  instructions    {}, {:.2f} a cycle and compute unit\n", f.instructions,
      double(f.instructions) / cycles / m.units);
  const double simd_cycles = cycles * m.units * m.simds, unit_cycles = cycles * m.units;
  add("  busy            VALU {:.1f} %, SALU {:.1f} %, vector memory {:.1f} %, LDS {:.1f} %",
      100 * double(f.units.busy[size_t(Port::valu)]) / simd_cycles,
      100 * double(f.units.busy[size_t(Port::salu)]) / simd_cycles, 100 * double(f.units.address_busy) / unit_cycles,
      100 * double(f.units.lds_busy) / unit_cycles);
  if (f.units.busy[size_t(Port::matrix)])
    add(", matrix {:.1f} %", 100 * double(f.units.busy[size_t(Port::matrix)]) / simd_cycles);
  add("\n  caches          L1 {:.1f} % of {} lines hit, L2 {:.1f} % of {} requests\n",
      share(f.units.l1_hits, f.units.l1_hits + f.units.l1_misses), f.units.l1_hits + f.units.l1_misses,
      share(f.memory.hits, f.memory.hits + f.memory.misses), f.memory.hits + f.memory.misses);
  const double gigabytes = m.mhz * 1e-3 / cycles;
  add("  memory          {:.1f} MB read, {:.1f} MB written: {:.1f} GB/s; L2 {:.1f} GB/s\n",
      double(f.memory.read) * 1e-6, double(f.memory.written) * 1e-6,
      double(f.memory.read + f.memory.written) * gigabytes, double(f.memory.hits + f.memory.misses) * 64 * gigabytes);

  if (f.clock_reads)
    add("  clock           read {} times, in the model's time\n", f.clock_reads);
  const SpentCycles spent = f.spent();
  const uint64_t all = std::accumulate(spent.begin(), spent.end(), uint64_t(0));
  if (estimate)
    add("  these are       VALU{}, vector memory{}, LDS{}; L1 hits{}, L2 hits{}; read{}, written{}\n",
        off(e.units.busy[size_t(Port::valu)], f.units.busy[size_t(Port::valu)]),
        off(e.units.address_busy, f.units.address_busy), off(e.units.lds_busy, f.units.lds_busy),
        off(e.units.l1_hits, f.units.l1_hits), off(e.memory.hits, f.memory.hits), off(e.memory.read, f.memory.read),
        off(e.memory.written, f.memory.written));
  out += "where the cycles of waves went\n";
  std::array<size_t, spent_count> order;
  std::iota(order.begin(), order.end(), size_t(0));
  std::ranges::sort(order, {}, [&](size_t i) { return std::pair(~spent[i], i); });
  for (const size_t i : order)
    if (spent[i])
      add("  {:5.1f} %  {}{}\n", share(spent[i], all), name_of(Spent(i)),
          estimate ? off(estimate->spent_error[i], spent[i]) : "");

  std::vector<Costly> lines;
  program.for_each([&](const BlockRows& block) {
    for (uint32_t i = 0; i < block.rows.size(); ++i) {
      const SpentCycles& c = f.rows[block.first + i].cycles;
      lines.push_back({&block, i, std::accumulate(c.begin(), c.end(), uint64_t(0))});
    }
  });
  std::ranges::sort(lines, {}, [](const Costly& l) { return std::tuple(~l.cycles, l.block->pc, l.at); });
  lines.resize(std::min(lines.size(), rows));
  out += "instructions that took most\n";
  for (const Costly& line : lines) {
    const RowFigures& r = f.rows[line.block->first + line.at];
    if (!line.cycles)
      continue;
    const auto most = size_t(std::ranges::max_element(r.cycles) - r.cycles.begin());
    const events::Site& site = line.block->block->sites[line.at];
    add("  {:5.1f} %  {:9} times  {:8.1f} cycles each  {:24}  {:#x}  {}\n", share(line.cycles, all), r.issued,
        double(line.cycles) / double(std::max<uint64_t>(r.issued, 1)), name_of(Spent(most)), site.pc,
        isa::print(*site.instruction));
  }
  return out;
}

} // namespace crosslane::timing::replay
