// An entry: 16 dwords, lane by lane of one VGPR, then 64 of each VGPR with addresses, under the program's EXEC. The
// position stops at the end of the record, which is the end of the buffer: writing there does nothing.
#include "rewrite/memory_probes.h"
#include "isa/classify.h"
#include "isa/print.h"
#include "rewrite/counter_code.h"
#include "rewrite/record.h"
#include <algorithm>
#include <bit>
#include <fmt/format.h>

namespace crosslane::rewrite {

llvm::Error MemoryProbes::choose(ProbeNeeds& needs) {
  for (const analysis::BlockId b : code_.blocks()) {
    uint32_t n = 0;
    each_instruction(code_.subject().code(), code_.graph().blocks[b], [&](uint64_t pc, const isa::Instruction& in) {
      if (const auto operands = address_operands(in)) {
        places_.push_back({b, n, *operands});
        plan_.places.push_back({code_.address(pc), operands->vectors});
      } else if (isa::memory_use(in).spaces != isa::Space::none) {
        plan_.untraced.push_back(code_.address(pc));
      }
      ++n;
    });
  }
  plan_.accesses = needs.counters++;
  plan_.first = (needs.counters * 4 + 63) / 64 * 64;
  needs.record_bytes = record_bytes_ = std::bit_ceil(std::max(record_bytes_, plan_.first + traced_bytes(2)));
  first_sgpr_ = needs.sgprs = (needs.sgprs + 1) / 2 * 2;
  first_vgpr_ = needs.vgprs;
  needs.sgprs += 2, needs.vgprs += 3;
  needs.record_sgpr = first_sgpr_ + 1;
  return llvm::Error::success();
}

MemoryProbes::Registers MemoryProbes::registers(const ProbeRegisters& r) const {
  const auto s = uint16_t(r.own_sgprs + first_sgpr_), v = uint16_t(r.own_vgprs + first_vgpr_);
  return {s, uint16_t(s + 1), v, uint16_t(v + 1), uint16_t(v + 2)};
}

// Where the record is; the buffer ends with it, or is empty if nobody wants records.
std::string MemoryProbes::prologue(const ProbeRegisters& r) const {
  const Registers own = registers(r);
  const WaveShape shape = wave_shape(code_.kernels());
  const RecordInput record{
      code_.subject(), r, plan_.accesses + 1, uint32_t(std::countr_zero(record_bytes_)), {}, shape};
  const bool e64 = isa::info(code_.target()).generation < isa::Generation::gfx8;
  return find_record(record, own.record, r.scratch + 2u) +
         fmt::format("s_add_u32 s{0}, s{1}, {2:#x}\ns_min_u32 s{3}, s{3}, s{0}\n"
                     "s_add_u32 s{0}, s{1}, {4:#x}\ns_min_u32 s{0}, s{0}, s{3}\n",
                     own.position, own.record, record_bytes_, r.control + 2, plan_.first) +
         fmt::format("s_mov_b64 {0}, exec\ns_mov_b64 exec, -1\nv_mbcnt_lo_u32_b32{2} v{1}, -1, 0\n"
                     "v_mbcnt_hi_u32_b32 v{1}, -1, v{1}\ns_mov_b64 exec, {0}\n",
                     pair(r.scratch), own.lane, e64 ? "_e64" : "");
}

std::string MemoryProbes::text(const ProbeRegisters& r, uint32_t number, const Place& place) const {
  const Registers own = registers(r);
  const AddressOperands& o = place.operands;
  std::string text = count(r, plan_.accesses);
  uint32_t lane = 0;
  const auto head = [&](const std::string& value) {
    text += fmt::format("v_writelane_b32 v{}, {}, {}\n", own.head, value, lane++);
  };
  if (number > 64)
    text += fmt::format("s_mov_b32 s{}, {}\n", r.scratch + 2, number);
  head(number > 64 ? fmt::format("s{}", r.scratch + 2) : fmt::format("{}", number));
  head("exec_lo"), head("exec_hi");
  for (uint8_t i = 0; i < o.scalar_count; ++i)
    head(isa::print_registers({.file = isa::RegisterFile::scalar, .first = o.scalars[i], .dwords = 1}, code_.target()));
  const auto store = [&](uint32_t vgpr, uint32_t offset) {
    text += fmt::format("buffer_store_dword v{}, v{}, s[{}:{}], 0 offen{}\n", vgpr, own.at, r.control, r.control + 3,
                        offset ? fmt::format(" offset:{}", offset) : "");
  };
  // Offsets in SGPRs are not part of what gfx9 compares with the buffer's end.
  text += fmt::format("s_mov_b64 {0}, exec\ns_mov_b64 exec, -1\nv_mad_u32_u24 v{1}, v{2}, 4, s{3}\n"
                      "s_mov_b64 exec, 0xffff\n",
                      pair(r.scratch), own.at, own.lane, own.position);
  store(own.head, 0);
  text += fmt::format("s_mov_b64 exec, {}\n", pair(r.scratch));
  for (uint8_t v = 0; v < o.vectors; ++v)
    store(o.vgpr - isa::code::vgpr0 + v, 64 + 256u * v);
  // gfx6 reads what it stores when it gets to it: the program may write to its registers behind the probe.
  if (isa::info(code_.target()).generation == isa::Generation::gfx6)
    text += "s_waitcnt expcnt(0)\n";
  return text + fmt::format("s_add_u32 s{0}, s{0}, {1}\ns_min_u32 s{0}, s{0}, s{2}\n", own.position,
                            traced_bytes(o.vectors), r.control + 2);
}

void MemoryProbes::insert(const ProbeRegisters& r, Insertions& to) {
  for (const CopiedKernel* k : code_.kernels())
    append(to.at_entry[k->function], code_.target(), prologue(r));
  for (size_t p = 0; p < places_.size(); ++p) {
    const Place& place = places_[p];
    const std::string text = this->text(r, uint32_t(p), place);
    code_.put(to, place.block, place.instruction,
              code_.scc_live(place.block, place.instruction) ? keeping_scc(r, text) : text);
  }
}

void MemoryProbes::plan(const CopiedKernel&, KernelPlan& plan) const { plan.memory = plan_; }

} // namespace crosslane::rewrite
