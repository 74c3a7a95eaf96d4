// What operands name, and what the descriptors allocate.
#include "rewrite/budget.h"
#include "isa/operands.h"
#include <algorithm>

namespace crosslane::rewrite {

namespace {

// SGPRs and VGPRs, as a wave has them allocated.
struct Allocation {
  uint32_t sgprs = 0, vgprs = 0;
};

uint32_t most_waves(const isa::TargetInfo& t, const Allocation& a) {
  return std::max(
      1u, std::min({uint32_t(t.waves_per_simd), t.sgprs / std::max(a.sgprs, 1u), t.vgprs / std::max(a.vgprs, 1u)}));
}

uint32_t down(uint32_t n, uint32_t granule) { return n / granule * granule; }

} // namespace

uint32_t extra_sgprs(isa::Target target) {
  switch (isa::info(target).generation) {
  case isa::Generation::gfx6: return 2;
  case isa::Generation::gfx7: return 4;
  default: return 6;
  }
}

Budget budget_of(const lint::Subject& subject, std::span<const CopiedKernel* const> kernels) {
  const isa::TargetInfo& target = isa::info(subject.target());
  const uint32_t extra = extra_sgprs(subject.target());
  // Up to gfx7 VCC and the like are counted among those that code can name.
  const uint32_t addressable = target.addressable_sgprs - (target.generation <= isa::Generation::gfx7 ? extra : 0);
  const bool unified = target.generation == isa::Generation::gfx90a;
  uint32_t sgprs = 0, vgprs = 0, indexed_sgprs = 0, indexed_vgprs = 0;
  const auto touch = [&](const isa::Operand& o) {
    const bool indexed = o.extent == isa::Extent::indexed; // any up to what the kernel has
    const uint32_t end = o.first + (indexed ? 1u : o.dwords);
    if (o.file == isa::RegisterFile::scalar && o.first < target.addressable_sgprs) {
      sgprs = std::max(sgprs, std::min<uint32_t>(end, target.addressable_sgprs));
      indexed_sgprs |= indexed;
    } else if (o.file == isa::RegisterFile::vgpr) {
      vgprs = std::max(vgprs, end);
      indexed_vgprs |= indexed;
    }
  };
  Budget budget{.free_sgprs = UINT16_MAX, .free_vgprs = UINT16_MAX};
  for (const CopiedKernel* k : kernels) {
    for (const analysis::BlockId b : k->blocks)
      each_instruction(subject.code(), subject.graph.blocks[b], [&](uint64_t, const isa::Instruction& in) {
        for (const isa::Operand& o : isa::operands(in))
          touch(o);
      });
  }
  indexed_vgprs |= subject.graph.indexes_vgprs;
  for (const CopiedKernel* k : kernels) {
    const auto& d = k->kernel->descriptor;
    const bool elsewhere = !k->calls_to_old.empty(); // code that was not looked at
    const uint32_t architected =
        unified ? std::min(d.accum_offset(), k->kernel->allocated_vgpr_count) : k->kernel->allocated_vgpr_count;
    if (elsewhere || indexed_sgprs)
      sgprs = std::max(sgprs, std::min<uint32_t>(k->kernel->allocated_sgpr_count, target.addressable_sgprs));
    if (elsewhere || indexed_vgprs)
      vgprs = std::max(vgprs, std::min(architected, 256u));
    // What a wave begins with; workgroup ids may become more.
    sgprs = std::max(sgprs, d.user_sgpr_count() + 3 + d.enable_sgpr_workgroup_info() + d.enable_private_segment());
  }
  budget.first_sgpr = uint16_t(sgprs), budget.first_vgpr = uint16_t(vgprs);
  for (const CopiedKernel* k : kernels) {
    const uint32_t agprs = unified ? k->kernel->allocated_vgpr_count -
                                         std::min(k->kernel->descriptor.accum_offset(), k->kernel->allocated_vgpr_count)
                                   : 0;
    const uint32_t waves = most_waves(target, {k->kernel->allocated_sgpr_count, k->kernel->allocated_vgpr_count});
    const uint32_t room_s = std::min<uint32_t>(down(target.sgprs / waves, target.sgpr_granule) - extra, addressable);
    const uint32_t room_v = std::min(down(target.vgprs / waves, target.vgpr_granule) - agprs, 256u);
    budget.free_sgprs = std::min<uint16_t>(budget.free_sgprs, uint16_t(room_s > sgprs ? room_s - sgprs : 0));
    budget.free_vgprs = std::min<uint16_t>(budget.free_vgprs, uint16_t(room_v > vgprs ? room_v - vgprs : 0));
  }
  budget.most_sgprs = uint16_t(addressable - std::min(sgprs, addressable));
  budget.most_vgprs = uint16_t(256 - std::min(vgprs, 256u));
  return budget;
}

} // namespace crosslane::rewrite
