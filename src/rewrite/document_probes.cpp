// As the document prints them, site by site.
#include "rewrite/document_probes.h"
#include "files/error.h"
#include "isa/op.h"
#include "rewrite/counter_code.h"
#include "rewrite/record.h"
#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace crosslane::rewrite {

using analysis::BlockId;
using isa::Generation;

namespace {

// What LDS is allocated in, at most.
constexpr uint32_t lds_granule = 512;

Generation generation_of(const CopiedCode& code) { return isa::info(code.target()).generation; }

uint32_t most_waves(std::span<const CopiedKernel* const> kernels) {
  uint32_t waves = 1;
  for (const CopiedKernel* k : kernels) {
    const uint32_t items = k->kernel->max_flat_workgroup_size;
    waves = std::max(waves, items ? (items + 63) / 64 : 16);
  }
  return waves;
}

} // namespace

bool DocumentProbes::follows(const FoundSite& site) const {
  if (isa::is_divergence(site.kind) || places_.empty() || places_.back().site.block != site.block)
    return false;
  const isa::Condition c = isa::flow(site.in).condition;
  return c != isa::Condition::scc0 && c != isa::Condition::scc1;
}

llvm::Error DocumentProbes::choose(ProbeNeeds& needs) {
  const ExecLanes lanes(code_.subject(), code_.kernels(), code_.blocks());
  counters_ = needs.counters;
  uint32_t nodes = 0;
  std::vector<std::pair<uint32_t, uint32_t>> executions; // node, counter
  for (const FoundSite& site : find_sites(code_)) {
    const bool parts = isa::is_divergence(site.kind) && keeps_old_exec(site.in);
    if (!parts && !follows(site))
      continue;
    Place place{site, {code_.address(site.pc), parts}, counters_};
    if (parts) {
      place.planned.some_fail = int32_t(counters_++);
      place.planned.some_hold = int32_t(counters_++);
      if (!lanes.some(site.block, site.instruction))
        place.planned.any = int32_t(counters_++);
      executions.push_back({nodes++, counters_++});
    }
    place.planned.node = nodes - 1;
    places_.push_back(std::move(place));
  }
  // No edges of the program: each probe is a node that is entered as often as it says.
  graph_.nodes = nodes + 1;
  for (const auto& [node, counter] : executions) {
    graph_.edges.push_back({nodes, node, int32_t(counter)});
    graph_.edges.push_back({node, nodes});
  }
  needs.counters = counters_;
  needs.in_memory = true;
  first_sgpr_ = needs.sgprs = (needs.sgprs + 1) / 2 * 2, first_vgpr_ = needs.vgprs = (needs.vgprs + 1) / 2 * 2;
  needs.sgprs += 3, needs.vgprs += 4;
  return lds() ? choose_lds(needs) : llvm::Error::success();
}

// Behind what the kernel has, whatever of it is dynamic: at the end of what its workgroups get.
llvm::Error DocumentProbes::choose_lds(ProbeNeeds& needs) {
  uint32_t theirs = 0;
  for (const CopiedKernel* k : code_.kernels()) {
    for (const auto& a : k->kernel->arguments)
      if (a.value_kind == "dynamic_shared_pointer")
        return fail("its argument '{}' points to dynamic LDS, which begins where its static LDS ends", a.name);
    theirs = std::max({theirs, k->kernel->group_segment_fixed_size, k->kernel->descriptor.group_segment_fixed_size});
  }
  lds_bytes_ = most_waves(code_.kernels()) * dwords() * 4 + lds_granule;
  const uint32_t most = isa::info(code_.target()).lds_per_workgroup;
  if (theirs + lds_bytes_ > most)
    return fail("it has {} of {} bytes of LDS, and counters need {}", theirs, most, lds_bytes_);
  needs.lds = theirs + lds_bytes_;
  return llvm::Error::success();
}

uint32_t DocumentProbes::dwords() const {
  return lds() ? (counters_ + 1) / 2 * 2 : 1u << (record_shift(counters_) - 2);
}

DocumentProbes::Registers DocumentProbes::registers(const ProbeRegisters& r) const {
  const auto s = uint16_t(r.own_sgprs + first_sgpr_), v = uint16_t(r.own_vgprs + first_vgpr_);
  const auto after = [](uint16_t first, int n) { return uint16_t(first + n); };
  return {.wave = s,
          .base = after(s, 1),
          .record = after(s, 2),
          .data = v,
          .address = after(v, 2),
          .one = after(v, 3),
          .exec = r.scratch,
          .scratch = after(r.scratch, 2),
          .m0 = after(r.scratch, 5),
          .rsrc = r.control};
}

// (dwords of a wave * its number + the counter) * 4, from the base on.
std::string DocumentProbes::address(const Registers& r, uint32_t counter) const {
  std::string text = fmt::format("s_mul_i32 s{0}, {1}, s{2}\ns_add_u32 s{0}, {3}, s{0}\ns_lshl_b32 s{0}, s{0}, 2\n",
                                 r.scratch, dwords(), r.wave, counter);
  if (lds())
    text += fmt::format("s_add_u32 s{0}, s{1}, s{0}\n", r.scratch, r.base);
  return text + fmt::format("v_mov_b32 v{}, s{}\n", r.address, r.scratch);
}

std::string DocumentProbes::add(const Registers& r, uint16_t data, uint32_t offset) const {
  if (lds())
    return fmt::format("ds_add_u32 v{}, v{} offset:{}\n", r.address, data, offset);
  return fmt::format("buffer_atomic_add v{}, v{}, s[{}:{}], 0 offen offset:{}\n", data, r.address, r.rsrc, r.rsrc + 3,
                     offset);
}

// Up to gfx8, M0 limits what LDS instructions reach.
std::string DocumentProbes::one_lane(const Registers& r, const std::string& text) const {
  const bool limited = lds() && generation_of(code_) < Generation::gfx9;
  return fmt::format("s_mov_b64 {0}, exec\ns_mov_b64 exec, 1\n{1}{2}{3}s_mov_b64 exec, {0}\n", pair(r.exec),
                     limited ? fmt::format("s_mov_b32 s{}, m0\ns_mov_b32 m0, -1\n", r.m0) : "", text,
                     limited ? fmt::format("s_mov_b32 m0, s{}\n", r.m0) : "");
}

// SCC: whether the mask has a lane.
std::string DocumentProbes::some(const Registers& r, const std::string& mask) const {
  if (generation_of(code_) >= Generation::gfx8)
    return fmt::format("s_cmp_lg_u64 0, {}\n", mask);
  return fmt::format("s_or_b64 {}, {}, 0\n", pair(r.scratch), mask);
}

std::string DocumentProbes::probe(const Registers& r, uint32_t first, std::span<const std::string> tests) const {
  std::string text = address(r, first);
  uint32_t offset = 0;
  for (const std::string& test : tests) {
    text += test + fmt::format("v_mov_b32 v{}, src_scc\n", r.data) + add(r, r.data, offset);
    offset += 4;
  }
  if (lds() && offset && generation_of(code_) >= Generation::gfx9)
    text += fmt::format("v_add_u32 v{0}, {1}, v{0}\n", r.address, std::exchange(offset, 0));
  return one_lane(r, text + add(r, r.one, offset));
}

void DocumentProbes::put(const ProbeRegisters& registers, Insertions& to, const Place& place) const {
  const Registers r = this->registers(registers);
  const FoundSite& site = place.site;
  const std::string now = pair(r.exec), scratch = pair(r.scratch);
  const std::string old = pair(site.in.dst);
  // Whether IF MASK is OLD MASK can be asked straight where no lane can have come in.
  const bool narrows = site.in.op == isa::Op::s_and_saveexec_b64 && generation_of(code_) >= Generation::gfx8;
  const std::string fail = narrows ? fmt::format("s_cmp_lg_u64 {}, {}\n", old, now)
                                   : fmt::format("s_andn2_b64 {}, {}, {}\n", scratch, old, now),
                    hold = some(r, now), had = fmt::format("s_or_b64 {}, {}, {}\n", scratch, old, now);
  const std::string tests[] = {fail, hold, had};
  std::string text = probe(r, place.first, std::span(tests).first(place.planned.any >= 0 ? 3 : 2));
  if (code_.scc_live(site.block, site.instruction + 1))
    text = keeping_scc(registers, text);
  code_.put(to, site.block, site.instruction + 1, text);
}

// Who the wave is, and zeros for its counters.
std::string DocumentProbes::prologue(const ProbeRegisters& registers) const {
  const Registers r = this->registers(registers);
  const WaveShape shape = wave_shape(code_.kernels());
  const RecordInput record{code_.subject(), registers, counters_, record_shift(counters_), {}, shape};
  std::string text = find_record(record, r.record, r.wave);
  if (lds() && shape.one_wave)
    text += fmt::format("s_mov_b32 s{}, 0\n", r.wave);
  if (lds())
    text += fmt::format("s_getreg_b32 s{0}, hwreg(HW_REG_LDS_ALLOC, 12, 9)\ns_lshl_b32 s{0}, s{0}, 8\n" // 64 dwords
                        "s_sub_u32 s{0}, s{0}, {1}\n",
                        r.base, lds_bytes_);
  else
    text += fmt::format("s_lshr_b32 s{}, s{}, {}\n", r.wave, r.record, record.record_shift);
  std::string zeros =
      address(r, 0) + fmt::format("v_mov_b32 v{}, 0\nv_mov_b32 v{}, 0\nv_mov_b32 v{}, 1\n", r.data, r.data + 1, r.one);
  for (uint32_t c = 0; c < counters_; c += 2) {
    if (lds())
      zeros += fmt::format("ds_write_b64 v{}, v[{}:{}] offset:{}\n", r.address, r.data, r.data + 1, c * 4);
    else
      zeros += store(r, c);
  }
  return text + one_lane(r, zeros);
}

// From LDS to the wave's record.
std::string DocumentProbes::epilogue(const Registers& r) const {
  std::string text = address(r, 0);
  for (uint32_t c = 0; c < counters_; c += 2) {
    text += fmt::format("ds_read_b64 v[{}:{}], v{} offset:{}\ns_waitcnt lgkmcnt(0)\n", r.data, r.data + 1, r.address,
                        c * 4) +
            store(r, c);
  }
  return one_lane(r, text);
}

// Two counters, or the last one.
std::string DocumentProbes::store(const Registers& r, uint32_t counter) const {
  constexpr uint32_t reach = 4096; // of an offset
  const uint32_t at = counter * 4;
  const std::string next = at && at % reach == 0 ? fmt::format("s_add_u32 s{0}, s{0}, {1:#x}\n", r.record, reach) : "";
  const std::string resource = fmt::format("s[{}:{}], s{} offset:{}\n", r.rsrc, r.rsrc + 3, r.record, at % reach);
  return next + (counter + 1 == counters_
                     ? fmt::format("buffer_store_dword v{}, off, {}", r.data, resource)
                     : fmt::format("buffer_store_dwordx2 v[{}:{}], off, {}", r.data, r.data + 1, resource));
}

void DocumentProbes::insert(const ProbeRegisters& registers, Insertions& to) {
  if (counters_ == 0)
    return;
  for (const CopiedKernel* k : code_.kernels())
    append(to.at_entry[k->function], code_.target(), prologue(registers));
  if (lds())
    append(to.at_end, code_.target(), epilogue(this->registers(registers)));
  for (const Place& place : places_)
    if (place.planned.per_lane)
      put(registers, to, place);
}

void DocumentProbes::plan(const CopiedKernel&, KernelPlan& plan) const {
  plan.branches = plan.only_saveexec = true, plan.graph = graph_;
  for (const Place& place : places_)
    plan.sites.push_back(place.planned);
}

} // namespace crosslane::rewrite
