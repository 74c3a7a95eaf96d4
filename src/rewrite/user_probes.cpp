// Place by place, in the order in which they were asked for.
#include "rewrite/user_probes.h"
#include "files/error.h"
#include "isa/classify.h"
#include "rewrite/counter_code.h"

namespace crosslane::rewrite {

using analysis::BlockId;
using analysis::Exit;

void UserProbes::add(UserPlace::Kind kind, EdgePlace at, uint64_t pc, uint64_t target) {
  places_.push_back({kind, at, code_.address(pc), target ? code_.address(target) : 0});
}

void UserProbes::find_in_blocks(const UserPlace& place) {
  const analysis::Graph& graph = code_.graph();
  for (const BlockId b : code_.blocks()) {
    const analysis::Block& block = graph.blocks[b];
    uint32_t n = 0;
    bool on_line = false;
    if (place.kind == UserPlace::Kind::block)
      add(place.kind, {EdgePlace::before, b, 0}, block.begin);
    else if (block.exit == Exit::condition && place.kind == UserPlace::Kind::branch)
      add(place.kind, {EdgePlace::end_of_block, b, 0}, block.last);
    else if (block.exit == Exit::condition && place.kind == UserPlace::Kind::edge)
      for (uint32_t i = 0; i < graph.successors(b).size(); ++i) {
        const BlockId to = graph.successors(b)[i].to;
        const bool others_enter = graph.predecessors_of(to).size() > 1 || graph.blocks[to].entry;
        add(place.kind, CopiedCode::cheapest({EdgePlace::edge, b, i}, true, others_enter), block.last,
            graph.blocks[to].begin);
      }
    else if (place.kind == UserPlace::Kind::memory || place.kind == UserPlace::Kind::line)
      each_instruction(code_.subject().code(), block, [&](uint64_t pc, const isa::Instruction& in) {
        bool here = isa::memory_use(in).spaces != isa::Space::none;
        if (place.kind == UserPlace::Kind::line) {
          const auto line = code_.subject().object->source_line(code_.address(pc));
          const bool was =
              std::exchange(on_line, line && line->line == place.line &&
                                         (line->file == place.file || line->file.ends_with("/" + place.file)));
          here = on_line && !was;
        }
        if (here)
          add(place.kind, {EdgePlace::before, b, n}, pc);
        ++n;
      });
  }
}

void UserProbes::find(const UserPlace& place) {
  const analysis::Graph& graph = code_.graph();
  if (place.kind != UserPlace::Kind::entry && place.kind != UserPlace::Kind::exit)
    return find_in_blocks(place);
  const auto kernels = code_.kernels();
  if (place.kind == UserPlace::Kind::exit) // one for all ends
    return add(place.kind, {EdgePlace::nowhere, 0, 0}, graph.blocks[graph.functions[kernels[0]->function].block].begin);
  for (const CopiedKernel* k : kernels) {
    const BlockId b = graph.functions[k->function].block;
    add(place.kind, {EdgePlace::kernel_entry, b, 0}, graph.blocks[b].begin);
  }
}

llvm::Error UserProbes::choose(ProbeNeeds& needs) {
  auto checked = check(probe_, code_.target());
  if (!checked)
    return checked.takeError();
  needs_ = *checked;
  if (needs_.vector && code_.graph().indexes_vgprs)
    return fail("VGPRs are indexed in its code object, and {} has vector instructions", probe_.name);
  const Budget budget = budget_of(code_.subject(), code_.kernels());
  if (needs_.reads_sgprs > budget.first_sgpr || needs_.reads_vgprs > budget.first_vgpr)
    return fail("{} reads {}, and its code uses {} SGPRs and {} VGPRs", probe_.name,
                needs_.reads_sgprs > budget.first_sgpr ? fmt::format("s{}", needs_.reads_sgprs - 1)
                                                       : fmt::format("v{}", needs_.reads_vgprs - 1),
                budget.first_sgpr, budget.first_vgpr);
  for (const UserPlace& place : probe_.at)
    find(place);
  if (places_.empty())
    return fail("it has no place that --at names");
  first_counter_ = needs.counters;
  needs.counters += uint32_t(places_.size()) * needs_.counters;
  first_vgpr_ = needs.vgprs;
  needs.vgprs += needs_.vgprs;
  return llvm::Error::success();
}

void UserProbes::insert(const ProbeRegisters& r, Insertions& to) {
  const auto own = uint16_t(r.own_vgprs + first_vgpr_);
  uint32_t counter = first_counter_;
  for (const Place& place : places_) {
    const std::string text = expand(probe_, code_.target(), r, own, counter);
    counter += needs_.counters;
    if (place.kind == UserPlace::Kind::exit)
      rewrite::append(to.at_end, code_.target(), text);
    else
      code_.put(to, place.at, code_.scc_live(place.at) ? keeping_scc(r, text) : text);
  }
}

void UserProbes::plan(const CopiedKernel& kernel, KernelPlan& plan) const {
  const analysis::Graph& graph = code_.graph();
  const uint64_t begin = code_.address(graph.blocks[graph.functions[kernel.function].block].begin);
  UserPlan& user = plan.user.emplace();
  user.name = probe_.name, user.counters = needs_.counters;
  uint32_t counter = first_counter_;
  for (const Place& place : places_) {
    const uint64_t address = place.kind == UserPlace::Kind::exit ? begin : place.address;
    user.places.push_back({std::string(name_of(place.kind)), address, place.target, counter});
    counter += needs_.counters;
  }
}

} // namespace crosslane::rewrite
