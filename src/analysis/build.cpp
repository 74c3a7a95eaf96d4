// The steps of building a graph: explore from the entries, cut into blocks, link them, resolve what jumps by registers;
// and again while that finds more code. Last, what belongs together is put into parts.
#include "analysis/explore.h"
#include "analysis/resolve.h"
#include <algorithm>
#include <cstring>
#include <numeric>

namespace crosslane::analysis {

using isa::FlowKind;

namespace {

constexpr int most_rounds = 16; // each finds functions that are only called by those of the round before

class Builder {
public:
  explicit Builder(const Code& code) : code_(code), explorer_(code) {}

  Graph run() {
    for (const Entry& entry : code_.entries)
      add_function(entry.address, entry.kernel, true);
    find_stored_addresses();
    link();
    for (int round = 1; resolve(round == most_rounds); ++round)
      link();
    find_unknowns();
    make_parts();
    return std::move(graph_);
  }

private:
  const Code& code_;
  Explorer explorer_;
  Graph graph_;
  std::vector<Function> functions_; // by address

  bool add_function(uint64_t address, bool kernel, bool given, bool taken = false) {
    const auto at = std::ranges::lower_bound(functions_, address, {}, &Function::address);
    if (at != functions_.end() && at->address == address) {
      const bool news = taken && !at->address_taken;
      at->kernel |= kernel, at->given |= given, at->address_taken |= taken;
      return news;
    }
    if (!explorer_.reach(address))
      return false;
    Function function;
    function.address = address, function.kernel = kernel, function.given = given, function.address_taken = taken;
    functions_.insert(at, function);
    return true;
  }

  // Functions whose addresses lie in memory.
  void find_stored_addresses() {
    for (const Region& region : code_.regions) {
      if (region.kind != RegionKind::constant && region.kind != RegionKind::data)
        continue;
      for (size_t i = (8 - region.address % 8) % 8; i + 8 <= region.bytes.size(); i += 8) {
        uint64_t value;
        std::memcpy(&value, region.bytes.data() + i, 8);
        const auto at = std::ranges::lower_bound(functions_, value, {}, &Function::address);
        if (at != functions_.end() && at->address == value && !at->kernel)
          at->address_taken = true;
      }
    }
  }

  void link() {
    graph_ = Graph{};
    graph_.target = code_.target;
    graph_.skips_vectors = explorer_.skips_vectors, graph_.indexes_vgprs = explorer_.indexes_vgprs;
    graph_.blocks = explorer_.blocks();
    graph_.functions = functions_;
    for (uint32_t f = 0; f < graph_.functions.size(); ++f) {
      Function& function = graph_.functions[f];
      function.block = graph_.block_at(function.address);
      graph_.blocks[function.block].entry = true;
    }
    std::ranges::sort(explorer_.sites, {}, &Site::pc);
    std::vector<uint64_t> sides; // where forks go
    for (const Site& site : explorer_.sites)
      if (site.flow.kind == FlowKind::fork) {
        sides.push_back(site.next);
        if (site.direct())
          sides.push_back(site.flow.target(site.pc));
        sides.insert(sides.end(), site.targets.begin(), site.targets.end());
      }
    for (BlockId b = 0; b < graph_.blocks.size(); ++b) {
      Block& block = graph_.blocks[b];
      block.first_successor = uint32_t(graph_.edges.size());
      const auto site = std::ranges::lower_bound(explorer_.sites, block.last, {}, &Site::pc);
      if (site != explorer_.sites.end() && site->pc == block.last)
        link_site(b, *site, sides);
      else if (block.exit != Exit::stops)
        add_edge(b, block.end, EdgeKind::fall_through);
      block.successors = uint16_t(std::min<size_t>(graph_.edges.size() - block.first_successor, 0xffff));
    }
    find_predecessors();
  }

  void add_edge(BlockId from, uint64_t to, EdgeKind kind) {
    const BlockId block = graph_.block_at(to);
    if (block == none)
      return; // find_unknowns() tells
    for (size_t e = graph_.blocks[from].first_successor; e < graph_.edges.size(); ++e)
      if (graph_.edges[e].to == block && graph_.edges[e].kind == kind)
        return;
    graph_.edges.push_back({block, kind});
  }

  void link_site(BlockId b, const Site& site, const std::vector<uint64_t>& sides) {
    Exit& exit = graph_.blocks[b].exit;
    const uint64_t target = site.flow.target(site.pc);
    switch (site.flow.kind) {
    case FlowKind::next: exit = Exit::stops; return; // illegal
    case FlowKind::branch:
      exit = site.flow.falls_through ? Exit::condition : Exit::branch;
      if (site.flow.falls_through)
        add_edge(b, site.next, EdgeKind::fall_through);
      add_edge(b, target, EdgeKind::branch);
      return;
    case FlowKind::fork:
      exit = Exit::fork;
      add_edge(b, site.next, EdgeKind::fall_through);
      if (site.direct())
        add_edge(b, target, EdgeKind::branch);
      for (const uint64_t to : site.targets)
        add_edge(b, to, EdgeKind::branch);
      return;
    case FlowKind::join:
      exit = Exit::join;
      add_edge(b, site.next, EdgeKind::fall_through);
      for (const uint64_t to : sides)
        add_edge(b, to, EdgeKind::fork);
      return;
    case FlowKind::jump:
      exit = site.returns ? Exit::returns : Exit::jump;
      for (const uint64_t to : site.targets)
        add_edge(b, to, EdgeKind::jump);
      return;
    case FlowKind::call:
      exit = Exit::call;
      add_edge(b, site.next, EdgeKind::after_call);
      add_call(b, site);
      return;
    case FlowKind::trap:
      exit = Exit::trap;
      add_edge(b, site.next, EdgeKind::fall_through);
      return;
    case FlowKind::trap_end: exit = Exit::jump; return;
    case FlowKind::end:
    case FlowKind::halt: exit = Exit::ends; return;
    }
  }

  void add_call(BlockId b, const Site& site) {
    Call call;
    call.block = b, call.first = uint32_t(graph_.callees.size()), call.unknown = site.indirect() && site.unknown;
    const auto add = [&](uint64_t address) {
      if (const uint32_t f = graph_.function_at(address); f != none)
        graph_.callees.push_back(f);
    };
    if (site.direct())
      add(site.flow.target(site.pc));
    for (const uint64_t to : site.targets)
      add(to);
    if (call.unknown)
      for (uint32_t f = 0; f < graph_.functions.size(); ++f)
        if (graph_.functions[f].address_taken && !std::ranges::binary_search(site.targets, graph_.functions[f].address))
          graph_.callees.push_back(f);
    call.count = uint32_t(graph_.callees.size()) - call.first;
    graph_.calls.push_back(call);
  }

  void find_predecessors() {
    std::vector<uint32_t> counts(graph_.blocks.size() + 1);
    for (const Edge& e : graph_.edges)
      ++counts[e.to + 1];
    std::partial_sum(counts.begin(), counts.end(), counts.begin());
    for (BlockId b = 0; b < graph_.blocks.size(); ++b)
      graph_.blocks[b].first_predecessor = counts[b];
    graph_.predecessors.resize(graph_.edges.size());
    for (BlockId b = 0; b < graph_.blocks.size(); ++b)
      for (const Edge& e : graph_.successors(b))
        graph_.predecessors[counts[e.to]++] = b;
  }

  // Whether something is new, so that it has to be asked once more. `last`: what is still not settled is unknown.
  bool resolve(bool last) {
    Resolver resolver(code_, graph_);
    bool news = false;
    const size_t sites = explorer_.sites.size(); // reach() adds to them
    for (size_t i = 0; i < sites; ++i) {
      const isa::Flow flow = explorer_.sites[i].flow;
      const uint64_t pc = explorer_.sites[i].pc;
      if (flow.direct && flow.kind == FlowKind::call) {
        news |= add_function(flow.target(pc), false, false);
        continue;
      }
      if (!explorer_.sites[i].indirect())
        continue;
      const BlockId block = graph_.block_around(pc);
      Addresses found;
      if (block != none && graph_.blocks[block].last == pc)
        found = resolver.pair_at_end(block, flow.address);
      else
        found.unknown = true;
      std::erase_if(found.constants, [&](uint64_t a) {
        found.unknown |= !explorer_.is_code(a);
        return !explorer_.is_code(a);
      });
      const bool returns = found.entered && flow.kind == FlowKind::jump;
      found.unknown |= found.entered && !returns;
      for (const uint64_t a : found.constants)
        if (flow.kind == FlowKind::call)
          news |= add_function(a, false, false);
        else
          news |= graph_.block_at(a) == none && explorer_.reach(a);
      Site& site = explorer_.sites[i];
      if (site.targets == found.constants && site.returns == returns && site.unknown == found.unknown)
        continue;
      news = true;
      site.targets = std::move(found.constants), site.returns = returns, site.unknown = found.unknown || last;
    }
    std::vector<uint64_t> made;
    std::vector<BlockId> asked;
    for (const uint64_t pc : explorer_.made_addresses)
      if (const BlockId block = graph_.block_around(pc); block != none)
        asked.push_back(block);
    std::ranges::sort(asked);
    asked.erase(std::ranges::unique(asked).begin(), asked.end());
    for (const BlockId block : asked)
      resolver.taken_addresses(block, made);
    for (const uint64_t address : made)
      if (explorer_.is_code(address))
        news |= add_function(address, false, false, true);
    if (news && last) { // what was found in this round stands; its own jumps are unknown
      link();
      return false;
    }
    return news;
  }

  void find_unknowns() {
    auto& unknowns = graph_.unknowns;
    for (const Site& site : explorer_.sites) {
      const BlockId block = graph_.block_around(site.pc);
      const auto add = [&](UnknownKind kind) { unknowns.push_back({kind, site.pc, block}); };
      if (site.illegal)
        add(UnknownKind::illegal_instruction);
      else if (site.flow.kind == FlowKind::trap_end)
        add(UnknownKind::trap_return);
      else if (site.indirect() && (site.unknown || (site.targets.empty() && !site.returns)))
        add(site.flow.kind == FlowKind::call   ? UnknownKind::indirect_call
            : site.flow.kind == FlowKind::jump ? UnknownKind::indirect_jump
                                               : UnknownKind::indirect_fork);
      if ((site.direct() && !explorer_.is_code(site.flow.target(site.pc))) ||
          (site.flow.falls_through && !explorer_.is_code(site.next)))
        add(UnknownKind::left_code);
    }
    std::vector<bool> told(graph_.blocks.size());
    for (const Unknown& u : unknowns)
      if (u.block != none)
        told[u.block] = true;
    for (BlockId b = 0; b < graph_.blocks.size(); ++b)
      if (graph_.blocks[b].exit == Exit::stops && !told[b])
        unknowns.push_back({UnknownKind::left_code, graph_.blocks[b].last, b});
    std::ranges::sort(unknowns, {}, &Unknown::pc);
  }

  // Blocks that edges connect, whichever way; each part in reverse postorder from its functions.
  void make_parts() {
    auto& blocks = graph_.blocks;
    std::vector<BlockId> root(blocks.size());
    std::iota(root.begin(), root.end(), 0);
    const auto find = [&](BlockId b) {
      while (root[b] != b)
        b = root[b] = root[root[b]];
      return b;
    };
    for (BlockId b = 0; b < blocks.size(); ++b)
      for (const Edge& e : graph_.successors(b))
        root[find(e.to)] = find(b);
    std::vector<uint32_t> part_of(blocks.size(), none);
    std::vector<std::vector<BlockId>> entries;
    for (const Function& function : graph_.functions) {
      uint32_t& part = part_of[find(function.block)];
      if (part == none)
        part = uint32_t(entries.size()), entries.emplace_back();
      entries[part].push_back(function.block);
    }
    std::vector<uint8_t> seen(blocks.size());
    std::vector<std::pair<BlockId, uint32_t>> stack; // and the next successor to go to
    for (uint32_t part = 0; part < entries.size(); ++part) {
      const auto first = uint32_t(graph_.order.size());
      for (auto entry = entries[part].rbegin(); entry != entries[part].rend(); ++entry) {
        if (seen[*entry])
          continue;
        seen[*entry] = 1;
        stack.emplace_back(*entry, 0);
        while (!stack.empty()) {
          auto& [block, next] = stack.back();
          if (next < blocks[block].successors) {
            const BlockId to = graph_.edges[blocks[block].first_successor + next++].to;
            if (!seen[to])
              seen[to] = 1, stack.emplace_back(to, 0);
            continue;
          }
          blocks[block].part = part;
          graph_.order.push_back(block);
          stack.pop_back();
        }
      }
      std::reverse(graph_.order.begin() + first, graph_.order.end());
      graph_.parts.push_back({first, uint32_t(graph_.order.size()) - first});
    }
  }
};

} // namespace

Graph build(const Code& code) { return Builder(code).run(); }

} // namespace crosslane::analysis
