// From the entries of kernels along calls, until nothing gets less.
#include "lint/launches.h"
#include "isa/instruction.h"
#include <algorithm>

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

Launches::Launches(const Subject& subject) : subject_(subject), parts_(subject.graph.parts.size()) {
  const auto& graph = subject.graph;
  std::vector<uint32_t> work;
  for (const Kernel& kernel : subject.object->kernels()) {
    const uint32_t f = graph.function_at(kernel.entry + subject.image->bias);
    if (f == analysis::none || graph.functions[f].block == analysis::none)
      continue;
    const uint32_t part = graph.blocks[graph.functions[f].block].part;
    Launch& l = parts_[part];
    const uint32_t all = kernel.allocated_vgpr_count, accum = kernel.descriptor.accum_offset();
    const bool unified = subject.generation() >= isa::Generation::gfx90a;
    l.sgprs.meet(kernel.allocated_sgpr_count, &kernel);
    l.vgprs.meet(unified ? std::min(all, accum) : all, &kernel);
    l.agprs.meet(unified ? all - std::min(all, accum) : all, &kernel);
    l.lds.meet(std::max(kernel.group_segment_fixed_size, kernel.descriptor.group_segment_fixed_size), &kernel);
    l.dynamic_lds |= has_dynamic_lds(kernel);
    l.unknown_lds |= is_compiled(kernel);
    l.kernels.push_back(&kernel);
    work.push_back(part);
  }
  std::vector<std::vector<uint32_t>> called(parts_.size());
  for (const analysis::Call& call : graph.calls) {
    if (call.unknown)
      continue; // what it may reach is not what it does
    for (const uint32_t f : graph.callees_of(call))
      if (const analysis::BlockId entry = graph.functions[f].block; entry != analysis::none)
        called[graph.blocks[call.block].part].push_back(graph.blocks[entry].part);
  }
  for (auto& parts : called) {
    std::ranges::sort(parts);
    parts.erase(std::ranges::unique(parts).begin(), parts.end());
  }
  while (!work.empty()) {
    const uint32_t part = work.back();
    work.pop_back();
    for (const uint32_t to : called[part])
      if (meet(parts_[to], parts_[part]))
        work.push_back(to);
  }
}

} // namespace crosslane::lint
