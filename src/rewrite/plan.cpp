// As JSON, in the note.
#include "rewrite/plan.h"
#include "files/error.h"
#include <algorithm>
#include <bit>
#include <nlohmann/json.hpp>

namespace crosslane::rewrite {

using Json = nlohmann::json;

const KernelPlan* Plan::find(std::string_view kernel) const {
  const auto at = std::ranges::find(kernels, kernel, &KernelPlan::kernel);
  return at == kernels.end() ? nullptr : &*at;
}

namespace {

Json to_json(const EdgeCounts& graph) {
  Json edges = Json::array();
  for (const CountedEdge& e : graph.edges)
    edges.push_back({e.from, e.to, e.counter, e.known});
  return {{"nodes", graph.nodes}, {"edges", std::move(edges)}};
}

Json to_json(const LanesPlan& lanes) {
  Json runs = Json::array();
  for (const LaneRun& r : lanes.runs)
    runs.push_back({r.begin, r.instructions, r.node});
  return {{"graph", to_json(lanes.graph)}, {"runs", std::move(runs)}};
}

Json to_json(const TimePlan& time) {
  Json loops = Json::array();
  for (const TimedLoop& l : time.loops)
    loops.push_back({l.address, l.depth, l.cycles, l.entries});
  return {{"begin", time.begin}, {"end", time.end}, {"hw_id", time.hw_id}, {"loops", std::move(loops)}};
}

Json to_json(const UserPlan& user) {
  Json places = Json::array();
  for (const PlannedPlace& p : user.places)
    places.push_back({p.kind, p.address, p.target, p.first});
  return {{"name", user.name}, {"counters", user.counters}, {"places", std::move(places)}, {"left_out", user.left_out}};
}

Json to_json(const MemoryPlan& memory) {
  Json places = Json::array();
  for (const TracedAccess& p : memory.places)
    places.push_back({p.address, p.vectors});
  return {{"accesses", memory.accesses},
          {"first", memory.first},
          {"places", std::move(places)},
          {"untraced", memory.untraced}};
}

} // namespace

std::vector<uint8_t> to_note(const Plan& plan) {
  Json kernels = Json::array();
  for (const KernelPlan& k : plan.kernels) {
    Json sites = Json::array(), blocks = Json::array();
    for (const PlannedSite& s : k.sites)
      sites.push_back({s.address, s.per_lane, s.node, s.some_hold, s.some_hold_edge, s.some_fail, s.any});
    for (const PlannedBlock& b : k.counted)
      blocks.push_back({b.begin, b.instructions, b.node});
    kernels.push_back({{"kernel", k.kernel},
                       {"control", k.control},
                       {"counters", k.counters},
                       {"record_bytes", k.record_bytes},
                       {"powers", k.powers},
                       {"branches", k.branches},
                       {"block_counts", k.blocks},
                       {"only_saveexec", k.only_saveexec},
                       {"calls_to_uninstrumented", k.calls_to_old},
                       {"graph", to_json(k.graph)},
                       {"sites", std::move(sites)},
                       {"blocks", std::move(blocks)}});
    if (k.lanes)
      kernels.back()["lanes"] = to_json(*k.lanes);
    if (k.time)
      kernels.back()["time"] = to_json(*k.time);
    if (k.user)
      kernels.back()["user"] = to_json(*k.user);
    if (k.memory)
      kernels.back()["memory"] = to_json(*k.memory);
  }
  return Json::to_msgpack({{"crosslane_instrumented", Plan::version}, {"kernels", std::move(kernels)}});
}

namespace {

void from_json(const Json& j, EdgeCounts& graph) {
  graph.nodes = j.at("nodes");
  for (const Json& e : j.at("edges"))
    graph.edges.push_back({e.at(0), e.at(1), e.at(2), e.at(3)});
}

void from_json(const Json& j, LanesPlan& lanes) {
  from_json(j.at("graph"), lanes.graph);
  for (const Json& r : j.at("runs"))
    lanes.runs.push_back({r.at(0), r.at(1), r.at(2)});
}

void from_json(const Json& j, TimePlan& time) {
  time.begin = j.at("begin"), time.end = j.at("end"), time.hw_id = j.at("hw_id");
  for (const Json& l : j.at("loops"))
    time.loops.push_back({l.at(0), l.at(1), l.at(2), l.at(3)});
}

void from_json(const Json& j, UserPlan& user) {
  user.name = j.at("name"), user.counters = j.at("counters");
  user.left_out = j.value("left_out", 0u);
  for (const Json& p : j.at("places"))
    user.places.push_back({p.at(0), p.at(1), p.at(2), p.at(3)});
}

void from_json(const Json& j, MemoryPlan& memory) {
  memory.accesses = j.at("accesses"), memory.first = j.at("first");
  for (const Json& p : j.at("places"))
    memory.places.push_back({p.at(0), p.at(1)});
  memory.untraced = j.at("untraced").get<std::vector<uint64_t>>();
}

bool consistent(const EdgeCounts& graph, uint32_t counters) {
  return graph.nodes <= 1u << 24 && std::ranges::all_of(graph.edges, [&](const CountedEdge& e) {
           return e.from < graph.nodes && e.to < graph.nodes && (e.counter < 0 || uint32_t(e.counter) < counters);
         });
}

bool consistent(const LanesPlan& lanes, uint32_t counters) {
  return consistent(lanes.graph, counters) &&
         std::ranges::all_of(lanes.runs, [&](const LaneRun& r) { return r.node < lanes.graph.nodes; });
}

bool consistent(const TimePlan& time, uint32_t counters) {
  const auto fits = [&](uint32_t first, uint32_t n) { return first < counters && n <= counters - first; };
  return time.loops.size() <= counters && fits(time.begin, 2) && fits(time.end, 2) && fits(time.hw_id, 1) &&
         std::ranges::all_of(time.loops, [&](const TimedLoop& l) { return fits(l.cycles, 2) && fits(l.entries, 1); });
}

bool consistent(const UserPlan& user, uint32_t counters) {
  return user.counters <= counters && user.places.size() * user.counters <= counters &&
         std::ranges::all_of(user.places, [&](const PlannedPlace& p) {
           return p.first <= counters && user.counters <= counters - p.first;
         });
}

bool consistent(const MemoryPlan& memory, const KernelPlan& k) {
  return memory.accesses < k.counters && memory.first % 4 == 0 && memory.first <= k.record_bytes &&
         std::ranges::all_of(memory.places, [](const TracedAccess& p) { return p.vectors <= 2; });
}

// Every number that is an index is one.
bool consistent(const KernelPlan& k) {
  const auto node = [&](uint32_t n) { return n < k.graph.nodes; };
  const auto counter = [&](int32_t c) { return c < 0 || uint32_t(c) < k.counters; };
  const auto edge = [&](int32_t e) { return e < 0 || size_t(e) < k.graph.edges.size(); };
  return k.counters <= 65536 && k.record_bytes >= k.counters * 4 && k.record_bytes >= 4 &&
         std::has_single_bit(k.record_bytes) && consistent(k.graph, k.counters) &&
         (!k.lanes || consistent(*k.lanes, k.counters)) && (!k.time || consistent(*k.time, k.counters)) &&
         (!k.user || consistent(*k.user, k.counters)) && (!k.memory || consistent(*k.memory, k)) &&
         std::ranges::all_of(k.sites,
                             [&](const auto& s) {
                               return node(s.node) && counter(s.some_hold) && edge(s.some_hold_edge) &&
                                      counter(s.some_fail) && counter(s.any);
                             }) &&
         std::ranges::all_of(k.counted, [&](const auto& b) { return node(b.node); }) &&
         std::ranges::all_of(k.powers, [&](uint32_t c) { return c < k.counters; });
}

// All numbers of a plan are whole.
bool has_reals(const Json& j) {
  return j.is_number_float() || (j.is_structured() && std::ranges::any_of(j, has_reals));
}

} // namespace

llvm::Expected<Plan> from_note(std::span<const uint8_t> bytes, std::string_view name) {
  try {
    const Json all = Json::from_msgpack(bytes);
    if (has_reals(all))
      return fail("{}: what it says of its probes is damaged", name);
    if (all.at("crosslane_instrumented").get<int>() != Plan::version)
      return fail("{}: is instrumented by another version of crosslane; instrument it again", name);
    Plan plan;
    for (const Json& j : all.at("kernels")) {
      KernelPlan k;
      k.kernel = j.at("kernel"), k.control = j.at("control");
      k.counters = j.at("counters"), k.record_bytes = j.at("record_bytes");
      k.powers = j.at("powers").get<std::vector<uint32_t>>();
      k.branches = j.at("branches"), k.blocks = j.at("block_counts");
      k.only_saveexec = j.value("only_saveexec", false);
      k.calls_to_old = j.value("calls_to_uninstrumented", uint64_t(0));
      from_json(j.at("graph"), k.graph);
      for (const Json& s : j.at("sites"))
        k.sites.push_back({s.at(0), s.at(1), s.at(2), s.at(3), s.at(4), s.at(5), s.at(6)});
      for (const Json& b : j.at("blocks"))
        k.counted.push_back({b.at(0), b.at(1), b.at(2)});
      if (j.contains("lanes"))
        from_json(j.at("lanes"), k.lanes.emplace());
      if (j.contains("time"))
        from_json(j.at("time"), k.time.emplace());
      if (j.contains("user"))
        from_json(j.at("user"), k.user.emplace());
      if (j.contains("memory"))
        from_json(j.at("memory"), k.memory.emplace());
      if (!consistent(k))
        return fail("{}: what it says of its probes is damaged", name);
      plan.kernels.push_back(std::move(k));
    }
    return plan;
  } catch (const Json::exception&) {
    return fail("{}: what it says of its probes is damaged", name);
  }
}

} // namespace crosslane::rewrite
