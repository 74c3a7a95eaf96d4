// Sums first, then each instruction by its address.
#include "timing/replay/json.h"
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace crosslane::timing::replay {

namespace {

using Json = nlohmann::ordered_json;

Json json(const SpentCycles& spent) {
  Json out = Json::object();
  for (size_t i = 0; i < spent_count; ++i)
    if (spent[i])
      out[std::string(name_of(Spent(i)))] = spent[i];
  return out;
}

// What a part of the grid has its part of.
Json counts(const Figures& f, const SpentCycles& spent) {
  return {{"cycles", f.cycles},
          {"wave_cycles", f.wave_cycles},
          {"clock_reads", f.clock_reads},
          {"busy_cycles",
           {{"valu", f.units.busy[size_t(Port::valu)]},
            {"matrix", f.units.busy[size_t(Port::matrix)]},
            {"salu", f.units.busy[size_t(Port::salu)]},
            {"branch", f.units.busy[size_t(Port::branch)]},
            {"vector_memory", f.units.address_busy},
            {"lds", f.units.lds_busy}}},
          {"l1", {{"hits", f.units.l1_hits}, {"misses", f.units.l1_misses}}},
          {"scalar_cache", {{"hits", f.units.scalar_hits}, {"misses", f.units.scalar_misses}}},
          {"instruction_cache", {{"misses", f.units.code_misses}}},
          {"l2",
           {{"hits", f.memory.hits},
            {"misses", f.memory.misses},
            {"loads", f.memory.loads},
            {"stores", f.memory.stores},
            {"atomics", f.memory.atomic_requests}}},
          {"memory", {{"bytes_read", f.memory.read}, {"bytes_written", f.memory.written}}},
          {"cycles_spent", json(spent)}};
}

} // namespace

Json json(const Figures& f, const Estimate* estimate, std::span<const Line> lines, const Machine& m) {
  Json document = {{"mhz", m.mhz},
                   {"compute_units", m.units},
                   {"nanoseconds", f.nanoseconds},
                   {"launch_nanoseconds", m.launch_ns},
                   {"waves", f.waves},
                   {"workgroups", f.groups},
                   {"instructions", f.instructions}};
  document.update(counts(f, f.spent()));
  if (estimate) {
    Json& sampled = document["sampled"] = {{"workgroups", estimate->replayed}, {"stretches", estimate->stretches}};
    sampled["error"] = counts(estimate->error, estimate->spent_error); // of 95 of 100, in the units of the counts
  }
  Json& instructions = document["per_instruction"] = Json::array();
  for (size_t i = 0; i < lines.size() && i < f.rows.size(); ++i)
    instructions.push_back({{"address", fmt::format("{:#x}", lines[i].address)},
                            {"instruction", lines[i].text},
                            {"issued", f.rows[i].issued},
                            {"cycles", json(f.rows[i].cycles)}});
  return document;
}

} // namespace crosslane::timing::replay
