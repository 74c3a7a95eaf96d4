// The same as JSON. Numbers that are not exact are [least, most].
#include "cli/timing/report.h"
#include <algorithm>
#include <fmt/format.h>

namespace crosslane::cli {

namespace {

using Json = nlohmann::ordered_json;
using timing::Binding;
using timing::Cycles;

Json number(double d) { return d == double(int64_t(d)) ? Json(int64_t(d)) : Json(d); }
Json to_json(const Cycles& c) { return c.exact() ? number(c.least) : Json::array({number(c.least), number(c.most)}); }
std::string hex(uint64_t n) { return fmt::format("{:#x}", n); }

Json to_json(const timing::Sums& s) {
  Json units = Json::object();
  for (size_t r = 0; r < timing::resource_count; ++r)
    if (s.unit[r].most > 0)
      units[std::string(timing::name_of(timing::Resource(r)))] = to_json(s.unit[r]);
  return units;
}
Json to_json(const timing::PathRange& p) {
  using timing::PathTime;
  const auto of = [&](double PathTime::* what) {
    const double a = p.least.*what, b = p.most.*what;
    return to_json(Cycles(std::min(a, b), std::max(a, b)));
  };
  return {{"cycles", of(&PathTime::cycles)},
          {"vmcnt", of(&PathTime::vm)},
          {"lgkmcnt", of(&PathTime::lgkm)},
          {"expcnt", of(&PathTime::exp)},
          {"delays", of(&PathTime::delays)}};
}
Json to_json(const timing::Bound& b) {
  return {{"cycles", to_json(b.cycles)}, {"by", timing::name_of(b.least)}, {"at_worst_by", timing::name_of(b.most)}};
}
Json source(const TimingKernel& k, uint64_t pc) {
  const auto line = k.source(pc - k.in.image.bias);
  return line && line->line ? Json{line->file, line->line} : Json();
}

Json to_json(const TimingKernel& k, const timing::LoopEstimate& l) {
  Json bounds = Json::object(), path = Json::array();
  for (size_t b = 0; b < timing::binding_count; ++b)
    if (l.bounds[b].most > 0)
      bounds[std::string(timing::name_of(Binding(b)))] = to_json(l.bounds[b]);
  for (const uint32_t b : l.path)
    path.push_back(hex(k.estimate.blocks[b].begin - k.in.image.bias));
  return {{"header", hex(l.header - k.in.image.bias)},
          {"source", source(k, l.header)},
          {"depth", l.depth},
          {"parent", l.parent == analysis::none ? Json() : Json(l.parent)},
          {"blocks", l.blocks},
          {"path", std::move(path)},
          {"inner_loops_once", l.has_inner},
          {"instructions", number(l.sums.instructions)},
          {"bytes", number(l.sums.bytes)},
          {"units", to_json(l.sums)},
          {"alone", to_json(l.alone)},
          {"among", to_json(l.among)},
          {"bounds", std::move(bounds)},
          {"bound", to_json(l.bound)},
          {"waves_to_hide", l.waves_to_hide ? Json(l.waves_to_hide) : Json()}};
}

Json to_json(const TimingKernel::Run& run) {
  const timing::WholeEstimate& w = run.whole;
  Json units = Json::object();
  for (const timing::WholeTerm& t : w.units)
    units[t.name] = to_json(t.cycles);
  return {
      {"profile", run.file},
      {"launches", number(run.launches)},
      {"workgroups", number(run.launch.workgroups)},
      {"waves", number(run.launch.waves)},
      {"wave_instructions", number(w.sums.instructions)},
      {"cycles", std::move(units)},
      {"way_of_a_wave", to_json(w.way.cycles)},
      {"launch", to_json(w.launch.cycles)},
      {"dram", w.dram.cycles.most > 0 ? to_json(w.dram.cycles) : Json()},
      {"dram_bytes",
       run.launch.bytes_most > 0 ? to_json(Cycles(run.launch.bytes_least, run.launch.bytes_most)) : Json()},
      {"launch_fixed_us", number(w.fixed_us)},
      {"static_us", {{"us", to_json(w.static_us)}, {"by", w.static_least}, {"at_worst_by", w.static_most}}},
      {"roofline_us", {{"us", to_json(w.roofline_us)}, {"by", w.roofline_least}, {"at_worst_by", w.roofline_most}}}};
}

Json to_json(const TimingKernel& k, const timing::Row& row, std::span<const codeobject::Function> functions) {
  const uint64_t address = row.pc - k.in.image.bias;
  Json out = {{"address", hex(address)},
              {"text", instruction_text(k, address, row.instruction, functions)},
              {"source", source(k, row.pc)},
              {"unit", timing::name_of(row.cost.resource)},
              {"wave", to_json(row.cost.wave)},
              {"cycles", to_json(row.cost.unit)},
              {"bytes", row.instruction.size},
              {"fetch", row.fetch},
              {"delay", number(row.delay)},
              {"missing_wait_states", row.missing_wait_states},
              {"in_document", row.cost.in_document},
              {"note", row.cost.note}};
  if (row.cost.taken > 0)
    out["taken"] = number(row.cost.taken);
  return out;
}

} // namespace

Json timing_json(const TimingKernel& k, bool instructions) {
  const timing::KernelEstimate& e = k.estimate;
  Json limits = Json::object(), blocks = Json::array(), loops = Json::array();
  for (const timing::OccupancyLimit& l : e.occupancy.limits)
    limits[l.name] = l.waves;
  for (const timing::BlockEstimate& b : e.blocks)
    blocks.push_back({{"begin", hex(b.begin - k.in.image.bias)},
                      {"end", hex(b.end - k.in.image.bias)},
                      {"loop", b.loop == analysis::none ? Json() : Json(b.loop)},
                      {"instructions", b.count},
                      {"units", to_json(b.sums)},
                      {"alone", to_json(b.alone)}});
  for (const timing::LoopEstimate& l : e.loops)
    loops.push_back(to_json(k, l));
  Json out = {{"kernel", e.kernel->name},
              {"workgroup", k.options.workgroup_items},
              {"workgroup_from", k.workgroup_from},
              {"occupancy",
               {{"waves_per_simd", e.occupancy.waves_per_simd},
                {"max_waves_per_simd", e.occupancy.max_waves_per_simd},
                {"limiter", e.occupancy.limiter},
                {"limits", std::move(limits)},
                {"advice", e.occupancy.advice}}},
              {"waves", e.waves},
              {"vmem_latency", {{"cycles", number(k.options.vmem_latency)}, {"from", k.latency_from}}},
              {"instructions", e.rows.size()},
              {"bytes", number(e.sums.bytes)},
              {"calls", e.calls},
              {"unknown", e.unknown},
              {"units", to_json(e.sums)},
              {"blocks", std::move(blocks)},
              {"loops", std::move(loops)}};
  if (k.run)
    out["run"] = to_json(*k.run);
  if (instructions) {
    const auto functions = k.in.object.functions();
    out["rows"] = Json::array();
    for (const timing::Row& row : e.rows)
      out["rows"].push_back(to_json(k, row, functions));
  }
  return out;
}

Json assumed_json(const gpu::Used& used, const gpu::Machine& m) {
  Json out = Json::array();
  for (const gpu::Parameter p : used.assumed(m))
    out.push_back({{"parameter", gpu::info(p).name},
                   {"value", number(m[p])},
                   {"unit", gpu::info(p).unit},
                   {"source", m.setting(p).source}});
  return out;
}

} // namespace crosslane::cli
