// The trace of a wave as JSON: steps that say what changed, lane values in base64.
#include "report/json_parts.h"
#include <algorithm>
#include <llvm/Support/Base64.h>

namespace crosslane::report::parts {

using namespace findings;

namespace {

Json lane_values(const views::LaneValues& values) {
  if (std::all_of(values.begin(), values.end(), [&](uint32_t v) { return v == values[0]; }))
    return values[0];
  std::array<char, 256> bytes; // little-endian wherever this runs
  for (size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = static_cast<char>(values[i / 4] >> 8 * (i % 4));
  return llvm::encodeBase64(bytes);
}

Json changes(const views::RegisterChanges& c) {
  Json entry = Json::object();
  for (const auto& [number, value] : c.s)
    entry["s"][std::to_string(number)] = value;
  for (const auto& [number, values] : c.v)
    entry["v"][number < 256 ? std::to_string(number) : fmt::format("a{}", number - 256)] = lane_values(values);
  if (c.exec)
    entry["exec"] = hex(*c.exec);
  if (c.vcc)
    entry["vcc"] = hex(*c.vcc);
  if (c.scc)
    entry["scc"] = *c.scc;
  if (c.m0)
    entry["m0"] = *c.m0;
  return entry;
}

Json access(const views::TracedAccess& a) {
  Json entry = {{"space", name_of(a.space)}, {"kind", name_of(a.kind)}, {"bytes", a.bytes}, {"lanes", hex(a.lanes)}};
  add_addresses(entry, {a.lanes, &a.address, a.two_addresses ? &a.second : nullptr, a.space == events::Space::lds});
  return entry;
}

Json step(const views::TraceStep& s) {
  Json entry = changes(s.changes);
  if (s.accesses.size() == 1)
    entry["mem"] = access(s.accesses[0]);
  else
    for (const auto& a : s.accesses)
      entry["mem"].push_back(access(a));
  return {s.instruction, entry.empty() ? Json(0) : entry};
}

} // namespace

Json trace(const Trace& t) {
  Json instructions = Json::array(), steps = Json::array();
  for (const auto& i : t.instructions)
    instructions.push_back({{"address", hex(i.address)},
                            {"function", i.function},
                            {"offset", i.offset},
                            {"text", i.text},
                            {"source", place(i.source)}});
  for (const auto& s : t.wave.steps)
    steps.push_back(step(s));
  // Everything that is not 0 at the start is told there; the four special registers always.
  Json initial = {{"s", Json::object()}, {"v", Json::object()}, {"exec", "0x0"}, {"vcc", "0x0"}, {"scc", 0}, {"m0", 0}};
  initial.update(changes(t.wave.initial));
  return {{"kernel", t.kernel},
          {"launch", t.launch},
          {"workgroup", t.wave.workgroup},
          {"wave", t.wave.wave},
          {"vgpr_count", t.wave.vgpr_count},
          {"agpr_count", t.wave.agpr_count},
          {"sgpr_count", t.wave.sgpr_count},
          {"complete", t.wave.complete},
          {"instructions", std::move(instructions)},
          {"initial", std::move(initial)},
          {"steps", std::move(steps)}};
}

} // namespace crosslane::report::parts
