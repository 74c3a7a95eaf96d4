// The text: kernels, then loops, then instructions.
#include "cli/timing/report.h"
#include "files/read.h"
#include "findings/text.h"
#include "isa/op.h"
#include "launch/signature.h"
#include "views/locate.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <iterator>

namespace crosslane::cli {

namespace {

using timing::Binding;
using timing::Cycles;
using timing::Resource;

std::string number(double d) {
  return d == double(int64_t(d)) ? fmt::format("{}", int64_t(d)) : fmt::format("{:.1f}", d);
}
std::string text_of(const Cycles& c) {
  return c.exact() || number(c.least) == number(c.most) ? number(c.least) : number(c.least) + ".." + number(c.most);
}
Cycles of(const timing::PathRange& p, double timing::PathTime::* what) {
  const double a = p.least.*what, b = p.most.*what;
  return {std::min(a, b), std::max(a, b)}; // what takes longer may wait less
}
std::string plural(uint64_t n, std::string_view word) {
  return fmt::format("{} {}{}", findings::thousands(n), word, n == 1 ? "" : "s");
}

uint64_t address_of(const TimingKernel& k, uint64_t pc) { return pc - k.in.image.bias; }

// ", vadd.cl:3" of the first instruction that has a place; empty: none.
std::string place_of(const TimingKernel& k, const timing::LoopEstimate& l) {
  for (const uint32_t b : l.path)
    for (uint32_t n = 0; n < k.estimate.blocks[b].count; ++n) {
      const auto line = k.source(address_of(k, k.estimate.rows[k.estimate.blocks[b].first + n].pc));
      if (line && line->line)
        return fmt::format(", {}:{}", files::from_here(line->file), line->line);
    }
  return "";
}

std::string sums_text(const timing::Sums& sums) {
  std::string out;
  for (size_t r = 0; r < timing::resource_count; ++r)
    if (sums.unit[r].most > 0)
      out += fmt::format("{}{} {}", out.empty() ? "" : ", ", timing::name_of(Resource(r)), text_of(sums.unit[r]));
  return out.empty() ? "none" : out;
}

std::string waiting_text(const timing::PathRange& p) {
  using timing::PathTime;
  std::string out;
  for (const auto& [what, cycles] :
       {std::pair("vmcnt", of(p, &PathTime::vm)), std::pair("lgkmcnt", of(p, &PathTime::lgkm)),
        std::pair("expcnt", of(p, &PathTime::exp))})
    if (cycles.most > 0)
      out += fmt::format("{}{} for {}", out.empty() ? "; waits " : ", ", text_of(cycles), what);
  if (const Cycles lost = of(p, &PathTime::delays); lost.most > 0)
    out += fmt::format("; loses {} to fetches and units", text_of(lost));
  return out;
}

std::string binding_text(const timing::Bound& b) {
  const auto say = [](Binding one) {
    return one == Binding::latency ? std::string("latency of one wave") : std::string(timing::name_of(one));
  };
  return b.least == b.most ? say(b.least) : fmt::format("{}; at worst {}", say(b.least), say(b.most));
}

// All but the binding one, the largest first.
std::string others_text(const timing::Bounds& bounds, Binding binding) {
  std::vector<size_t> order;
  for (size_t b = 0; b < timing::binding_count; ++b)
    if (Binding(b) != binding && bounds[b].most > 0)
      order.push_back(b);
  std::ranges::sort(order, {}, [&](size_t b) { return std::pair(-bounds[b].least, b); });
  std::string out;
  for (const size_t b : order)
    out += fmt::format("{}{} {}", out.empty() ? "" : ", ", timing::name_of(Binding(b)), text_of(bounds[b]));
  return out;
}

void append_loop(std::string& out, const TimingKernel& k, const timing::LoopEstimate& l) {
  auto into = std::back_inserter(out);
  const std::string indent(2 * l.depth, ' ');
  const uint32_t waves = k.estimate.waves;
  fmt::format_to(into, "\n{}loop at L{:x}{}: {}, {} bytes{}\n", indent, address_of(k, l.header), place_of(k, l),
                 plural(uint64_t(l.sums.instructions), "instruction"), l.sums.bytes,
                 l.path.size() == l.blocks ? ""
                                           : fmt::format(" (the longest way, {} of {} blocks{})", l.path.size(),
                                                         l.blocks, l.has_inner ? "; inner loops once" : ""));
  const auto row = [&](std::string_view name, const std::string& text) {
    fmt::format_to(into, "{}  {:<12} {}\n", indent, name, text);
  };
  row("units", sums_text(l.sums));
  row("wave alone", text_of(of(l.alone, &timing::PathTime::cycles)) + " cycles an iteration" + waiting_text(l.alone));
  row(plural(waves, "wave"),
      fmt::format("{} cycles for an iteration of all; bound by {}", text_of(l.bound.cycles), binding_text(l.bound)));
  if (const std::string others = others_text(l.bounds, l.bound.least); !others.empty())
    row("then", others);
  const uint32_t fit = k.estimate.occupancy.max_waves_per_simd;
  row("hidden", l.waves_to_hide ? fmt::format("latencies, from {} on a SIMD on ({} fit)",
                                              plural(l.waves_to_hide, "wave"), k.estimate.occupancy.waves_per_simd)
                                : fmt::format("latencies are not, by the {} waves that a SIMD holds at most", fit));
}

void append_run(std::string& out, const TimingKernel& k) {
  auto into = std::back_inserter(out);
  const auto& run = *k.run;
  const timing::WholeEstimate& w = run.whole;
  fmt::format_to(into, "\n  a launch, as {} counts: {}, {}, {} instructions of waves ({} in the profile)\n", run.file,
                 plural(uint64_t(run.launch.workgroups), "workgroup"), plural(uint64_t(run.launch.waves), "wave"),
                 findings::thousands(uint64_t(w.sums.instructions)), plural(uint64_t(run.launches), "launch"));
  const double mhz = k.machine[gpu::Parameter::clock];
  const auto row = [&](const std::string& name, const Cycles& cycles) {
    if (cycles.most > 0)
      fmt::format_to(into, "    {:<16} {:>22} cycles  {:>16} us\n", name,
                     text_of({std::round(cycles.least), std::round(cycles.most)}),
                     fmt::format("{:.2f}{}", cycles.least / mhz,
                                 cycles.exact() ? "" : fmt::format("..{:.2f}", cycles.most / mhz)));
  };
  for (const timing::WholeTerm& t : w.units)
    row(t.name, t.cycles);
  row(w.way.name, w.way.cycles), row(w.launch.name, w.launch.cycles), row(w.dram.name, w.dram.cycles);
  const auto total = [&](std::string_view what, const Cycles& us, const std::string& least, const std::string& most) {
    fmt::format_to(into, "    {:<28} {:.2f}{} us, by {}{}\n", what, us.least,
                   us.most - us.least < 0.005 ? "" : fmt::format("..{:.2f}", us.most), least,
                   least == most ? "" : " or " + most);
  };
  total("static costs times counts:", w.static_us, w.static_least, w.static_most);
  total("roofline and launch:", w.roofline_us, w.roofline_least, w.roofline_most);
}

void append_instructions(std::string& out, const TimingKernel& k) {
  auto into = std::back_inserter(out);
  fmt::format_to(into, "\n  {:<8} {:>10} {:>10} {:>5} {:>5} {:>6}  {}\n", "unit", "wave", "unit", "bytes", "fetch",
                 "delay", "instruction");
  const auto functions = k.in.object.functions();
  std::string last;
  for (const timing::BlockEstimate& b : k.estimate.blocks) {
    fmt::format_to(into, "L{:x}:  ; {}; alone {} cycles{}\n", address_of(k, b.begin), sums_text(b.sums),
                   text_of(of(b.alone, &timing::PathTime::cycles)), waiting_text(b.alone));
    for (uint32_t n = b.first; n < b.first + b.count; ++n) {
      const timing::Row& row = k.estimate.rows[n];
      const uint64_t address = address_of(k, row.pc);
      if (const auto line = k.source(address); line && line->line)
        if (std::string place = fmt::format("{}:{}", files::from_here(line->file), line->line); place != last)
          fmt::format_to(into, "; {}\n", last = std::move(place));
      const auto blank = [](const std::string& text) { return text == "0" ? std::string() : text; };
      std::string text = instruction_text(k, address, row.instruction, functions);
      std::string notes = row.cost.note;
      if (row.missing_wait_states)
        notes = fmt::format("{} missing before it{}{}", plural(row.missing_wait_states, "wait state"),
                            notes.empty() ? "" : "; ", notes);
      const Cycles wave =
          row.cost.taken > row.cost.wave.most ? Cycles(row.cost.wave.least, row.cost.taken) : row.cost.wave;
      fmt::format_to(into, "  {:<8} {:>10} {:>10} {:>5} {:>5} {:>6}  {}", timing::name_of(row.cost.resource),
                     text_of(wave), blank(text_of(row.cost.unit)), row.instruction.size, blank(number(row.fetch)),
                     blank(number(row.delay)), text);
      if (!notes.empty())
        fmt::format_to(into, "{}; {}", std::string(text.size() < 44 ? 44 - text.size() : 1, ' '), notes);
      out += '\n';
    }
  }
}

} // namespace

std::string instruction_text(const TimingKernel& k, uint64_t address, const isa::Instruction& i,
                             std::span<const codeobject::Function> functions) {
  for (const auto& function : functions)
    if (address >= function.begin && address < function.end)
      return views::text_of(i, address, function, k.in.object);
  return std::string(isa::mnemonic(i.op, i.target));
}

std::string timing_text(const TimingKernel& k, bool instructions) {
  std::string out;
  auto into = std::back_inserter(out);
  const timing::KernelEstimate& e = k.estimate;
  fmt::format_to(into, "\nkernel {}\n", launch::describe(launch::signature_of(*e.kernel)));
  fmt::format_to(into, "  {}, {} bytes, {}, {}{}{}\n", plural(e.rows.size(), "instruction"), e.sums.bytes,
                 plural(e.blocks.size(), "block"), plural(e.loops.size(), "loop"),
                 e.calls ? "; callees are among them, loops do not count them" : "",
                 e.unknown ? "; ways out of it that are not known (crosslane cfg)" : "");
  fmt::format_to(into, "  each once: {} cycles of the units\n", sums_text(e.sums));
  std::string limits;
  for (const timing::OccupancyLimit& l : e.occupancy.limits)
    if (l.name != "waves")
      limits += fmt::format("{}{} {}", limits.empty() ? "" : ", ", l.name, l.waves);
  fmt::format_to(into, "  {} of {} waves fit on a SIMD ({}), in workgroups of {} ({})\n", e.occupancy.waves_per_simd,
                 e.occupancy.max_waves_per_simd, limits, k.options.workgroup_items, k.workgroup_from);
  if (!e.occupancy.advice.empty())
    fmt::format_to(into, "  {}\n", e.occupancy.advice);
  const bool loads = e.sums[Resource::vmem].most > 0;
  if (loads && !e.loops.empty())
    fmt::format_to(into, "  vector memory answers after {} cycles ({})\n", number(k.options.vmem_latency),
                   k.latency_from);
  uint32_t missing = 0;
  for (const timing::Row& row : e.rows)
    missing += row.missing_wait_states > 0;
  if (missing)
    fmt::format_to(into, "  wait states are missing before {} (crosslane lint)\n", plural(missing, "instruction"));
  for (const timing::LoopEstimate& l : e.loops)
    append_loop(out, k, l);
  if (k.run)
    append_run(out, k);
  if (instructions)
    append_instructions(out, k);
  return out;
}

std::string assumed_text(const gpu::Used& used, const gpu::Machine& m) {
  const auto assumed = used.assumed(m);
  if (assumed.empty())
    return "";
  std::string out = fmt::format(
      "\nassumed of {}, as nobody was found who measured it (--show-gpu; --gpu FILE.toml says others):\n", m.name);
  for (const gpu::Parameter p : assumed) {
    const auto& i = gpu::info(p);
    out += fmt::format("  {:<28} {:>8} {:<7} {}\n", i.name, fmt::format("{}", m[p]), i.unit, m.setting(p).source);
  }
  return out;
}

} // namespace crosslane::cli
