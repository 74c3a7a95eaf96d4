// The terminal summary: notes, findings, then kernel by kernel. The tables are in summary_table.cpp.
#include "report/summary.h"
#include "findings/counter_value.h"
#include "findings/names.h"
#include "findings/order.h"
#include "findings/text.h"
#include "findings/totals.h"
#include "report/kernel_text.h"
#include "report/summary_table.h"
#include "report/view.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace crosslane::report {

using namespace findings;

namespace {

constexpr size_t most_findings = 10, most_kernels = 8;

std::string milliseconds(double seconds) {
  return seconds < 0.9995  ? fmt::format("{:.3g}{}ms", seconds * 1e3, no_break)
         : seconds < 9.995 ? fmt::format("{:.2f}{}s", seconds, no_break)
                           : fmt::format("{:.1f}{}s", seconds, no_break);
}

std::string times(double ratio) { return fmt::format("{:.{}f}", ratio, ratio < 9.95 ? 1 : 0); }

std::string estimated(const OverheadEstimate& o) {
  if (!o.tells())
    return fmt::format("these launches took {} of processor time: too little to estimate what profiling cost",
                       milliseconds(o.cpu_seconds));
  if (o.share() < 0.005)
    return "profiling took less than 1 % of the processor time of these launches (estimated)";
  return fmt::format(
      "profiling took about {:.0f} % of the processor time of these launches: {} times as much as without "
      "(estimated)",
      100 * o.share(), times(o.ratio()));
}

// A fault's text is several lines, of which the first says what happened.
std::string interruption(std::string_view why, unsigned width) {
  const size_t end = std::min(why.find('\n'), why.size());
  if (end == why.size())
    return wrapped(fmt::format("not complete ({}): this is what was seen before", why), width, "  ");
  std::string text =
      wrapped(fmt::format("not complete, this is what was seen before: {}", why.substr(0, end)), width, "  ");
  for (why.remove_prefix(end); !why.empty();) {
    why.remove_prefix(1);
    const size_t next = std::min(why.find('\n'), why.size());
    text += wrapped(why.substr(0, next), width, "    ");
    why.remove_prefix(next);
  }
  return text;
}

// Notes on how far the numbers go.
std::string notes(const Profile& p, unsigned width) {
  std::string text;
  const auto note = [&](const std::string& sentence) { text += wrapped(sentence, width, "  "); };
  if (!p.interrupted.empty())
    text += interruption(p.interrupted, width);
  if (p.by_probes) {
    uint64_t recorded = 0, of = 0;
    for (const KernelProfile& k : p.kernels)
      recorded += k.waves_recorded, of += k.waves;
    note(fmt::format("counted by probes in the kernels, in {} of {}; times are with them", thousands(recorded),
                     plural(of, "wave")));
    for (const KernelProfile& k : p.kernels)
      if (!k.not_measured.empty())
        note(fmt::format("{} has no probes: {}", short_name(k.name), k.not_measured));
      else if (k.calls_unprobed)
        note(fmt::format("{} has {} calls and jumps through pointers: what they lead to has no probes and is not "
                         "counted, but for returns",
                         short_name(k.name), k.calls_unprobed));
  }
  if (!p.selection.kernels.empty())
    note(fmt::format("only kernels that match {}", p.selection.kernels));
  if (!p.selection.launches.empty())
    note(fmt::format("only launch{} {} of each kernel",
                     p.selection.launches.find("..") == std::string::npos ? "" : "es", p.selection.launches));
  if (p.selection.fraction < 1)
    note(fmt::format("sampled {:g} % of the workgroups (seed {})", 100 * p.selection.fraction, p.selection.seed));
  if (p.overhead && p.overhead->plain_seconds > 0)
    note(fmt::format("profiling took {} times as long as the same launch without: {} instead of {}",
                     times(p.overhead->profiled_seconds / p.overhead->plain_seconds),
                     milliseconds(p.overhead->profiled_seconds), milliseconds(p.overhead->plain_seconds)));
  else if (p.overhead_estimate)
    note(estimated(*p.overhead_estimate));
  if (p.trace)
    note(fmt::format("recorded {} of wave {} of workgroup {},{},{} of launch {} of {}{}: --html steps through it",
                     plural(p.trace->wave.steps.size(), "step"), p.trace->wave.wave, p.trace->wave.workgroup[0],
                     p.trace->wave.workgroup[1], p.trace->wave.workgroup[2], p.trace->launch,
                     short_name(p.kernels[static_cast<size_t>(p.trace->kernel)].name),
                     p.trace->wave.complete ? "" : ", which did more"));
  for (const std::string& damage : p.damaged)
    note(damage);
  if (!p.untraced.empty())
    note(p.untraced);
  return text;
}

struct Ranked {
  size_t kernel;
  const Finding* finding;
  double weight; // of the program, so that a kernel that hardly runs does not come first
};

std::vector<Ranked> ranked(const Profile& p) {
  double all = 0;
  for (const auto& k : p.kernels)
    all += static_cast<double>(k.wave_instructions);
  std::vector<Ranked> found, result;
  for (size_t i = 0; i < p.kernels.size(); ++i)
    for (const auto& f : p.kernels[i].findings) {
      const double part = all > 0 ? static_cast<double>(p.kernels[i].wave_instructions) / all : 1;
      found.push_back({i, &f, f.share * part});
    }
  if (p.kernels.size() == 1)
    return found; // in the order of its list
  for (const size_t i : costly_first(found.size(), [&](size_t at) { return found[at].weight; }))
    result.push_back(found[i]);
  return result;
}

std::string findings(const Profile& p, const Names& names, unsigned width) {
  const auto all = ranked(p);
  if (all.empty())
    return "findings: nothing costs more than 5 % of what a kernel does\n";
  std::string text = "findings\n";
  for (size_t i = 0; i < all.size() && i < most_findings; ++i) {
    const auto& f = *all[i].finding;
    const std::string lead = fmt::format("  {:>2}  {:>3.0f} %  ", i + 1, 100 * f.share), indent(lead.size(), ' ');
    const std::string title = wrapped(f.title, width, indent);
    text += lead + title.substr(std::min(title.size(), lead.size()));
    std::string where = names.place(f.source);
    if (p.kernels.size() > 1)
      where = names.kernels[all[i].kernel] + (where.empty() ? "" : ", " + where);
    const std::string source = names.source(f.source);
    if (!where.empty())
      text += indent + cut(where + (source.empty() ? "" : "  |  " + source), width - indent.size()) + "\n";
    text += wrapped(f.text, width, indent);
    const std::string advice = wrapped(f.advice, width, indent + "   ");
    if (!advice.empty())
      text += indent + "-> " + advice.substr(std::min(advice.size(), indent.size() + 3));
  }
  if (all.size() > most_findings)
    text += fmt::format("  {} more findings: --json or --html has them all\n", all.size() - most_findings);
  return text;
}

std::string launches(const KernelProfile& k) {
  return fmt::format("{} of {} work-items in blocks of {}{}: {}, {}, {}{}", plural(k.launches, "launch"),
                     shape_text(k.grid), shape_text(k.block), k.varied ? " (the last; others differed)" : "",
                     plural(k.workgroups, "workgroup"), plural(k.waves, "wavefront"),
                     plural(k.wave_instructions, "wave-instruction"),
                     k.seconds > 0 ? ", " + milliseconds(k.seconds) : "");
}

std::string resources(const KernelProfile& k) {
  std::string text = fmt::format("{} VGPRs", k.vgprs);
  if (k.agprs)
    text += fmt::format(" + {} accumulation", k.agprs);
  text += fmt::format(", {} SGPRs, LDS {} bytes, scratch {} bytes", k.sgprs, thousands(k.lds_bytes),
                      thousands(k.scratch_bytes));
  const auto& o = k.occupancy;
  if (!o.waves_per_simd)
    return text;
  text += fmt::format("; occupancy {} of {} waves", o.waves_per_simd, o.max_waves_per_simd);
  if (!o.limiter.empty() && o.limiter != "waves")
    text += fmt::format(", limited by {}", o.limiter);
  if (const uint32_t most = timing::instructions_per_clock(o.waves_per_simd);
      most < timing::instructions_per_clock(o.max_waves_per_simd))
    text += fmt::format(", at most {} in a clock", plural(most, "instruction"));
  if (!o.advice.empty() && o.waves_per_simd < o.max_waves_per_simd)
    text += fmt::format(" ({})", o.advice);
  return text;
}

std::string mix(const KernelProfile& k) {
  uint64_t all = 0;
  for (const auto& m : k.mix)
    all += m.wave_instructions;
  std::string text;
  for (const auto& m : k.mix)
    text +=
        fmt::format("{}{} {:.1f} %", text.empty() ? "" : ", ", name_of(m.kind),
                    100 * static_cast<double>(m.wave_instructions) / static_cast<double>(std::max<uint64_t>(all, 1)));
  return text;
}

std::string sampling(const Sampled& s) {
  std::string text =
      fmt::format("{} of {}: what follows is theirs", thousands(s.workgroups), plural(s.of, "workgroup"));
  if (s.workgroups)
    text += fmt::format("; all did about {} times as much",
                        times(static_cast<double>(s.of) / static_cast<double>(s.workgroups)));
  if (s.error)
    text += fmt::format(" (standard error {:.1f} %)", 100 * *s.error);
  return text;
}

// In columns; those that are 0 are only counted, since there are many.
void counters(const KernelProfile& k, KernelText& out) {
  constexpr size_t across = 3;
  std::vector<std::vector<std::string>> rows;
  std::string alignment;
  size_t count = 0, zero = 0;
  for (const auto& c : k.counters) {
    if (!c.value)
      continue;
    if (*c.value == 0) {
      ++zero;
      continue;
    }
    if (count++ % across == 0)
      rows.emplace_back();
    const bool whole = *c.value == std::floor(*c.value);
    rows.back().push_back(c.name);
    rows.back().push_back((whole ? fmt::format("{:.0f}", *c.value) : fmt::format("{:.2f}", *c.value)) +
                          (c.unit == "%" ? " %" : ""));
    rows.back().push_back("");
  }
  if (rows.empty())
    return;
  for (size_t i = 0; i < across; ++i)
    alignment += "lrl";
  out.add_table("counters", rows, alignment);
  if (zero)
    out.add("", fmt::format("and {} that {} 0", zero, zero == 1 ? "is" : "are"));
}

// Once for all kernels: it is the emulator that cannot tell.
std::string not_modelled(const Profile& p, unsigned width) {
  std::string names;
  for (const auto& c : p.kernels[0].counters)
    if (!c.value && c.why.find("needs --profile") == std::string::npos && !c.why.ends_with(Value::of_nothing))
      names += (names.empty() ? "" : ", ") + c.name;
  if (names.empty())
    return "";
  return "\ncounters that are not modelled, since they take a simulation of cycles or caches (--json says why)\n" +
         wrapped(names, width, "  ");
}

// Sums of all that a view knows of single instructions.
std::string figures(const Figures& f) {
  std::string text;
  for (size_t i = 0; i < f.columns.size(); ++i) {
    double sum = 0;
    for (const auto& row : f.rows)
      sum += row.values[i];
    const std::string& unit = f.columns[i].unit;
    text += fmt::format("{}{} {}{}", text.empty() ? "" : ", ", f.columns[i].name, brief(sum),
                        unit.empty() ? "" : no_break + unit);
  }
  return text;
}

std::string kernel_text(const KernelProfile& k, unsigned width) {
  const Totals t = totals(k);
  KernelText out(width);
  out.add("ran", launches(k));
  if (k.sampled)
    out.add("sampled", sampling(*k.sampled));
  out.add("resources", resources(k));
  if (!k.mix.empty())
    out.add("mix", mix(k));
  for (const View& view : views_to_report())
    if (view.parts.summary)
      view.parts.summary(t, out);
  for (const Figures& f : k.figures)
    if (f.view.size() < 11) // the labels' column
      out.add(f.view.c_str(), figures(f));
    else
      out.add("", f.view + ": " + figures(f));
  counters(k, out);
  return out.take();
}

} // namespace

std::string summary(const Profile& p, By by, unsigned width) {
  const Names names(p);
  std::string text =
      "profile" + (p.command.empty() ? "" : " of " + cut(p.command, width - 11)) + "\n" + notes(p, width);
  if (p.kernels.empty())
    return text + "  no kernel was launched that this profile is about\n";
  // Who asks for views with tables of their own wants these and nothing else.
  const bool more = std::ranges::any_of(p.kernels, [](const KernelProfile& k) { return !k.figures.empty(); });
  const bool whole = (p.by_probes && (!p.views.any() || more)) ||
                     std::ranges::any_of(all_views(), [&](const View& v) { return p.views.*v.on && !v.parts.table; });
  if (whole)
    text += "\n" + findings(p, names, width);

  const auto order = costly_first(p.kernels.size(), [&](size_t i) { return p.kernels[i].wave_instructions; });
  if (whole && by == By::kernel)
    text += "\n" + kernel_table(p, names, order, width);
  for (size_t at = 0; at < order.size() && at < most_kernels; ++at) {
    const auto& k = p.kernels[order[at]];
    if (!whole && !k.not_measured.empty())
      continue;
    if (p.views.any())
      text += "\n";
    if (whole) {
      text += fmt::format("{} ({})\n", cut(readable_name(k.name), width - 20),
                          k.card.empty() ? k.target : k.card + ", " + k.target);
      text += kernel_text(k, width);
      if (by != By::kernel)
        text += instruction_table(k, names, by == By::instruction, width);
    }
    for (const View& view : all_views())
      if (p.views.*view.on && view.parts.table)
        text += view.parts.table(k, names, width);
  }
  if (order.size() > most_kernels)
    text += fmt::format("\n{} more kernels: {}--json or --html has them all\n", order.size() - most_kernels,
                        by == By::kernel || !whole ? "" : "--by kernel lists them, ");
  // Names and instructions were made plain where they came in; this is for whatever else a file may have had a say in.
  return plain_lines(whole ? text + not_modelled(p, width) : text);
}

} // namespace crosslane::report
