// Edges from counters, nodes from edges.
#include "rewrite/record_reader.h"
#include <algorithm>

namespace crosslane::rewrite {

namespace {

// n of value = 5^n modulo 2^32, below 2^30, bit by bit: 5^(2^k) is 1 modulo 2^(k+2), and not modulo 2^(k+3).
uint32_t logarithm(uint32_t value) {
  uint32_t n = 0, power = 5, have = 1;
  for (uint32_t k = 0; k < 30 && have != value; ++k) {
    if ((value ^ have) >> (k + 2) & 1)
      n |= 1u << k, have *= power;
    power *= power;
  }
  return n;
}

// What came to each node.
void through_nodes(const EdgeCounts& graph, std::span<const uint64_t> edges, std::vector<uint64_t>& nodes) {
  nodes.assign(graph.nodes, 0);
  for (size_t e = 0; e < edges.size(); ++e)
    nodes[graph.edges[e].to] += edges[e];
}

} // namespace

RecordReader::RecordReader(const KernelPlan& plan) : plan_(plan), graph_(plan.graph) {
  if (plan.lanes)
    lanes_.emplace(plan.lanes->graph);
}

void RecordReader::read(std::span<const uint32_t> record, std::span<uint64_t> counters) const {
  std::copy_n(record.begin(), plan_.counters, counters.begin());
  for (const uint32_t c : plan_.powers)
    counters[c] = logarithm(record[c]);
}

RecordReader::Executions RecordReader::executions(std::span<const uint64_t> counters, uint64_t waves) const {
  std::vector<uint64_t> edges, nodes;
  graph_.solve(counters, waves, edges);
  through_nodes(plan_.graph, edges, nodes);
  Executions out;
  out.sites.reserve(plan_.sites.size());
  for (const PlannedSite& s : plan_.sites) {
    const uint64_t n = nodes[s.node];
    const auto count = [&](int32_t counter) {
      return counter >= 0 ? counters[size_t(counter)] : counter == PlannedSite::never ? 0 : n;
    };
    const uint64_t any = count(s.any);
    const uint64_t hold = s.some_hold_edge >= 0 ? edges[size_t(s.some_hold_edge)] : count(s.some_hold);
    const uint64_t fail = count(s.some_fail);
    views::BranchCounts c;
    c.executions = n;
    // A decision is all or none: those that do not hold fail.
    c.all = s.per_lane ? n - fail : hold + (n - any);
    c.none = any - hold;
    out.sites.push_back(c);
  }
  out.blocks.reserve(plan_.counted.size());
  for (const PlannedBlock& b : plan_.counted)
    out.blocks.push_back(nodes[b.node]);
  return out;
}

void RecordReader::add_lanes(std::span<const uint64_t> counters, std::span<uint64_t> runs) {
  lanes_->solve(counters, 1, edges_);
  through_nodes(plan_.lanes->graph, edges_, nodes_);
  for (size_t r = 0; r < runs.size(); ++r)
    runs[r] += uint32_t(nodes_[plan_.lanes->runs[r].node]);
}

WaveTime RecordReader::time(std::span<const uint64_t> counters) const {
  const TimePlan& plan = *plan_.time;
  const auto wide = [&](uint32_t first) { return counters[first] | counters[first + 1] << 32; };
  WaveTime time{wide(plan.begin), wide(plan.end), uint32_t(counters[plan.hw_id]), {}};
  for (const TimedLoop& l : plan.loops) {
    WaveTime::Loop loop{wide(l.cycles), counters[l.entries]};
    // The wave ended in what the loop calls, with no reading for an entry: a sum of readings less one is below 0. Of
    // functions that call themselves, for several.
    if (int64_t(loop.cycles) < 0 && time.end)
      loop.cycles += time.end * std::min(loop.entries, (0 - loop.cycles - 1) / time.end + 1);
    time.loops.push_back(loop);
  }
  return time;
}

} // namespace crosslane::rewrite
