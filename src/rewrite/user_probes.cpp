// Place by place, in the order in which they were asked for.
#include "rewrite/user_probes.h"
#include "files/error.h"
#include "isa/classify.h"
#include "isa/print.h"
#include "rewrite/counter_code.h"
#include "rewrite/exec_lanes.h"
#include "rewrite/probe_arguments.h"
#include <algorithm>

namespace crosslane::rewrite {

using analysis::BlockId;
using analysis::Exit;

// Not where it asks for what is not there.
void UserProbes::add(Place place) {
  const isa::Instruction* in = place.instruction();
  if (function_ ? has_arguments(function_->parameters(), in) : has_operands(probe_, in))
    places_.push_back(std::move(place));
  else
    ++left_out_;
}

void UserProbes::find_in_blocks(const UserPlace& place) {
  const analysis::Graph& graph = code_.graph();
  for (const BlockId b : code_.blocks()) {
    const analysis::Block& block = graph.blocks[b];
    uint32_t n = 0;
    bool on_line = false;
    each_instruction(code_.subject().code(), block, [&](uint64_t pc, const isa::Instruction& in) {
      const auto put = [&](EdgePlace at) { add({place.kind, at, code_.address(pc), 0, in}); };
      bool here = false;
      switch (place.kind) {
      case UserPlace::Kind::block: here = n == 0; break;
      case UserPlace::Kind::memory: here = isa::memory_use(in).spaces != isa::Space::none; break;
      case UserPlace::Kind::line: {
        const auto line = code_.subject().object->source_line(code_.address(pc));
        const bool was =
            std::exchange(on_line, line && line->line == place.line &&
                                       (line->file == place.file || line->file.ends_with("/" + place.file)));
        here = on_line && !was;
        break;
      }
      case UserPlace::Kind::branch:
        if (pc == block.last && block.exit == Exit::condition)
          put({EdgePlace::end_of_block, b, 0});
        break;
      default: break;
      }
      if (here)
        put({EdgePlace::before, b, n});
      ++n;
    });
    if (block.exit != Exit::condition || place.kind != UserPlace::Kind::edge)
      continue;
    for (uint32_t i = 0; i < graph.successors(b).size(); ++i) {
      const BlockId to = graph.successors(b)[i].to;
      const bool others_enter = graph.predecessors_of(to).size() > 1 || graph.blocks[to].entry;
      add({place.kind,
           CopiedCode::cheapest({EdgePlace::edge, b, i}, true, others_enter),
           code_.address(block.last),
           code_.address(graph.blocks[to].begin),
           {}});
    }
  }
}

void UserProbes::find(const UserPlace& place) {
  const analysis::Graph& graph = code_.graph();
  if (place.kind != UserPlace::Kind::entry && place.kind != UserPlace::Kind::exit)
    return find_in_blocks(place);
  const auto begin = [&](const CopiedKernel* k) { return code_.address(graph.blocks[first_block(k)].begin); };
  const auto kernels = code_.kernels();
  if (place.kind == UserPlace::Kind::exit) // one for all ends
    return add({place.kind, {EdgePlace::nowhere, 0, 0}, begin(kernels[0]), 0, {}});
  for (const CopiedKernel* k : kernels)
    add({place.kind, {EdgePlace::kernel_entry, first_block(k), 0}, begin(k), 0, {}});
}

BlockId UserProbes::first_block(const CopiedKernel* k) const { return code_.graph().functions[k->function].block; }

llvm::Error UserProbes::check_reads(uint32_t sgprs, uint32_t vgprs) const {
  const Budget budget = budget_of(code_.subject(), code_.kernels());
  if (sgprs <= budget.first_sgpr && vgprs <= budget.first_vgpr)
    return llvm::Error::success();
  return fail("{} reads {}, and its code uses {} SGPRs and {} VGPRs", probe_.name,
              sgprs > budget.first_sgpr ? fmt::format("s{}", sgprs - 1) : fmt::format("v{}", vgprs - 1),
              budget.first_sgpr, budget.first_vgpr);
}

// Assembly with operands is other instructions at each place.
llvm::Error UserProbes::check_places() {
  const auto one = [&](const isa::Instruction* at) -> llvm::Error {
    auto checked = check(probe_, code_.target(), at);
    if (!checked)
      return checked.takeError();
    needs_.counters = checked->counters, needs_.vgprs = checked->vgprs;
    needs_.reads_sgprs = std::max(needs_.reads_sgprs, checked->reads_sgprs);
    needs_.reads_vgprs = std::max(needs_.reads_vgprs, checked->reads_vgprs);
    return llvm::Error::success();
  };
  if (!names_operands(probe_))
    return one(nullptr);
  for (const Place& place : places_)
    if (auto error = one(place.instruction()))
      return fail("{} (before '{}' at {:#x})", llvm::toString(std::move(error)), isa::print(*place.before),
                  place.address);
  return llvm::Error::success();
}

// Its own, EXEC, VCC, where it was called from, and M0.
constexpr uint32_t kept_sgprs = 7;

llvm::Error UserProbes::choose_function(ProbeNeeds& needs) {
  needs_.counters = function_->counters(), needs_.vgprs = function_->vgprs();
  for (const ProbeParameter& p : function_->parameters()) {
    if (p.kind == ProbeParameter::Kind::sgpr)
      needs_.reads_sgprs = std::max<uint32_t>(needs_.reads_sgprs, p.number + p.dwords);
    else if (p.kind == ProbeParameter::Kind::vgpr)
      needs_.reads_vgprs = std::max<uint32_t>(needs_.reads_vgprs, p.number + p.dwords);
  }
  first_sgpr_ = needs.sgprs = (needs.sgprs + 1) / 2 * 2;
  needs.sgprs += 2 + (function_->sgprs() + 1) / 2 * 2 + kept_sgprs; // 2: from a multiple of 4 on
  return llvm::Error::success();
}

llvm::Error UserProbes::choose(ProbeNeeds& needs) {
  for (const UserPlace& place : probe_.at)
    find(place);
  if (places_.empty() && left_out_)
    return fail("none of the {} places that --at names has what {} asks for", left_out_, probe_.name);
  if (auto error = function_ ? choose_function(needs) : check_places())
    return error;
  if (auto error = check_reads(needs_.reads_sgprs, needs_.reads_vgprs))
    return error;
  if (places_.empty())
    return fail("it has no place that --at names");
  first_counter_ = needs.counters;
  needs.counters += uint32_t(places_.size()) * needs_.counters;
  first_vgpr_ = needs.vgprs = (needs.vgprs + 1) / 2 * 2;
  needs.vgprs += needs_.vgprs;
  return llvm::Error::success();
}

void UserProbes::insert(const ProbeRegisters& r, Insertions& to) {
  if (function_)
    return insert_function(r, to);
  const auto own = uint16_t(r.own_vgprs + first_vgpr_);
  uint32_t counter = first_counter_;
  for (const Place& place : places_) {
    const std::string text = expand(probe_, code_.target(), place.instruction(), r, own, counter);
    counter += needs_.counters;
    if (place.kind == UserPlace::Kind::exit)
      rewrite::append(to.at_end, code_.target(), text);
    else
      code_.put(to, place.at, code_.scc_live(place.at) ? keeping_scc(r, text) : text);
  }
}

UserProbes::FunctionRegisters UserProbes::function_registers(const ProbeRegisters& r) const {
  const auto first = uint16_t((r.own_sgprs + first_sgpr_ + 3) / 4 * 4);
  const auto kept = uint16_t(first + (function_->sgprs() + 1) / 2 * 2);
  return {.sgpr = first,
          .vgpr = uint16_t(r.own_vgprs + first_vgpr_),
          .exec = kept,
          .vcc = uint16_t(kept + 2),
          .m0 = uint16_t(kept + 6),
          .link = uint16_t(kept + 4)};
}

std::string UserProbes::keep(const FunctionRegisters& f, bool vcc) const {
  std::string text;
  if (function_->writes_exec())
    text += fmt::format("s_mov_b64 {}, exec\n", pair(f.exec));
  if (vcc)
    text += fmt::format("s_mov_b64 {}, vcc\n", pair(f.vcc));
  if (function_->writes_m0())
    text += fmt::format("s_mov_b32 s{}, m0\n", f.m0);
  return text;
}

std::string UserProbes::restore(const FunctionRegisters& f, bool vcc) const {
  std::string text;
  if (function_->writes_exec())
    text += fmt::format("s_mov_b64 exec, {}\n", pair(f.exec));
  if (vcc)
    text += fmt::format("s_mov_b64 vcc, {}\n", pair(f.vcc));
  if (function_->writes_m0())
    text += fmt::format("s_mov_b32 m0, s{}\n", f.m0);
  return text;
}

// A function without branches stands where it is to run; another one is called, and so are vector instructions where
// EXEC may have no lane: they, and loops that might not end, are gone around there. Nothing is counted without lanes.
bool UserProbes::is_inlined(bool some_lanes) const {
  return function_->straight() && (some_lanes || !function_->vector());
}

// What is called: around it without lanes, the program's registers, its own code, and both ways back.
void UserProbes::add_callee(const FunctionRegisters& f, Insertions& to) const {
  const isa::Target target = code_.target();
  const auto begin = Label(function_label + to.functions.size());
  auto body = function_->blocks(f.sgpr, f.vgpr, begin + 1);
  const Label end = begin + 1 + Label(body.size());
  const std::string back = fmt::format("s_setpc_b64 {}\n", pair(f.link));
  FunctionBlock first{.items = {branch_to(target, end + 1, "s_cbranch_execz")}, .next = begin + 1}, last, none;
  rewrite::append(first.items, target, keep(f, function_->writes_vcc()));
  rewrite::append(last.items, target, restore(f, function_->writes_vcc()) + back);
  std::string nothing;
  for (uint32_t c = 0; c < function_->counters(); ++c)
    nothing += fmt::format("s_mov_b32 s{}, 0\n", f.sgpr + c);
  rewrite::append(none.items, target, nothing + back);
  to.functions.push_back(std::move(first));
  std::ranges::move(body, std::back_inserter(to.functions));
  to.functions.push_back(std::move(last));
  to.functions.push_back(std::move(none));
}

void UserProbes::insert_function(const ProbeRegisters& r, Insertions& to) const {
  const ExecLanes lanes(code_.subject(), code_.kernels(), code_.blocks());
  const auto callee = Label(function_label + to.functions.size());
  bool called = false;
  uint32_t counter = first_counter_;
  for (size_t p = 0; p < places_.size(); ++p) {
    const EdgePlace& at = places_[p].at;
    const bool some =
        at.kind == EdgePlace::kernel_entry || (at.kind == EdgePlace::before && lanes.some(at.block, at.at));
    called |= !is_inlined(some);
    const std::vector<Item> items = call(r, p, counter, callee, some);
    counter += function_->counters();
    if (places_[p].kind == UserPlace::Kind::exit)
      to.at_end.insert(to.at_end.end(), items.begin(), items.end());
    else
      code_.put(to, at, items);
  }
  if (called)
    add_callee(function_registers(r), to);
}

std::vector<Item> UserProbes::call(const ProbeRegisters& r, size_t p, uint32_t counter, Label callee,
                                   bool some_lanes) const {
  const FunctionRegisters f = function_registers(r);
  const Place& place = places_[p];
  const isa::Target target = code_.target();
  const bool scc = place.kind != UserPlace::Kind::exit && code_.scc_live(place.at);
  const bool vcc = function_->writes_vcc() && place.kind != UserPlace::Kind::exit && code_.vcc_live(place.at);
  ArgumentPlace at{place.instruction(), place.address, uint32_t(p), target, {}};
  if (scc)
    at.scc = uint16_t(r.scratch + 4);
  std::vector<Item> items;
  const auto text = [&](std::string_view assembly) { rewrite::append(items, target, assembly); };
  if (scc)
    text(fmt::format("s_cselect_b32 s{}, 1, 0", r.scratch + 4));
  text(arguments(function_->parameters(), at, r, f.sgpr, f.vgpr));
  if (is_inlined(some_lanes)) {
    text(keep(f, vcc));
    const auto body = function_->blocks(f.sgpr, f.vgpr, no_label);
    items.insert(items.end(), body[0].items.begin(), body[0].items.end());
    text(restore(f, vcc));
    if (!some_lanes)
      text(fmt::format("s_or_b64 {}, exec, exec", pair(r.scratch)));
    for (uint32_t c = 0; !some_lanes && c < function_->counters(); ++c)
      text(fmt::format("s_cselect_b32 s{0}, s{0}, 0", f.sgpr + c));
  } else {
    items.push_back(address_of(f.link, callee));
    text(fmt::format("s_swappc_b64 {0}, {0}", pair(f.link)));
  }
  for (uint32_t c = 0; c < function_->counters(); ++c)
    text(rewrite::add(r, counter + c, fmt::format("s{}", f.sgpr + c)));
  if (scc)
    text(fmt::format("s_cmp_lg_u32 s{}, 0", r.scratch + 4));
  return items;
}

void UserProbes::plan(const CopiedKernel& kernel, KernelPlan& plan) const {
  const analysis::Graph& graph = code_.graph();
  const uint64_t begin = code_.address(graph.blocks[graph.functions[kernel.function].block].begin);
  UserPlan& user = plan.user.emplace();
  user.name = probe_.name, user.counters = needs_.counters, user.left_out = left_out_;
  uint32_t counter = first_counter_;
  for (const Place& place : places_) {
    const uint64_t address = place.kind == UserPlace::Kind::exit ? begin : place.address;
    user.places.push_back({std::string(name_of(place.kind)), address, place.target, counter});
    counter += needs_.counters;
  }
}

} // namespace crosslane::rewrite
