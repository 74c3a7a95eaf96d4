// On the edges of loops, and where waves begin and end.
#include "rewrite/time_probes.h"
#include "rewrite/counter_code.h"
#include <algorithm>
#include <fmt/format.h>

namespace crosslane::rewrite {

using analysis::BlockId;
using analysis::EdgeKind;
using analysis::Exit;

std::vector<uint32_t> TimeProbes::around(BlockId b) const {
  std::vector<uint32_t> all;
  if (b != analysis::none)
    for (uint32_t l = code_.loops().of[b]; l != analysis::none; l = code_.loops().loops[l].parent)
      all.push_back(number_[l]);
  return all;
}

void TimeProbes::find_loops(ProbeNeeds& needs) {
  const auto& loops = code_.loops().loops;
  number_.assign(loops.size(), analysis::none);
  std::vector<uint32_t> copied;
  for (uint32_t l = 0; l < loops.size(); ++l)
    if (code_.index_of(loops[l].header) != analysis::none)
      copied.push_back(l);
  // By address, outer ones before inner ones that begin with the same block.
  std::ranges::sort(copied, {}, [&](uint32_t l) { return std::pair(code_.index_of(loops[l].header), loops[l].depth); });
  for (const uint32_t l : copied) {
    number_[l] = uint32_t(plan_.loops.size());
    const analysis::Block& header = code_.graph().blocks[loops[l].header];
    plan_.loops.push_back({code_.address(header.begin), loops[l].depth, needs.counters, needs.counters + 2});
    needs.counters += 3;
  }
}

void TimeProbes::cross(EdgePlace place, BlockId from, BlockId to) {
  const std::vector<uint32_t> before = around(from), behind = around(to);
  Crossing crossing{place, {}, {}};
  for (const uint32_t l : behind)
    if (std::ranges::find(before, l) == before.end())
      crossing.enters.push_back(l);
  for (const uint32_t l : before)
    if (std::ranges::find(behind, l) == behind.end())
      crossing.leaves.push_back(l);
  if (!crossing.enters.empty() || !crossing.leaves.empty())
    crossings_.push_back(std::move(crossing));
}

void TimeProbes::find_crossings() {
  const analysis::Graph& graph = code_.graph();
  for (const CopiedKernel* k : code_.kernels()) {
    const BlockId b = graph.functions[k->function].block;
    cross({EdgePlace::kernel_entry, b, 0}, analysis::none, b);
  }
  std::vector<bool> entered(code_.blocks().size());
  for (const BlockId b : code_.blocks()) {
    if (graph.blocks[b].exit == Exit::call)
      if (const BlockId callee = single_target(code_.subject(), b);
          callee != analysis::none && !entered[code_.index_of(callee)]) {
        entered[code_.index_of(callee)] = true;
        cross({EdgePlace::entry, callee, 0}, analysis::none, callee);
      }
    const auto successors = graph.successors(b);
    for (uint32_t i = 0; i < successors.size(); ++i) {
      const BlockId to = successors[i].to;
      const bool others_enter = graph.predecessors_of(to).size() > 1 || graph.blocks[to].entry;
      cross(CopiedCode::cheapest({EdgePlace::edge, b, i},
                                 successors.size() > 1 || successors[i].kind == EdgeKind::after_call, others_enter),
            b, to);
    }
  }
}

llvm::Error TimeProbes::choose(ProbeNeeds& needs) {
  plan_.begin = needs.counters, plan_.end = plan_.begin + 2, plan_.hw_id = plan_.begin + 4;
  needs.counters += 5;
  find_loops(needs);
  find_crossings();
  first_sgpr_ = needs.sgprs = (needs.sgprs + 1) / 2 * 2;
  needs.sgprs += 2;
  return llvm::Error::success();
}

// Up to gfx7, VCCZ may be wrong when a scalar read comes back; writing VCC makes it right.
std::string TimeProbes::read_clock(const ProbeRegisters& r) const {
  const bool mends_vccz = isa::info(code_.target()).generation < isa::Generation::gfx8;
  return fmt::format("s_memtime {}\ns_waitcnt lgkmcnt(0)\n{}", pair(r.scratch),
                     mends_vccz ? "s_mov_b64 vcc, vcc\n" : "");
}

std::string TimeProbes::text(const ProbeRegisters& r, const Crossing& crossing) const {
  const std::string low = fmt::format("s{}", r.scratch), high = fmt::format("s{}", r.scratch + 1);
  std::string text = read_clock(r);
  for (const uint32_t l : crossing.leaves) {
    const TimedLoop& loop = plan_.loops[l];
    text += add(r, loop.cycles, low) + add_carry(r, loop.cycles + 1, high);
  }
  for (const uint32_t l : crossing.enters) {
    const TimedLoop& loop = plan_.loops[l];
    text += subtract(r, loop.cycles, low) + subtract_borrow(r, loop.cycles + 1, high) + count(r, loop.entries);
  }
  return text;
}

void TimeProbes::insert(const ProbeRegisters& r, Insertions& to) {
  const auto begin = uint16_t(r.own_sgprs + first_sgpr_);
  for (const CopiedKernel* k : code_.kernels()) // that it has come is waited for where the wave ends
    append(to.at_entry[k->function], code_.target(), fmt::format("s_memtime {}\n", pair(begin)));
  for (const Crossing& crossing : crossings_) {
    const std::string text = this->text(r, crossing);
    code_.put(to, crossing.place, code_.scc_live(crossing.place) ? keeping_scc(r, text) : text);
  }
  const auto from = [&](uint32_t counter, int sgpr) { return add(r, counter, fmt::format("s{}", sgpr)); };
  append(to.at_end, code_.target(),
         read_clock(r) + from(plan_.begin, begin) + from(plan_.begin + 1, begin + 1) + from(plan_.end, r.scratch) +
             from(plan_.end + 1, r.scratch + 1) + fmt::format("s_getreg_b32 s{}, hwreg(HW_REG_HW_ID)\n", r.scratch) +
             from(plan_.hw_id, r.scratch));
}

void TimeProbes::plan(const CopiedKernel&, KernelPlan& plan) const { plan.time = plan_; }

} // namespace crosslane::rewrite
