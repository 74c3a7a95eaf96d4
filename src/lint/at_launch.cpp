// By the kernel's descriptor.
#include "lint/at_launch.h"
#include "codeobject/code_object.h"

namespace crosslane::lint {

SlotSet at_launch(const codeobject::Kernel& kernel, isa::Generation generation) {
  const auto& d = kernel.descriptor;
  SlotSet s;
  // User SGPRs: those that are asked for, in their order, and arguments of the kernel behind them. The count may be
  // larger; nothing is put into the rest.
  unsigned user = 4 * d.enable_sgpr_private_segment_buffer() + 2 * d.enable_sgpr_dispatch_ptr() +
                  2 * d.enable_sgpr_queue_ptr() + 2 * d.enable_sgpr_kernarg_segment_ptr() +
                  2 * d.enable_sgpr_dispatch_id() + 2 * d.enable_sgpr_flat_scratch_init() +
                  d.enable_sgpr_private_segment_size();
  if (generation >= isa::Generation::gfx90a)
    user += d.kernarg_preload_length();
  s.add(0, std::min(user, d.user_sgpr_count()));
  const unsigned system = d.user_sgpr_count();
  // The wave's offset in scratch is last. LLVM adds it up before it knows that a kernel has no scratch.
  s.add(system, system + d.enable_sgpr_workgroup_id_x() + d.enable_sgpr_workgroup_id_y() +
                    d.enable_sgpr_workgroup_id_z() + d.enable_sgpr_workgroup_info() + 1u);
  const unsigned ids = generation >= isa::Generation::gfx90a ? 1 : 1 + d.enable_vgpr_workitem_id();
  s.add(slot::vgpr, slot::vgpr + ids);
  // Trap temporaries and their like are the trap handler's.
  s.add(isa::first_ttmp(generation) - (generation >= isa::Generation::gfx9 ? 0u : 4u), slot::m0);
  s.add(slot::exec, slot::exec + 2u);
  if (generation >= isa::Generation::gfx8)
    s.add(isa::code::xnack_mask, isa::code::xnack_mask + 2u);
  return s;
}

} // namespace crosslane::lint
