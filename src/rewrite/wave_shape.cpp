// From descriptors and metadata.
#include "rewrite/wave_shape.h"
#include <algorithm>

namespace crosslane::rewrite {

namespace {

uint32_t dimensions_of(const codeobject::KernelDescriptor& d) {
  const uint32_t items = std::min(d.enable_vgpr_workitem_id(), 2u) + 1;
  return std::max(items, d.enable_sgpr_workgroup_id_z() ? 3u : d.enable_sgpr_workgroup_id_y() ? 2u : 1u);
}

} // namespace

WaveShape wave_shape(std::span<const CopiedKernel* const> kernels) {
  WaveShape s{.one_wave = true, .dimensions = 1};
  std::ranges::copy(kernels[0]->kernel->reqd_workgroup_size, s.size.begin());
  for (const CopiedKernel* k : kernels) {
    const uint32_t most = k->kernel->max_flat_workgroup_size;
    s.one_wave &= most != 0 && most <= 64;
    s.dimensions = std::max(s.dimensions, dimensions_of(k->kernel->descriptor));
    if (!std::ranges::equal(s.size, k->kernel->reqd_workgroup_size))
      s.size = {};
  }
  if (std::ranges::any_of(s.size, [](uint32_t n) { return n == 0 || n > 1024; }))
    s.size = {};
  const bool known = s.size[0] != 0;
  s.one_wave |= known && s.size[0] * s.size[1] * s.size[2] <= 64;
  if (s.one_wave)
    return s;
  // Rows that 64 is a multiple of: where in its row the first work-item is makes no difference.
  s.items[0] = !known || 64 % s.size[0] != 0;
  s.items[1] = !known || s.size[1] > 1;
  s.items[2] = !known || s.size[2] > 1;
  s.item_ids = s.items[2] ? 2 : s.items[1] ? 1 : 0;
  return s;
}

} // namespace crosslane::rewrite
