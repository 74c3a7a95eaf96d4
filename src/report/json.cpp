// The profile as JSON, key by key in the order of docs/profile-format.md.
#include "report/json.h"
#include "findings/names.h"
#include "report/json_parts.h"
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

} // namespace parts

namespace {

using namespace parts;

Json example(const views::LaneExample& e, bool lds) {
  if (!e.lanes)
    return {};
  Json entry = {{"workgroup", e.workgroup}, {"wave", e.wave}, {"lanes", hex(e.lanes)}};
  add_addresses(entry, {e.lanes, &e.address, e.two_addresses ? &e.second : nullptr, lds});
  return entry;
}

Json branch(const views::BranchSite& site) {
  const auto& c = site.counts;
  return {{"executions", c.executions},
          {"all", c.all},
          {"none", c.none},
          {"agreements", c.agreements()},
          {"divergences", c.divergences()},
          {"arriving_lanes", c.arriving_lanes},
          {"condition_lanes", c.condition_lanes},
          {"per_lane", site.per_lane}};
}

Json memory(const views::MemorySite& site) {
  const auto& c = site.counts;
  Json entry = {{"space", name_of(site.space)},
                {"kind", name_of(site.kind)},
                {"bytes", site.bytes},
                {"requests", c.requests},
                {"lanes", c.lanes},
                {"lines", c.lines},
                {"ideal_lines", c.ideal_lines},
                {"excess_lines", c.excess_lines()},
                {"bytes_asked", c.bytes_asked},
                {"bytes_moved", c.bytes_moved},
                {"l2_operations", c.l2_operations},
                {"address_collisions", c.address_collisions},
                {"clocks", c.clocks},
                {"ideal_clocks", c.ideal_clocks}};
  const char* cases[views::l1_cases] = {"same_address", "quads_same_address", "quads_one_block", "separate_quads",
                                        "wide"};
  for (int i = 0; i < views::l1_cases; ++i)
    entry["l1_groups"][cases[i]] = c.l1_groups[i];
  entry["misaligned_lanes"] = c.misaligned_lanes;
  entry["split_lanes"] = c.split_lanes;
  entry["pattern"] = views::describe_pattern(site);
  entry["pattern_share"] = number(site.pattern_share);
  entry["stride"] = site.stride;
  entry["alignment"] = site.alignment;
  entry["worst"] = example(site.worst, false);
  return entry;
}

Json lds(const views::LdsSite& site) {
  const auto& c = site.counts;
  Json entry = {{"kind", name_of(site.kind)},
                {"bytes", site.bytes},
                {"accesses", c.accesses},
                {"lanes", c.lanes},
                {"cycles", c.cycles},
                {"ideal_cycles", c.ideal_cycles},
                {"conflict_cycles", c.conflict_cycles()},
                {"broadcasts", c.broadcasts},
                {"same_address_atomics", c.same_address_atomics},
                {"same_address_cycles", c.same_address_cycles},
                {"worst_degree", site.worst_degree}};
  const bool conflict = site.worst_degree > 1;
  entry["worst_bank"] = conflict ? Json(site.worst_bank) : Json();
  entry["worst_lanes"] = conflict ? Json(site.worst_lane) : Json();
  entry["worst_addresses"] = conflict ? Json(site.worst_address) : Json();
  entry["worst"] = example(site.worst, true);
  return entry;
}

Json instruction(const ProfiledInstruction& i, bool counted) {
  Json entry = {{"address", hex(i.address)}, {"function", i.function},
                {"offset", i.offset},        {"text", i.text},
                {"source", place(i.source)}, {"class", findings::name_of(i.kind)}};
  if (i.kind == InstructionClass::branch)
    entry["target"] = i.target >= 0 ? Json(i.target) : Json();
  if (counted)
    entry["executions"] = i.executions;
  if (i.active && i.executions) {
    Json histogram = Json::array();
    for (size_t lanes = 0; lanes < i.active->waves.size(); ++lanes)
      if (i.active->waves[lanes])
        histogram.push_back({lanes, i.active->waves[lanes]});
    entry["lanes"] = i.active->lanes();
    entry["active"] = std::move(histogram);
    entry["diverged_lanes"] = i.active->diverged;
    entry["missing_lanes"] = i.active->missing;
    entry["lost_lane_cycles"] = number(i.lost_lane_cycles);
    entry["lost_to_partial_waves"] = number(i.lost_to_partial_waves);
  }
  if (i.branch)
    entry["branch"] = branch(*i.branch);
  if (!i.memory.empty()) {
    entry["memory"] = Json::array();
    for (const auto& site : i.memory)
      entry["memory"].push_back(memory(site));
  }
  if (i.lds)
    entry["lds"] = lds(*i.lds);
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

Json kernel(const KernelProfile& k, const std::string& short_name) {
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
  entry["mix"] = list(k.mix, [](const MixEntry& m) {
    Json of_class = {{"class", findings::name_of(m.kind)}, {"wave_instructions", m.wave_instructions}};
    of_class["lanes"] = m.lanes ? Json(*m.lanes) : Json();
    return of_class;
  });
  entry["counters"] = list(k.counters, counter);
  entry["findings"] = list(k.findings, finding);
  entry["lines"] = list(k.lines, line);
  entry["instructions"] = list(k.instructions, [&](const auto& i) { return instruction(i, counted); });
  if (!k.waves_branches.empty())
    entry["waves_branches"] = list(k.waves_branches, [](const WaveBranchCounts& w) -> Json {
      return {{"workgroup", w.workgroup},
              {"wave", w.wave},
              {"instruction", w.instruction},
              {"executions", w.counts.executions},
              {"agreements", w.counts.agreements()}};
    });
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
  const std::pair<bool, const char*> all[] = {{views.branches, "branches"},
                                              {views.divergence, "divergence"},
                                              {views.memory, "memory"},
                                              {views.lds, "lds"},
                                              {traced, "trace"}};
  for (const auto& [on, name] : all)
    if (on)
      result.push_back(name);
  return result;
}

} // namespace

std::string json(const Profile& p) {
  Json document = {{"format", "crosslane-profile"},
                   {"version", profile_version},
                   {"producer", p.producer},
                   {"command", p.command},
                   {"views", names(p.views, p.trace.has_value())},
                   {"complete", p.interrupted.empty()}};
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
    document["kernels"].push_back(kernel(p.kernels[i], shown[i]));
  if (p.trace)
    document["trace"] = trace(*p.trace);
  if (!p.damaged.empty())
    document["damaged"] = p.damaged;
  if (!p.untraced.empty())
    document["untraced"] = p.untraced;
  return document.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace crosslane::report
