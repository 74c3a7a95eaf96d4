// The profile as JSON, key by key in the order of docs/profile-format.md.
#include "report/json.h"
#include "findings/names.h"
#include "report/json_parts.h"
#include "report/view.h"
#include <algorithm>
#include <cmath>
#include <limits>

namespace crosslane::report {

using namespace findings;

namespace parts {

Json number(double value) {
  if (!std::isfinite(value))
    return {};
  if (std::abs(value) < 0x1p53 && value == std::floor(value))
    return static_cast<int64_t>(value);
  return value;
}

Json place(const Place& p) { return p.known() ? Json{p.file, p.line, p.column} : Json(); }

const char* name_of(events::Space space) {
  switch (space) {
  case events::Space::global: return "global";
  case events::Space::scratch: return "scratch";
  case events::Space::scalar: return "scalar";
  case events::Space::lds: return "lds";
  }
  return "";
}

const char* name_of(events::AccessKind kind) {
  switch (kind) {
  case events::AccessKind::load: return "load";
  case events::AccessKind::store: return "store";
  case events::AccessKind::atomic: return "atomic";
  }
  return "";
}

void add_addresses(Json& entry, const LaneAddresses& a) {
  uint64_t base = std::numeric_limits<uint64_t>::max();
  if (a.lds)
    base = 0;
  else
    for (int lane = 0; lane < 64; ++lane)
      if (a.lanes >> lane & 1)
        base = std::min({base, (*a.address)[lane], a.second ? (*a.second)[lane] : base});
  const auto offsets = [&](const std::array<uint64_t, 64>& address) {
    Json list = Json::array();
    for (int lane = 0; lane < 64; ++lane)
      list.push_back(a.lanes >> lane & 1 ? Json(address[lane] - base) : Json());
    return list;
  };
  entry["base"] = hex(base);
  entry["offsets"] = offsets(*a.address);
  entry["second"] = a.second ? offsets(*a.second) : Json();
}

Json example(const views::LaneExample& e, bool lds) {
  if (!e.lanes)
    return {};
  Json entry = {{"workgroup", e.workgroup}, {"wave", e.wave}, {"lanes", hex(e.lanes)}};
  add_addresses(entry, {e.lanes, &e.address, e.two_addresses ? &e.second : nullptr, lds});
  return entry;
}

} // namespace parts

namespace {

using namespace parts;

Json instruction(const ProfiledInstruction& i, bool counted) {
  Json entry = {{"address", hex(i.address)}, {"function", i.function},
                {"offset", i.offset},        {"text", i.text},
                {"source", place(i.source)}, {"class", findings::name_of(i.kind)}};
  if (i.kind == InstructionClass::branch)
    entry["target"] = i.target >= 0 ? Json(i.target) : Json();
  if (counted)
    entry["executions"] = i.executions;
  for (const View& view : views_to_report())
    if (view.parts.instruction_json)
      view.parts.instruction_json(i, entry);
  return entry;
}

Json occupancy(const timing::Occupancy& o) {
  Json limits = Json::array();
  for (const auto& limit : o.limits)
    limits.push_back({{"name", limit.name}, {"waves", limit.waves}});
  return {{"waves_per_simd", o.waves_per_simd},
          {"max_waves_per_simd", o.max_waves_per_simd},
          {"limiter", o.limiter},
          {"limits", std::move(limits)},
          {"advice", o.advice},
          {"instructions_per_clock", timing::instructions_per_clock(o.waves_per_simd)}};
}

Json counter(const Counter& c) {
  Json entry = {{"name", c.name}, {"value", c.value ? number(*c.value) : Json()}, {"unit", c.unit}, {"about", c.about}};
  if (!c.value)
    entry["why"] = c.why;
  return entry;
}

Json finding(const Finding& f) {
  return {{"kind", findings::name_of(f.kind)},
          {"title", f.title},
          {"text", f.text},
          {"advice", f.advice},
          {"instruction", f.instruction >= 0 ? Json(f.instruction) : Json()},
          {"source", place(f.source)},
          {"cost", number(f.cost)},
          {"unit", f.unit},
          {"share", number(f.share)}};
}

Json line(const ProfiledLine& l) {
  return {{"source", {l.source.file, l.source.line}},
          {"instructions", l.instructions},
          {"executions", l.executions},
          {"lanes", l.lanes},
          {"lost_lane_cycles", number(l.lost_lane_cycles)},
          {"lines", l.lines},
          {"ideal_lines", l.ideal_lines},
          {"excess_lines", l.excess_lines},
          {"lds_cycles", l.lds_cycles},
          {"conflict_cycles", l.conflict_cycles},
          {"divergences", l.divergences},
          {"branches", l.branches}};
}

template <class Range, class F> Json list(const Range& range, F f) {
  Json result = Json::array();
  for (const auto& element : range)
    result.push_back(f(element));
  return result;
}

Json sampled(const Sampled& s) {
  return {{"workgroups", s.workgroups}, {"of", s.of}, {"error", s.error ? number(*s.error) : Json()}};
}

Json figures(const Figures& f) {
  Json entry = {{"view", f.view},
                {"columns", list(f.columns,
                                 [](const Figures::Column& c) -> Json {
                                   Json column = {{"name", c.name}, {"unit", c.unit}, {"about", c.about}};
                                   if (c.quiet)
                                     column["quiet"] = true;
                                   return column;
                                 })},
                {"rows", list(f.rows, [](const Figures::Row& r) {
                   Json row = {r.instruction};
                   for (const double value : r.values)
                     row.push_back(number(value));
                   return row;
                 })}};
  if (f.beside_code)
    entry["beside_code"] = true;
  return entry;
}

Json kernel(const KernelProfile& k, const std::string& short_name, bool by_probes) {
  // Only some views count executions; without them a 0 would say that nothing ran. Of an empty grid it says so.
  const bool counted = k.wave_instructions == 0 || std::any_of(k.instructions.begin(), k.instructions.end(),
                                                               [](const auto& i) { return i.executions || i.active; });
  Json entry = {{"name", k.name},
                {"readable", readable_name(k.name)},
                {"short", short_name},
                {"target", k.target},
                {"card", text_or_null(k.card)},
                {"launches", k.launches},
                {"grid", k.grid},
                {"block", k.block},
                {"varied", k.varied},
                {"workgroups", k.workgroups},
                {"waves", k.waves},
                {"wave_instructions", k.wave_instructions},
                {"sampled", k.sampled ? sampled(*k.sampled) : Json()},
                {"seconds", number(k.seconds)},
                {"vgprs", k.vgprs},
                {"agprs", k.agprs},
                {"sgprs", k.sgprs},
                {"lds_bytes", k.lds_bytes},
                {"scratch_bytes", k.scratch_bytes},
                {"occupancy", occupancy(k.occupancy)}};
  if (by_probes)
    entry.update({{"waves_recorded", k.waves_recorded},
                  {"not_measured", text_or_null(k.not_measured)},
                  {"calls_to_uninstrumented", k.calls_unprobed}});
  entry["mix"] = list(k.mix, [](const MixEntry& m) {
    Json of_class = {{"class", findings::name_of(m.kind)}, {"wave_instructions", m.wave_instructions}};
    of_class["lanes"] = m.lanes ? Json(*m.lanes) : Json();
    return of_class;
  });
  entry["counters"] = list(k.counters, counter);
  entry["findings"] = list(k.findings, finding);
  entry["lines"] = list(k.lines, line);
  entry["instructions"] = list(k.instructions, [&](const auto& i) { return instruction(i, counted); });
  for (const View& view : views_to_report())
    if (view.parts.kernel_json)
      view.parts.kernel_json(k, entry);
  if (!k.figures.empty())
    entry["figures"] = list(k.figures, figures);
  return entry;
}

Json selection(const Selection& s) {
  return {{"kernels", text_or_null(s.kernels)},
          {"launches", text_or_null(s.launches)},
          {"sample", s.fraction < 1 ? Json{{"fraction", s.fraction}, {"seed", s.seed}} : Json()}};
}

Json overhead(const Overhead& o) {
  return {{"plain_seconds", number(o.plain_seconds)},
          {"profiled_seconds", number(o.profiled_seconds)},
          {"ratio", o.plain_seconds > 0 ? number(o.profiled_seconds / o.plain_seconds) : Json()}};
}

Json overhead_estimate(const OverheadEstimate& o) {
  return {{"cpu_seconds", number(o.cpu_seconds)},
          {"hook_seconds", number(o.hook_seconds)},
          {"share", o.tells() ? number(o.share()) : Json()},
          {"ratio", o.tells() ? number(o.ratio()) : Json()}};
}

Json names(const Views& views, bool traced) {
  Json result = Json::array();
  for (const View& view : all_views())
    if (views.*view.on)
      result.push_back(view.name);
  if (traced)
    result.push_back("trace");
  return result;
}

} // namespace

std::string json(const Profile& p, const std::string& more) {
  Json document = {{"format", "crosslane-profile"},
                   {"version", profile_version},
                   {"producer", p.producer},
                   {"command", p.command},
                   {"views", names(p.views, p.trace.has_value())},
                   {"complete", p.interrupted.empty()}};
  if (p.by_probes)
    document["measured_by"] = "probes";
  if (!p.interrupted.empty())
    document["interrupted"] = p.interrupted;
  document["selection"] = selection(p.selection);
  document["seconds"] = number(p.seconds);
  document["overhead"] = p.overhead ? overhead(*p.overhead) : Json();
  document["overhead_estimate"] = p.overhead_estimate ? overhead_estimate(*p.overhead_estimate) : Json();
  document["sources"] = list(p.sources, [](const SourceFile& s) -> Json {
    return {{"path", s.path}, {"language", s.language}, {"text", s.text ? Json(*s.text) : Json()}};
  });
  std::vector<std::string> symbols;
  for (const auto& k : p.kernels)
    symbols.push_back(k.name);
  const std::vector<std::string> shown = short_names(symbols);
  document["buffers"] = list(p.buffers, [](const Buffer& b) -> Json {
    return {{"name", b.name},
            {"address", hex(b.address)},
            {"size", b.size},
            {"type", text_or_null(b.type)},
            {"element", b.type.empty() ? Json() : Json(b.element)}};
  });
  document["kernels"] = Json::array();
  for (size_t i = 0; i < p.kernels.size(); ++i)
    document["kernels"].push_back(kernel(p.kernels[i], shown[i], p.by_probes));
  if (p.trace)
    document["trace"] = trace(*p.trace);
  if (!p.damaged.empty())
    document["damaged"] = p.damaged;
  if (!p.untraced.empty())
    document["untraced"] = p.untraced;
  std::string text = document.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  if (!more.empty())
    text.insert(text.rfind('}'), "," + more);
  return text;
}

} // namespace crosslane::report
