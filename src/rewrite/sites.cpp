// Counters of edges, counters of lanes.
#include "rewrite/sites.h"
#include "isa/classify.h"
#include "isa/divergence.h"
#include "rewrite/exec_lanes.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace crosslane::rewrite {

using analysis::BlockId;
using analysis::EdgeKind;
using analysis::Exit;
namespace code = isa::code;

namespace {

bool is_exec(uint16_t c) { return c == code::exec; }

// EXEC = EXEC & c, or EXEC & ~c: the lanes that leave are known beforehand.
bool narrows_by_and(const isa::Instruction& in) {
  return in.dst == code::exec && ((in.op == isa::Op::s_and_b64 && (is_exec(in.src[0]) || is_exec(in.src[1]))) ||
                                  (in.op == isa::Op::s_andn2_b64 && is_exec(in.src[0])));
}

std::string pair(uint16_t c) {
  if (c == code::vcc)
    return "vcc";
  return c == code::exec ? "exec" : fmt::format("s[{}:{}]", c, c + 1);
}

} // namespace

SiteProbes::SiteProbes(const lint::Subject& subject, std::span<const CopiedKernel* const> kernels, const Probes& probes,
                       const SccLiveness& scc, const analysis::Loops& loops)
    : subject_(subject), kernels_(kernels), probes_(probes), scc_(scc) {
  plan_.branches = probes.divergence, plan_.blocks = probes.blocks;
  find_blocks();
  if (!probes.divergence && !probes.blocks)
    return;
  find_ends();
  choose_edges(loops);
  if (!probes.divergence)
    return;
  find_sites();
  const ExecLanes lanes(subject_, kernels_, blocks_);
  for (const Site& site : sites_)
    choose_site(site, lanes);
}

void SiteProbes::find_blocks() {
  node_.assign(subject_.graph.blocks.size(), analysis::none);
  for (const CopiedKernel* k : kernels_)
    blocks_.insert(blocks_.end(), k->blocks.begin(), k->blocks.end());
  std::ranges::sort(blocks_);
  blocks_.erase(std::ranges::unique(blocks_).begin(), blocks_.end());
  for (uint32_t i = 0; i < blocks_.size(); ++i)
    node_[blocks_[i]] = i;
}

// Functions in which a wave may end, by themselves or by what they call.
void SiteProbes::find_ends() {
  const analysis::Graph& graph = subject_.graph;
  may_end_.assign(graph.functions.size(), false);
  // Of each function the blocks that it may run, calls left out.
  std::vector<std::vector<uint32_t>> calls(graph.functions.size());
  for (uint32_t f = 0; f < graph.functions.size(); ++f) {
    const BlockId first = graph.functions[f].block;
    if (first == analysis::none || node_[first] == analysis::none)
      continue;
    std::vector<BlockId> work{first};
    std::vector<bool> seen(blocks_.size());
    seen[node_[first]] = true;
    while (!work.empty()) {
      const BlockId b = work.back();
      work.pop_back();
      if (graph.blocks[b].exit == Exit::ends)
        may_end_[f] = true;
      if (graph.blocks[b].exit == Exit::call) {
        const BlockId callee = single_target(subject_, b);
        if (callee == analysis::none)
          may_end_[f] = true;
        else
          calls[f].push_back(graph.function_at(graph.blocks[callee].begin));
      }
      for (const analysis::Edge& e : graph.successors(b))
        if (!seen[node_[e.to]])
          seen[node_[e.to]] = true, work.push_back(e.to);
    }
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t f = 0; f < calls.size(); ++f)
      if (!may_end_[f] && std::ranges::any_of(calls[f], [&](uint32_t c) { return c == analysis::none || may_end_[c]; }))
        may_end_[f] = changed = true;
  }
}

isa::Condition SiteProbes::last_condition(BlockId b) const {
  const analysis::Block& block = subject_.graph.blocks[b];
  isa::Instruction in;
  return isa::decode(subject_.target(), analysis::bytes_at(subject_.code(), block.last), in) > 0
             ? isa::flow(in).condition
             : isa::Condition::always;
}

// One node stands for all that is outside: where kernels are entered, where waves end and functions return. Functions
// share it, so a call's count is not known from the callee's: each function that is called has a counter of its own.
void SiteProbes::choose_edges(const analysis::Loops& loops) {
  const analysis::Graph& graph = subject_.graph;
  EdgeCounts& flow = plan_.graph;
  const auto outside = uint32_t(blocks_.size());
  flow.nodes = outside + 1;
  std::vector<EdgeCost> costs;
  std::vector<uint32_t> in(flow.nodes), out(flow.nodes);
  const auto add = [&](uint32_t from, uint32_t to, EdgePlace place, bool countable, bool known = false) {
    flow.edges.push_back({from, to, CountedEdge::follows, known});
    places_.push_back(place);
    costs.push_back({1, countable});
    ++out[from], ++in[to];
  };
  std::vector<bool> entered(blocks_.size());
  for (const CopiedKernel* k : kernels_) {
    const BlockId b = graph.functions[k->function].block;
    // A wave enters one kernel; of several that share code each has a plan in which it is this one.
    add(outside, node_[b], {EdgePlace::nowhere, b, 0}, false, /*known=*/true);
  }
  for (const BlockId b : blocks_)
    if (graph.blocks[b].exit == Exit::call)
      if (const BlockId callee = single_target(subject_, b); callee != analysis::none && !entered[node_[callee]]) {
        entered[node_[callee]] = true;
        add(outside, node_[callee], {EdgePlace::entry, callee, 0}, true);
      }
  for (const BlockId b : blocks_) {
    const analysis::Block& block = graph.blocks[b];
    const auto successors = graph.successors(b);
    for (uint32_t i = 0; i < successors.size(); ++i)
      add(node_[b], node_[successors[i].to], {EdgePlace::edge, b, i}, true);
    if (block.exit == Exit::ends || block.exit == Exit::returns || successors.empty())
      add(node_[b], outside, {EdgePlace::end_of_block, b, 0}, true);
    else if (block.exit == Exit::call) {
      const BlockId callee = single_target(subject_, b);
      const uint32_t f = callee == analysis::none ? analysis::none : graph.function_at(graph.blocks[callee].begin);
      if (f == analysis::none || may_end_[f])
        add(node_[b], outside, {EdgePlace::nowhere, b, 0}, false);
    }
  }
  const auto depth = [&](uint32_t node) {
    if (node == outside || loops.of[blocks_[node]] == analysis::none)
      return 0u;
    return std::min(loops.loops[loops.of[blocks_[node]]].depth, 8u);
  };
  for (size_t e = 0; e < costs.size(); ++e) {
    const CountedEdge& edge = flow.edges[e];
    const uint32_t d = edge.from == outside ? depth(edge.to)
                       : edge.to == outside ? depth(edge.from)
                                            : std::min(depth(edge.from), depth(edge.to));
    costs[e].cost = std::pow(8.0, d);
    if (places_[e].kind == EdgePlace::edge && out[edge.from] > 1 && in[edge.to] > 1)
      costs[e].cost *= 3; // a branch more
    if (places_[e].kind == EdgePlace::edge && out[edge.from] > 1) {
      // One of several ways. Compilers put s_cbranch_execz where they think that it is seldom taken.
      const BlockId b = places_[e].block;
      const isa::Condition c = last_condition(b);
      const bool taken = graph.successors(b)[places_[e].successor].kind == EdgeKind::branch;
      const bool empty = (c == isa::Condition::execz && taken) || (c == isa::Condition::execnz && !taken);
      costs[e].cost *= c == isa::Condition::execz || c == isa::Condition::execnz ? (empty ? 0.1 : 0.9) : 0.5;
    }
  }
  counters_ = flow.choose(costs, 0);
  for (size_t e = 0; e < places_.size(); ++e) { // to where it costs no branch
    EdgePlace& place = places_[e];
    if (place.kind != EdgePlace::edge)
      continue;
    if (out[flow.edges[e].from] == 1)
      place.kind = EdgePlace::end_of_block;
    else if (in[flow.edges[e].to] == 1)
      place.kind = EdgePlace::begin_of_block;
  }
  for (const BlockId b : blocks_)
    plan_.counted.push_back({graph.blocks[b].begin - subject_.image->bias, graph.blocks[b].instructions, node_[b]});
}

// As the profile sees them: code in its order, as far as one instruction follows the other.
void SiteProbes::find_sites() {
  const analysis::Graph& graph = subject_.graph;
  isa::SiteFinder finder;
  uint64_t expected = 0;
  for (const BlockId b : blocks_) {
    if (graph.blocks[b].begin != expected)
      finder = {};
    uint32_t n = 0;
    bool falls = true;
    Site* last = nullptr;
    each_instruction(subject_.code(), graph.blocks[b], [&](uint64_t pc, const isa::Instruction& in) {
      if (last && n == last->instruction + 1 && in.op == isa::Op::s_xor_b64 && in.dst != code::exec &&
          ((is_exec(in.src[0]) && in.src[1] == last->in.dst) || (is_exec(in.src[1]) && in.src[0] == last->in.dst)))
        last->xor_behind = true;
      last = nullptr;
      const isa::SiteKind kind = finder.next(in);
      falls = isa::flow(in).falls_through;
      if (kind != isa::SiteKind::none) {
        plan_.sites.push_back({pc - subject_.image->bias, isa::is_divergence(kind), node_[b]});
        sites_.push_back({b, n, in, kind, pc, uint32_t(plan_.sites.size() - 1)});
        last = keeps_old_exec(in) ? &sites_.back() : nullptr;
      }
      ++n;
    });
    expected = falls ? graph.blocks[b].end : 0;
  }
}

void SiteProbes::choose_site(const Site& site, const ExecLanes& lanes) {
  const analysis::Graph& graph = subject_.graph;
  PlannedSite& planned = plan_.sites[site.planned];
  const auto edge_of = [&](bool taken) {
    const auto successors = graph.successors(site.block);
    for (size_t e = 0; e < places_.size(); ++e) {
      const CountedEdge& edge = plan_.graph.edges[e];
      if (edge.from == node_[site.block] && edge.to < blocks_.size() && places_[e].block == site.block &&
          places_[e].kind != EdgePlace::nowhere && places_[e].successor < successors.size() &&
          (successors[places_[e].successor].kind == EdgeKind::branch) == taken)
        return int32_t(e);
    }
    return PlannedSite::always;
  };
  if (site.kind == isa::SiteKind::decision) {
    const isa::Condition c = isa::flow(site.in).condition;
    if (c == isa::Condition::scc0 || c == isa::Condition::scc1)
      planned.some_hold_edge = edge_of(true); // else all lanes that there are, or none of none
    return;
  }
  // Whether lanes are left decides a branch at the end of the block: its edges tell.
  if (site.kind == isa::SiteKind::exec) {
    bool same = true;
    isa::Condition at_end = isa::Condition::always;
    uint32_t n = 0;
    each_instruction(subject_.code(), graph.blocks[site.block], [&](uint64_t, const isa::Instruction& in) {
      if (n++ <= site.instruction)
        return;
      same &= !isa::writes_exec(in);
      at_end = isa::flow(in).condition;
    });
    if (same && graph.successors(site.block).size() == 2 && n > site.instruction + 1) {
      if (at_end == isa::Condition::execz)
        planned.some_hold_edge = edge_of(false);
      else if (at_end == isa::Condition::execnz)
        planned.some_hold_edge = edge_of(true);
    }
  }
  if (planned.some_hold_edge < 0)
    planned.some_hold = int32_t(counters_++);
  planned.some_fail = int32_t(counters_++);
  if (!lanes.some(site.block, site.instruction))
    planned.any = int32_t(counters_++);
}

// counter += 1; SCC is lost.
std::string SiteProbes::count(const ProbeRegisters& r, int32_t counter) const {
  const auto c = uint32_t(counter);
  if (r.in_sgpr(c))
    return fmt::format("s_addk_i32 s{}, 1\n", r.counters + c);
  const uint32_t lane = c - r.in_sgprs, s = r.scratch + 5u, v = r.lanes + lane / 64;
  return fmt::format("v_readlane_b32 s{0}, v{1}, {2}\ns_addk_i32 s{0}, 1\nv_writelane_b32 v{1}, s{0}, {2}\n", s, v,
                     lane % 64);
}

// counter += SCC, which is lost.
std::string SiteProbes::add_carry(const ProbeRegisters& r, int32_t counter) const {
  const auto c = uint32_t(counter);
  if (r.in_sgpr(c))
    return fmt::format("s_addc_u32 s{0}, s{0}, 0\n", r.counters + c);
  const uint32_t lane = c - r.in_sgprs, s = r.scratch + 5u, v = r.lanes + lane / 64;
  return fmt::format("v_readlane_b32 s{0}, v{1}, {2}\ns_addc_u32 s{0}, s{0}, 0\nv_writelane_b32 v{1}, s{0}, {2}\n", s,
                     v, lane % 64);
}

void SiteProbes::insert(const ProbeRegisters& r, Insertions& to) {
  for (uint32_t e = 0; e < plan_.graph.edges.size(); ++e)
    if (plan_.graph.edges[e].counter >= 0)
      put_edge(r, to, e);
  for (const Site& site : sites_)
    if (isa::is_divergence(site.kind))
      put_site(r, to, site);
  std::ranges::sort(plan_.powers);
}

void SiteProbes::put_edge(const ProbeRegisters& r, Insertions& to, uint32_t e) {
  const analysis::Graph& graph = subject_.graph;
  const EdgePlace& place = places_[e];
  const int32_t counter = plan_.graph.edges[e].counter;
  const analysis::Block& block = graph.blocks[place.block];
  // Before the branch, or behind all.
  const uint32_t at_end = block.exit == Exit::falls_through ? block.instructions : block.instructions - 1;
  bool scc_live = false;
  switch (place.kind) {
  case EdgePlace::edge:
  case EdgePlace::begin_of_block: scc_live = scc_.at(graph.successors(place.block)[place.successor].to, 0); break;
  case EdgePlace::end_of_block: scc_live = scc_.at(place.block, at_end); break;
  default: break; // a function is called without it
  }
  std::string text;
  if (!scc_live) {
    text = count(r, counter);
  } else if (r.in_sgpr(uint32_t(counter))) {
    text = fmt::format("s_mulk_i32 s{}, 5\n", r.counters + uint32_t(counter));
    plan_.powers.push_back(uint32_t(counter));
  } else {
    text = fmt::format("s_cselect_b32 s{0}, 1, 0\n{1}s_cmp_lg_u32 s{0}, 0\n", r.scratch + 4, count(r, counter));
  }
  std::vector<Item> items;
  append(items, subject_.target(), text);
  switch (place.kind) {
  case EdgePlace::edge: {
    auto& on = to.on_edge[{place.block, place.successor}];
    on.insert(on.end(), items.begin(), items.end());
    break;
  }
  case EdgePlace::begin_of_block: to.put(graph.successors(place.block)[place.successor].to, 0, items); break;
  case EdgePlace::end_of_block: to.put(place.block, at_end, items); break;
  case EdgePlace::entry: {
    auto& on = to.on_call[place.block];
    on.insert(on.end(), items.begin(), items.end());
    break;
  }
  case EdgePlace::nowhere: break;
  }
}

void SiteProbes::put_site(const ProbeRegisters& r, Insertions& to, const Site& site) {
  const PlannedSite& planned = plan_.sites[site.planned];
  const std::string a = pair(r.scratch), b = pair(uint16_t(r.scratch + 2));
  const uint32_t keep = r.scratch + 4u;
  const auto put = [&](uint32_t n, const std::string& text) {
    std::vector<Item> items;
    append(items, subject_.target(), text);
    to.put(site.block, n, items);
  };
  const auto keeping_scc = [&](uint32_t n, const std::string& text) {
    return scc_.at(site.block, n) ? fmt::format("s_cselect_b32 s{0}, 1, 0\n{1}s_cmp_lg_u32 s{0}, 0\n", keep, text)
                                  : text;
  };
  const bool hold_by_counter = planned.some_hold_edge < 0;
  if (site.kind == isa::SiteKind::vcc) {
    std::string text;
    if (planned.any >= 0)
      text += fmt::format("s_or_b64 {}, exec, exec\n", a) + add_carry(r, planned.any);
    if (hold_by_counter)
      text += fmt::format("s_and_b64 {}, vcc, exec\n", a) + add_carry(r, planned.some_hold);
    text += fmt::format("s_andn2_b64 {}, exec, vcc\n", a) + add_carry(r, planned.some_fail);
    return put(site.instruction, keeping_scc(site.instruction, text));
  }
  const uint32_t behind = site.instruction + 1;
  const bool scc_free = !scc_.at(site.block, site.instruction);
  // SCC is there already: whether lanes are left. Behind s_xor, whether others have gone.
  const bool told = keeps_old_exec(site.in) || narrows_by_and(site.in);
  std::string hold;
  if (hold_by_counter && told && !scc_.at(site.block, behind))
    hold = add_carry(r, planned.some_hold);
  else if (hold_by_counter)
    hold = fmt::format("s_or_b64 {}, exec, exec\n", b) + add_carry(r, planned.some_hold);
  if (keeps_old_exec(site.in)) {
    const std::string old = pair(site.in.dst);
    std::string text = hold;
    if (planned.any >= 0)
      text += fmt::format("s_or_b64 {}, {}, exec\n", a, old) + add_carry(r, planned.any);
    const bool xor_tells = site.xor_behind && !scc_.at(site.block, behind + 1);
    if (!xor_tells)
      text += fmt::format("s_andn2_b64 {}, {}, exec\n", a, old) + add_carry(r, planned.some_fail);
    put(behind, keeping_scc(behind, text));
    if (xor_tells)
      put(behind + 1, add_carry(r, planned.some_fail));
    return;
  }
  if (narrows_by_and(site.in) && scc_free) {
    const uint16_t mask = is_exec(site.in.src[0]) ? site.in.src[1] : site.in.src[0];
    if (is_pair(mask)) {
      std::string text;
      if (planned.any >= 0)
        text += fmt::format("s_or_b64 {}, exec, exec\n", a) + add_carry(r, planned.any);
      text += fmt::format("{} {}, exec, {}\n", site.in.op == isa::Op::s_and_b64 ? "s_andn2_b64" : "s_and_b64", a,
                          pair(mask)) +
              add_carry(r, planned.some_fail);
      put(site.instruction, text);
      return put(behind, keeping_scc(behind, hold));
    }
  }
  put(site.instruction, fmt::format("s_mov_b64 {}, exec\n", a));
  std::string text;
  if (planned.any >= 0)
    text += fmt::format("s_or_b64 {}, {}, exec\n", b, a) + add_carry(r, planned.any);
  if (hold_by_counter)
    text += fmt::format("s_or_b64 {}, exec, exec\n", b) + add_carry(r, planned.some_hold);
  text += fmt::format("s_andn2_b64 {0}, {0}, exec\n", a) + add_carry(r, planned.some_fail);
  put(behind, keeping_scc(behind, text));
}

KernelPlan SiteProbes::plan(const CopiedKernel& kernel) const {
  KernelPlan plan = plan_;
  plan.counters = counters_;
  // Its waves enter this kernel, and no other one that it shares code with.
  for (size_t e = 0, k = 0; e < plan.graph.edges.size() && k < kernels_.size(); ++e, ++k)
    if (kernels_[k] != &kernel)
      plan.graph.edges[e].counter = CountedEdge::not_here;
  return plan;
}

} // namespace crosslane::rewrite
