// Counters of edges, counters of lanes.
#include "rewrite/sites.h"
#include "isa/classify.h"
#include "isa/divergence.h"
#include "rewrite/counter_code.h"
#include "rewrite/exec_lanes.h"
#include <algorithm>
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

} // namespace

SiteProbes::SiteProbes(const CopiedCode& code, bool divergence, bool blocks) : code_(code), divergence_(divergence) {
  plan_.branches = divergence, plan_.blocks = blocks;
}

llvm::Error SiteProbes::choose(ProbeNeeds& needs) {
  choose_edges(needs);
  if (!divergence_)
    return llvm::Error::success();
  sites_ = find_sites(code_);
  const ExecLanes lanes(code_.subject(), code_.kernels(), code_.blocks());
  for (const FoundSite& site : sites_)
    choose_site(site, lanes, needs);
  if (std::ranges::any_of(sites_, [&](const FoundSite& site) { return keeps_exec(site); })) {
    old_exec_ = needs.sgprs = (needs.sgprs + 1) / 2 * 2;
    needs.sgprs += 2;
  }
  return llvm::Error::success();
}

// One node stands for all that is outside: where kernels are entered, where waves end and functions return. Functions
// share it, so a call's count is not known from the callee's: each function that is called has a counter of its own.
void SiteProbes::choose_edges(ProbeNeeds& needs) {
  const analysis::Graph& graph = code_.graph();
  const auto& blocks = code_.blocks();
  EdgeCounts& flow = plan_.graph;
  const auto outside = uint32_t(blocks.size());
  flow.nodes = outside + 1;
  std::vector<EdgeCost> costs;
  std::vector<uint32_t> in(flow.nodes), out(flow.nodes);
  const auto add = [&](uint32_t from, uint32_t to, EdgePlace place, bool countable, bool known = false) {
    flow.edges.push_back({from, to, CountedEdge::follows, known});
    places_.push_back(place);
    costs.push_back({1, countable});
    ++out[from], ++in[to];
  };
  std::vector<bool> entered(blocks.size());
  for (const CopiedKernel* k : code_.kernels()) {
    const BlockId b = graph.functions[k->function].block;
    // A wave enters one kernel; of several that share code each has a plan in which it is this one.
    add(outside, code_.index_of(b), {EdgePlace::nowhere, b, 0}, false, /*known=*/true);
  }
  for (const BlockId b : blocks)
    if (graph.blocks[b].exit == Exit::call)
      if (const BlockId callee = single_target(code_.subject(), b);
          callee != analysis::none && !entered[code_.index_of(callee)]) {
        entered[code_.index_of(callee)] = true;
        add(outside, code_.index_of(callee), {EdgePlace::entry, callee, 0}, true);
      }
  for (const BlockId b : blocks) {
    const analysis::Block& block = graph.blocks[b];
    const auto successors = graph.successors(b);
    for (uint32_t i = 0; i < successors.size(); ++i)
      add(code_.index_of(b), code_.index_of(successors[i].to), {EdgePlace::edge, b, i}, true);
    if (block.exit == Exit::ends || block.exit == Exit::returns || successors.empty())
      add(code_.index_of(b), outside, {EdgePlace::end_of_block, b, 0}, true);
    else if (block.exit == Exit::call && code_.may_end(single_target(code_.subject(), b)))
      add(code_.index_of(b), outside, {EdgePlace::nowhere, b, 0}, false);
  }
  const auto weight = [&](uint32_t node) { return node == outside ? 1.0 : code_.weight(blocks[node]); };
  for (size_t e = 0; e < costs.size(); ++e) {
    const CountedEdge& edge = flow.edges[e];
    costs[e].cost = edge.from == outside ? weight(edge.to)
                    : edge.to == outside ? weight(edge.from)
                                         : std::min(weight(edge.from), weight(edge.to));
    if (places_[e].kind != EdgePlace::edge || out[edge.from] == 1)
      continue;
    if (in[edge.to] > 1)
      costs[e].cost *= 3; // a branch more
    costs[e].cost *= code_.share(places_[e].block, places_[e].at);
  }
  needs.counters += flow.choose(costs, needs.counters);
  for (size_t e = 0; e < places_.size(); ++e)
    places_[e] = CopiedCode::cheapest(places_[e], out[flow.edges[e].from] > 1, in[flow.edges[e].to] > 1);
  for (const BlockId b : blocks)
    plan_.counted.push_back({code_.address(graph.blocks[b].begin), graph.blocks[b].instructions, code_.index_of(b)});
}

void SiteProbes::choose_site(const FoundSite& site, const ExecLanes& lanes, ProbeNeeds& needs) {
  const analysis::Graph& graph = code_.graph();
  PlannedSite& planned = plan_.sites.emplace_back(
      PlannedSite{code_.address(site.pc), isa::is_divergence(site.kind), code_.index_of(site.block)});
  const auto edge_of = [&](bool taken) {
    const auto successors = graph.successors(site.block);
    for (size_t e = 0; e < places_.size(); ++e) {
      const CountedEdge& edge = plan_.graph.edges[e];
      if (edge.from == code_.index_of(site.block) && edge.to < code_.blocks().size() &&
          places_[e].block == site.block && places_[e].kind != EdgePlace::nowhere &&
          places_[e].at < successors.size() && (successors[places_[e].at].kind == EdgeKind::branch) == taken)
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
    each_instruction(code_.subject().code(), graph.blocks[site.block], [&](uint64_t, const isa::Instruction& in) {
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
    planned.some_hold = int32_t(needs.counters++);
  planned.some_fail = int32_t(needs.counters++);
  if (!lanes.some(site.block, site.instruction))
    planned.any = int32_t(needs.counters++);
}

// What EXEC is combined with by an instruction before which that can be looked at.
std::optional<uint16_t> SiteProbes::narrowing_mask(const FoundSite& site) const {
  if (!narrows_by_and(site.in) || code_.scc_live(site.block, site.instruction))
    return std::nullopt;
  const uint16_t mask = is_exec(site.in.src[0]) ? site.in.src[1] : site.in.src[0];
  return is_pair(mask) ? std::optional(mask) : std::nullopt;
}

// Of others EXEC is kept from before the instruction to behind it.
bool SiteProbes::keeps_exec(const FoundSite& site) const {
  return isa::is_divergence(site.kind) && site.kind != isa::SiteKind::vcc && !keeps_old_exec(site.in) &&
         !narrowing_mask(site);
}

// Sites first: behind an instruction that leaves something in SCC, they read it.
void SiteProbes::insert(const ProbeRegisters& r, Insertions& to) {
  for (size_t i = 0; i < sites_.size(); ++i)
    if (isa::is_divergence(sites_[i].kind))
      put_site(r, to, sites_[i], plan_.sites[i]);
  for (uint32_t e = 0; e < plan_.graph.edges.size(); ++e)
    if (plan_.graph.edges[e].counter >= 0)
      put_edge(r, to, e);
}

void SiteProbes::put_edge(const ProbeRegisters& r, Insertions& to, uint32_t e) {
  const EdgePlace& place = places_[e];
  const auto counter = uint32_t(plan_.graph.edges[e].counter);
  if (!code_.scc_live(place))
    return code_.put(to, place, count(r, counter));
  if (!r.in_sgpr(counter))
    return code_.put(to, place, keeping_scc(r, count(r, counter)));
  code_.put(to, place, fmt::format("s_mulk_i32 s{}, 5\n", r.counters + counter));
  plan_.powers.push_back(counter);
}

void SiteProbes::put_site(const ProbeRegisters& r, Insertions& to, const FoundSite& site, const PlannedSite& planned) {
  const std::string a = pair(r.scratch);
  const auto put = [&](uint32_t n, const std::string& text) { code_.put(to, site.block, n, text); };
  const auto with_scc = [&](uint32_t n, const std::string& text) {
    return code_.scc_live(site.block, n) ? keeping_scc(r, text) : text;
  };
  const auto carry = [&](int32_t counter) { return add_carry(r, uint32_t(counter)); };
  const bool hold_by_counter = planned.some_hold_edge < 0;
  if (site.kind == isa::SiteKind::vcc) {
    std::string text;
    if (planned.any >= 0)
      text += fmt::format("s_or_b64 {}, exec, exec\n", a) + carry(planned.any);
    if (hold_by_counter)
      text += fmt::format("s_and_b64 {}, vcc, exec\n", a) + carry(planned.some_hold);
    text += fmt::format("s_andn2_b64 {}, exec, vcc\n", a) + carry(planned.some_fail);
    return put(site.instruction, with_scc(site.instruction, text));
  }
  const uint32_t behind = site.instruction + 1;
  // SCC is there already: whether lanes are left. Behind s_xor, whether others have gone.
  const bool told = keeps_old_exec(site.in) || narrows_by_and(site.in);
  std::string hold;
  if (hold_by_counter && told && !code_.scc_live(site.block, behind))
    hold = carry(planned.some_hold);
  else if (hold_by_counter)
    hold = fmt::format("s_or_b64 {}, exec, exec\n", a) + carry(planned.some_hold);
  if (keeps_old_exec(site.in)) {
    const std::string old = pair(site.in.dst);
    std::string text = hold;
    if (planned.any >= 0)
      text += fmt::format("s_or_b64 {}, {}, exec\n", a, old) + carry(planned.any);
    const bool xor_tells = site.xor_behind && !code_.scc_live(site.block, behind + 1);
    if (!xor_tells)
      text += fmt::format("s_andn2_b64 {}, {}, exec\n", a, old) + carry(planned.some_fail);
    put(behind, with_scc(behind, text));
    if (xor_tells)
      put(behind + 1, carry(planned.some_fail));
    return;
  }
  if (const auto mask = narrowing_mask(site)) {
    std::string text;
    if (planned.any >= 0)
      text += fmt::format("s_or_b64 {}, exec, exec\n", a) + carry(planned.any);
    text += fmt::format("{} {}, exec, {}\n", site.in.op == isa::Op::s_and_b64 ? "s_andn2_b64" : "s_and_b64", a,
                        pair(*mask)) +
            carry(planned.some_fail);
    put(site.instruction, text);
    return put(behind, with_scc(behind, hold));
  }
  const std::string kept = pair(uint16_t(r.own_sgprs + old_exec_));
  put(site.instruction, fmt::format("s_mov_b64 {}, exec\n", kept));
  std::string text;
  if (planned.any >= 0)
    text += fmt::format("s_or_b64 {}, {}, exec\n", a, kept) + carry(planned.any);
  if (hold_by_counter)
    text += fmt::format("s_or_b64 {}, exec, exec\n", a) + carry(planned.some_hold);
  text += fmt::format("s_andn2_b64 {}, {}, exec\n", a, kept) + carry(planned.some_fail);
  put(behind, with_scc(behind, text));
}

void SiteProbes::plan(const CopiedKernel& kernel, KernelPlan& plan) const {
  plan.branches = plan_.branches, plan.blocks = plan_.blocks;
  plan.graph = plan_.graph, plan.sites = plan_.sites, plan.counted = plan_.counted;
  plan.powers.insert(plan.powers.end(), plan_.powers.begin(), plan_.powers.end());
  std::ranges::sort(plan.powers);
  // Its waves enter this kernel, and no other one that it shares code with.
  const auto kernels = code_.kernels();
  for (size_t e = 0; e < kernels.size(); ++e)
    if (kernels[e] != &kernel)
      plan.graph.edges[e].counter = CountedEdge::not_here;
}

} // namespace crosslane::rewrite
