// One walk over the parts for each form. Blocks are named by their address, functions by their symbol.
#include "cli/graph_text.h"
#include "findings/text.h"
#include "isa/op.h"
#include "isa/print.h"
#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <nlohmann/json.hpp>

namespace crosslane::cli {

namespace {

using analysis::BlockId;
using analysis::none;
using Json = nlohmann::ordered_json;
namespace slot = analysis::slot;

class Writer {
public:
  Writer(const AnalysedCode& a, const std::vector<uint32_t>& parts) : a_(a), g_(a.graph), parts_(parts) {
    if (parts_.empty())
      for (uint32_t p = 0; p < g_.parts.size(); ++p)
        parts_.push_back(p);
  }

  std::string text() {
    std::string out = fmt::format("; {}: {}, {} functions, {} blocks, {} edges, {} calls, {} loops, {} unknown\n",
                                  a_.object.name(), a_.object.target_id(), g_.functions.size(), g_.blocks.size(),
                                  g_.edges.size(), g_.calls.size(), a_.loops.loops.size(), g_.unknowns.size());
    auto into = std::back_inserter(out);
    for (const uint32_t p : parts_) {
      for (const BlockId b : sorted(p)) {
        if (g_.blocks[b].entry) {
          const auto& f = g_.functions[g_.function_at(g_.blocks[b].begin)];
          fmt::format_to(into, "\n{} {}:{}{}\n", f.kernel ? "kernel" : "function", name(f),
                         f.address_taken ? "  ; its address is taken" : "",
                         f.given ? "" : "  ; found, no symbol names it");
        }
        append_block(out, b);
      }
    }
    return findings::plain_lines(out);
  }

  std::string json() {
    Json out;
    out["file"] = a_.object.name();
    out["target"] = a_.object.target_id();
    Json functions = Json::array(), blocks = Json::array(), loops = Json::array(), unknowns = Json::array();
    for (const auto& f : g_.functions)
      if (shown(f.block))
        functions.push_back({{"name", name(f)},
                             {"address", address(f.address)},
                             {"kernel", f.kernel},
                             {"given", f.given},
                             {"address_taken", f.address_taken}});
    for (BlockId b = 0; b < g_.blocks.size(); ++b) {
      if (!shown(b))
        continue;
      const auto& block = g_.blocks[b];
      Json edges = Json::array(), callees = Json::array();
      for (const auto& e : g_.successors(b))
        edges.push_back({{"to", address(g_.blocks[e.to].begin)}, {"kind", analysis::name_of(e.kind)}});
      Json entry = {{"begin", address(block.begin)},
                    {"end", address(block.end)},
                    {"instructions", block.instructions},
                    {"exit", analysis::name_of(block.exit)},
                    {"edges", edges}};
      if (const auto* call = g_.call_of(b)) {
        for (const uint32_t f : g_.callees_of(*call))
          callees.push_back(name(g_.functions[f]));
        entry["calls"] = callees;
        entry["calls_unknown"] = call->unknown;
      }
      if (a_.dominators.parent[b] != none)
        entry["dominator"] = address(g_.blocks[a_.dominators.parent[b]].begin);
      if (a_.loops.of[b] != none)
        entry["loop"] = address(g_.blocks[a_.loops.loops[a_.loops.of[b]].header].begin);
      const Counts c = counts(b);
      entry["live_in"] = {{"sgprs", c.sgprs}, {"vgprs", c.vgprs}, {"accvgprs", c.accvgprs}, {"special", c.special}};
      blocks.push_back(entry);
    }
    for (const auto& l : a_.loops.loops)
      if (shown(l.header)) {
        Json entry = {{"header", address(g_.blocks[l.header].begin)}, {"depth", l.depth}, {"blocks", l.blocks}};
        if (l.parent != none)
          entry["in"] = address(g_.blocks[a_.loops.loops[l.parent].header].begin);
        loops.push_back(entry);
      }
    for (const auto& u : g_.unknowns)
      if (u.block == none || shown(u.block))
        unknowns.push_back({{"kind", analysis::name_of(u.kind)}, {"pc", address(u.pc)}});
    out["functions"] = std::move(functions), out["blocks"] = std::move(blocks);
    out["loops"] = std::move(loops), out["unknowns"] = std::move(unknowns);
    return out.dump(1) + "\n";
  }

  std::string dot() {
    std::string out = "digraph code {\n  node [shape=box, fontname=monospace];\n";
    auto into = std::back_inserter(out);
    for (const uint32_t p : parts_) {
      fmt::format_to(into, "  subgraph cluster_{} {{\n", p);
      for (const BlockId b : sorted(p)) {
        const auto& block = g_.blocks[b];
        std::string label = block.entry ? name(g_.functions[g_.function_at(block.begin)]) + "\\l" : "";
        for (char& c : label)
          if (c == '"')
            c = '\'';
        label += fmt::format("{:x}  {} instructions, {} VGPRs live\\l", address(block.begin), block.instructions,
                             counts(b).vgprs);
        for (const auto& u : g_.unknowns)
          if (u.block == b)
            label += fmt::format("unknown: {}\\l", analysis::name_of(u.kind));
        fmt::format_to(into, "    b{:x} [label=\"{}\"{}];\n", address(block.begin), label,
                       is_header(b) ? ", penwidth=2" : "");
      }
      out += "  }\n";
    }
    for (BlockId b = 0; b < g_.blocks.size(); ++b) {
      if (!shown(b))
        continue;
      for (const auto& e : g_.successors(b))
        fmt::format_to(into, "  b{:x} -> b{:x} [label=\"{}\"];\n", address(g_.blocks[b].begin),
                       address(g_.blocks[e.to].begin), analysis::name_of(e.kind));
      if (const auto* call = g_.call_of(b))
        for (const uint32_t f : g_.callees_of(*call))
          if (shown(g_.functions[f].block))
            fmt::format_to(into, "  b{:x} -> b{:x} [style=dashed];\n", address(g_.blocks[b].begin),
                           address(g_.functions[f].address));
    }
    return out + "}\n";
  }

private:
  const AnalysedCode& a_;
  const analysis::Graph& g_;
  std::vector<uint32_t> parts_;

  struct Counts {
    uint32_t sgprs, vgprs, accvgprs;
    std::vector<std::string> special;
  };
  Counts counts(BlockId b) const {
    const auto& set = a_.liveness.begin[b];
    Counts c{set.count(0, slot::vcc), set.count(slot::vgpr, slot::accvgpr), set.count(slot::accvgpr, slot::end), {}};
    const std::pair<const char*, unsigned> registers[] = {
        {"VCC", slot::vcc}, {"M0", slot::m0}, {"EXEC", slot::exec}, {"SCC", slot::scc}};
    for (const auto& [name, s] : registers)
      if (set.has(s) || (s != slot::m0 && s != slot::scc && set.has(s + 1)))
        c.special.emplace_back(name);
    return c;
  }

  uint64_t address(uint64_t pc) const { return pc - a_.image.bias; }
  std::string name(const analysis::Function& f) const {
    const auto* symbol = a_.object.symbol_at(address(f.address));
    return symbol && symbol->address == address(f.address) ? codeobject::demangle(symbol->name)
                                                           : fmt::format("L{:x}", address(f.address));
  }
  bool shown(BlockId b) const {
    return g_.blocks[b].part != none && std::ranges::find(parts_, g_.blocks[b].part) != parts_.end();
  }
  bool is_header(BlockId b) const { return a_.loops.of[b] != none && a_.loops.loops[a_.loops.of[b]].header == b; }
  std::vector<BlockId> sorted(uint32_t part) const {
    const auto blocks = g_.blocks_of(g_.parts[part]);
    std::vector<BlockId> list(blocks.begin(), blocks.end());
    std::ranges::sort(list);
    return list;
  }

  void append_block(std::string& out, BlockId b) {
    const auto& block = g_.blocks[b];
    auto into = std::back_inserter(out);
    fmt::format_to(into, "  L{:x}: {} instruction{}, {}", address(block.begin), block.instructions,
                   block.instructions == 1 ? "" : "s", analysis::name_of(block.exit));
    if (const uint32_t l = a_.loops.of[b]; l != none)
      fmt::format_to(into, ", {} of depth {}", is_header(b) ? "head of a loop" : "in a loop", a_.loops.loops[l].depth);
    const Counts c = counts(b);
    fmt::format_to(into, "\n    live: {} SGPRs, {} VGPRs", c.sgprs, c.vgprs);
    if (c.accvgprs)
      fmt::format_to(into, ", {} AccVGPRs", c.accvgprs);
    for (const auto& s : c.special)
      fmt::format_to(into, ", {}", s);
    for (const auto& e : g_.successors(b))
      fmt::format_to(into, "\n    -> L{:x} {}", address(g_.blocks[e.to].begin), analysis::name_of(e.kind));
    if (const auto* call = g_.call_of(b)) {
      for (const uint32_t f : g_.callees_of(*call))
        fmt::format_to(into, "\n    calls {}{}", name(g_.functions[f]), call->unknown ? ", perhaps" : "");
    }
    for (const auto& u : g_.unknowns)
      if (u.block == b)
        fmt::format_to(into, "\n    unknown: {} at {:#x}", analysis::name_of(u.kind), address(u.pc));
    out += '\n';
  }
};

} // namespace

std::string graph_text(const AnalysedCode& a, const std::vector<uint32_t>& parts) { return Writer(a, parts).text(); }
std::string graph_json(const AnalysedCode& a, const std::vector<uint32_t>& parts) { return Writer(a, parts).json(); }
std::string graph_dot(const AnalysedCode& a, const std::vector<uint32_t>& parts) { return Writer(a, parts).dot(); }

} // namespace crosslane::cli
