// Apertures that are 0 in a packet's kernarg segment are filled in.
#include "hsa/queue/hidden_arguments.h"
#include <cstring>

namespace crosslane::hsa {

void fill_in_apertures(const codeobject::Kernel& kernel, isa::Target target, uint64_t kernarg_address,
                       const machine::Memory& memory) {
  if (isa::info(target).generation >= isa::Generation::gfx9)
    return;
  for (const auto& argument : kernel.arguments) {
    uint32_t base = 0;
    if (argument.value_kind == "hidden_shared_base")
      base = machine::apertures().shared_hi();
    else if (argument.value_kind == "hidden_private_base")
      base = machine::apertures().private_hi();
    if (!base || argument.size != sizeof base)
      continue;
    const uint64_t address = kernarg_address + argument.offset;
    const auto allocation = memory.nearest(address); // a wild kernarg address is the kernel's fault to report
    if (!allocation || address < allocation->address || address - allocation->address + sizeof base > allocation->size)
      return;
    uint32_t written;
    std::memcpy(&written, reinterpret_cast<const void*>(address), sizeof written);
    if (!written)
      std::memcpy(reinterpret_cast<void*>(address), &base, sizeof base);
  }
}

} // namespace crosslane::hsa
