// Code in its order, as far as one instruction follows the other.
#include "rewrite/found_sites.h"
#include "isa/op.h"
#include "rewrite/exec_lanes.h"

namespace crosslane::rewrite {

using analysis::BlockId;

namespace {
bool is_exec(uint16_t c) { return c == isa::code::exec; }
} // namespace

std::vector<FoundSite> find_sites(const lint::Subject& subject, std::span<const BlockId> blocks) {
  const analysis::Graph& graph = subject.graph;
  std::vector<FoundSite> sites;
  isa::SiteFinder finder;
  uint64_t expected = 0;
  for (const BlockId b : blocks) {
    if (graph.blocks[b].begin != expected)
      finder = {};
    uint32_t n = 0;
    bool falls = true, saves = false; // the last instruction is a site that keeps EXEC as it was
    each_instruction(subject.code(), graph.blocks[b], [&](uint64_t pc, const isa::Instruction& in) {
      if (saves && in.op == isa::Op::s_xor_b64 && in.dst != isa::code::exec) {
        const uint16_t old = sites.back().in.dst;
        sites.back().xor_behind = (is_exec(in.src[0]) && in.src[1] == old) || (is_exec(in.src[1]) && in.src[0] == old);
      }
      const isa::SiteKind kind = finder.next(in);
      falls = isa::flow(in).falls_through;
      if (kind != isa::SiteKind::none)
        sites.push_back({b, n, in, kind, pc});
      saves = kind != isa::SiteKind::none && keeps_old_exec(in);
      ++n;
    });
    expected = falls ? graph.blocks[b].end : 0;
  }
  return sites;
}

} // namespace crosslane::rewrite
