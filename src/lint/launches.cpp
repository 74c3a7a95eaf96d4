// From the entries of kernels along calls, until nothing gets less.
#include "lint/launches.h"
#include "codeobject/first_instruction.h"
#include "isa/instruction.h"
#include <algorithm>
#include <unordered_set>

namespace crosslane::lint {

namespace {

using codeobject::Kernel;

bool has_dynamic_lds(const Kernel& kernel) {
  return std::ranges::any_of(kernel.arguments, [](const auto& a) { return a.value_kind == "dynamic_shared_pointer"; });
}

bool is_compiled(const Kernel& kernel) {
  return !kernel.language.empty() || std::ranges::any_of(kernel.arguments, [](const auto& a) { return a.hidden(); });
}

void meet(Least& into, const Least& from) {
  if (from.kernel)
    into.meet(from.count, from.kernel), into.most = std::max(into.most, from.most);
}

// Whether anything changed.
bool meet(Launch& into, const Launch& from) {
  const auto sum = [](const Launch& l) {
    uint64_t n = uint64_t(l.dynamic_lds) + l.unknown_lds;
    for (const Least* least : {&l.sgprs, &l.vgprs, &l.agprs, &l.lds})
      n += uint64_t(~0u - least->count) + least->most;
    return n;
  };
  const uint64_t before = sum(into);
  meet(into.sgprs, from.sgprs), meet(into.vgprs, from.vgprs), meet(into.agprs, from.agprs);
  meet(into.lds, from.lds);
  into.dynamic_lds |= from.dynamic_lds, into.unknown_lds |= from.unknown_lds;
  return sum(into) != before;
}

} // namespace

void Least::meet(uint32_t n, const Kernel* of) {
  most = std::max(most, n);
  if (!kernel || n < count)
    count = n, kernel = of;
}

uint16_t Launch::vcc_pair(isa::Generation g) const {
  const bool named = sgprs.known() && sgprs.count == sgprs.most && sgprs.count <= isa::code::flat_scratch;
  return g >= isa::Generation::gfx8 && named ? uint16_t(sgprs.count - 2) : uint16_t(0);
}

// Without those that calls reach.
std::vector<analysis::BlockId> Launches::reached_from(uint32_t function) const {
  const auto& graph = subject_.graph;
  const analysis::BlockId entry = graph.functions[function].block;
  const uint32_t part = graph.blocks[entry].part;
  if (const auto all = graph.blocks_of(graph.parts[part]); !shared_[part])
    return {all.begin(), all.end()};
  std::vector<analysis::BlockId> blocks{entry};
  std::unordered_set<analysis::BlockId> seen{entry};
  // Behind a trap, which need not come back, there is nothing but filling, and then the next kernel.
  const auto runs_into_kernel = [&](const analysis::Edge& e) {
    const uint32_t f = e.kind == analysis::EdgeKind::fall_through && graph.blocks[e.to].entry
                           ? graph.function_at(graph.blocks[e.to].begin)
                           : analysis::none;
    return f != analysis::none && graph.functions[f].kernel;
  };
  for (size_t n = 0; n < blocks.size(); ++n)
    for (const analysis::Edge& e : graph.successors(blocks[n]))
      if (!runs_into_kernel(e) && seen.insert(e.to).second)
        blocks.push_back(e.to);
  return blocks;
}

Launches::Launches(const Subject& subject)
    : subject_(subject), parts_(subject.graph.parts.size()), shared_(subject.graph.parts.size()) {
  const auto& graph = subject.graph;
  std::vector<bool> entered(parts_.size());
  for (const analysis::Function& f : graph.functions)
    if (f.block != analysis::none) {
      const uint32_t part = graph.blocks[f.block].part;
      shared_[part] = shared_[part] || entered[part];
      entered[part] = true;
    }
  std::vector<Launch> given(graph.functions.size());
  std::vector<uint32_t> work;
  const auto enter = [&](const Kernel& kernel, uint64_t at) {
    const uint32_t f = graph.function_at(at + subject.image->bias);
    if (f == analysis::none || graph.functions[f].block == analysis::none)
      return;
    Launch& l = given[f];
    const uint32_t all = kernel.allocated_vgpr_count, accum = kernel.descriptor.accum_offset();
    const bool unified = subject.generation() >= isa::Generation::gfx90a;
    l.sgprs.meet(kernel.allocated_sgpr_count, &kernel);
    l.vgprs.meet(unified ? std::min(all, accum) : all, &kernel);
    l.agprs.meet(unified ? all - std::min(all, accum) : all, &kernel);
    l.lds.meet(std::max(kernel.group_segment_fixed_size, kernel.descriptor.group_segment_fixed_size), &kernel);
    l.dynamic_lds |= has_dynamic_lds(kernel);
    l.unknown_lds |= is_compiled(kernel);
    l.kernels.push_back(&kernel);
    work.push_back(f);
  };
  for (const Kernel& kernel : subject.object->kernels()) {
    enter(kernel, kernel.entry);
    if (codeobject::first_instruction(kernel) != kernel.entry)
      enter(kernel, codeobject::first_instruction(kernel));
  }
  while (!work.empty()) {
    const uint32_t from = work.back();
    work.pop_back();
    for (const analysis::BlockId b : reached_from(from)) {
      const analysis::Call* call = graph.call_of(b);
      if (!call || call->unknown)
        continue; // what it may reach is not what it does
      for (const uint32_t to : graph.callees_of(*call))
        if (graph.functions[to].block != analysis::none && meet(given[to], given[from]))
          work.push_back(to);
    }
  }
  std::vector<bool> unknown(parts_.size());
  for (uint32_t f = 0; f < given.size(); ++f) {
    if (graph.functions[f].block == analysis::none)
      continue;
    const uint32_t part = graph.blocks[graph.functions[f].block].part;
    if (!given[f].sgprs.known()) {
      unknown[part] = true;
      continue;
    }
    const auto add = [&](Launch& to) {
      meet(to, given[f]);
      to.kernels.insert(to.kernels.end(), given[f].kernels.begin(), given[f].kernels.end());
    };
    add(parts_[part]);
    if (shared_[part])
      for (const analysis::BlockId b : reached_from(f))
        add(blocks_[b]);
  }
  for (uint32_t part = 0; part < parts_.size(); ++part)
    if (unknown[part] && shared_[part])
      parts_[part] = {};
}

} // namespace crosslane::lint
