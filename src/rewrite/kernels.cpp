// Over edges and calls from the entry.
#include "rewrite/kernels.h"
#include "codeobject/first_instruction.h"
#include "isa/classify.h"
#include "isa/flow.h"
#include <algorithm>
#include <fmt/format.h>

namespace crosslane::rewrite {

using analysis::BlockId;
using analysis::Exit;

namespace {

std::string place(const lint::Subject& subject, uint64_t pc) {
  const uint64_t address = pc - subject.image->bias;
  if (const codeobject::Symbol* symbol = subject.object->symbol_at(address))
    return fmt::format("{}+{:#x}", codeobject::demangle(symbol->name), address - symbol->address);
  return fmt::format("{:#x}", address);
}

// Registers that the copy would have to name, and has no name for: those of the trap handler, FLAT_SCRATCH and the like
// as a mask of lanes, these and VCC and EXEC as an address. No compiler does it.
bool is_odd(isa::Generation g, const isa::Instruction& in) {
  const bool address = in.op == isa::Op::s_getpc_b64 || in.op == isa::Op::s_swappc_b64;
  if (!address && !isa::writes_exec(in))
    return false;
  const unsigned last_sgpr = g < isa::Generation::gfx8 ? 103 : 101;
  const auto odd = [&](uint16_t c) { return c > last_sgpr && c < isa::code::exec && (c & ~1u) != isa::code::vcc; };
  return address ? in.dst > last_sgpr : odd(in.dst) || odd(in.src[0]) || odd(in.src[1]);
}

class Finder {
public:
  Finder(const lint::Subject& subject, CopiedKernel& out) : subject_(subject), graph_(subject.graph), out_(out) {}

  void run() {
    const auto& kernel = *out_.kernel;
    out_.function = graph_.function_at(codeobject::first_instruction(kernel) + subject_.image->bias);
    if (out_.function == analysis::none)
      return refuse("its code was not found");
    if (graph_.skips_vectors)
      return refuse("its code object sets MODE.VSKIP, under which probes would do nothing");
    std::vector<bool> seen(graph_.blocks.size());
    std::vector<BlockId> work{graph_.functions[out_.function].block};
    seen[work[0]] = true;
    while (!work.empty() && out_.refused.empty()) {
      const BlockId b = work.back();
      work.pop_back();
      out_.blocks.push_back(b);
      visit(b, [&](BlockId to) {
        if (!seen[to])
          seen[to] = true, work.push_back(to);
      });
    }
    std::ranges::sort(out_.blocks);
  }

private:
  const lint::Subject& subject_;
  const analysis::Graph& graph_;
  CopiedKernel& out_;
  const isa::Generation generation_ = isa::info(subject_.target()).generation;

  void refuse(std::string why) { out_.refused = std::move(why); }

  template <class Reach> void visit(BlockId b, Reach reach) {
    const analysis::Block& block = graph_.blocks[b];
    for (auto at = std::ranges::lower_bound(graph_.unknowns, block.begin, {}, &analysis::Unknown::pc);
         at != graph_.unknowns.end() && at->pc < std::max(block.end, block.begin + 1); ++at)
      if (at->block == b && at->kind != analysis::UnknownKind::indirect_call && !is_unknown_jump(subject_, b))
        return refuse(fmt::format("{} at {}", analysis::name_of(at->kind), place(subject_, at->pc)));
    each_instruction(subject_.code(), block, [&](uint64_t pc, const isa::Instruction& in) {
      if (out_.refused.empty() && is_odd(generation_, in))
        refuse(fmt::format("lanes or an address in a special register at {}", place(subject_, pc)));
    });
    if (is_unknown_jump(subject_, b))
      out_.calls_to_old.push_back(block.last);
    switch (block.exit) {
    case Exit::fork:
    case Exit::join: return refuse(fmt::format("a fork of lanes at {}", place(subject_, block.last)));
    case Exit::call:
      if (const BlockId callee = single_target(subject_, b); callee != analysis::none)
        reach(callee);
      else
        out_.calls_to_old.push_back(block.last);
      break;
    case Exit::stops: return refuse(fmt::format("code that cannot be read at {}", place(subject_, block.last)));
    default: break;
    }
    for (const analysis::Edge& e : graph_.successors(b))
      reach(e.to);
  }
};

} // namespace

bool is_unknown_jump(const lint::Subject& subject, BlockId b) {
  const analysis::Graph& graph = subject.graph;
  const auto at = std::ranges::lower_bound(graph.unknowns, graph.blocks[b].last, {}, &analysis::Unknown::pc);
  const Exit exit = graph.blocks[b].exit;
  return (exit == Exit::jump || exit == Exit::returns) && graph.successors(b).empty() && at != graph.unknowns.end() &&
         at->pc == graph.blocks[b].last && at->kind == analysis::UnknownKind::indirect_jump;
}

bool is_table_jump(const lint::Subject& subject, BlockId b) {
  return subject.graph.blocks[b].exit == Exit::jump && single_target(subject, b) == analysis::none &&
         subject.graph.successors(b).size() > 1;
}

BlockId single_target(const lint::Subject& subject, BlockId b) {
  const analysis::Graph& graph = subject.graph;
  switch (graph.blocks[b].exit) {
  case Exit::call: {
    const analysis::Call* call = graph.call_of(b);
    if (!call || call->unknown || call->count != 1)
      return analysis::none;
    return graph.functions[graph.callees_of(*call)[0]].block;
  }
  case Exit::branch:
  case Exit::condition:
  case Exit::jump: {
    BlockId to = analysis::none;
    for (const analysis::Edge& e : graph.successors(b)) {
      if (e.kind != analysis::EdgeKind::branch && e.kind != analysis::EdgeKind::jump)
        continue;
      if (to != analysis::none && to != e.to)
        return analysis::none;
      to = e.to;
    }
    return to;
  }
  default: return analysis::none;
  }
}

CopiedKernel find_code(const lint::Subject& subject, const codeobject::Kernel& kernel) {
  CopiedKernel out;
  out.kernel = &kernel;
  Finder(subject, out).run();
  return out;
}

} // namespace crosslane::rewrite
