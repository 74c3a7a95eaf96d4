// The registers that an instruction names, against those that its kernel was given.
#include "engine/registers.h"
#include "isa/operands.h"
#include <algorithm>

namespace crosslane::engine {

namespace {

namespace code = isa::code;

std::string text(char file, int n, int count, const char* directive) {
  const std::string name(1, file), kind = file == 's' ? "SGPRs" : file == 'v' ? "VGPRs" : "AccVGPRs";
  return name + std::to_string(n) + " is beyond the " + std::to_string(count) + " " + kind +
         " that the kernel was given: " + directive + " in the kernel descriptor must count it";
}

} // namespace

std::string beyond_registers(const isa::Instruction& inst, RegisterLimits limits) {
  if (limits == RegisterLimits{}) // all that there are: nobody asks
    return {};
  const int special =
      isa::info(inst.target).generation >= isa::Generation::gfx8 ? code::flat_scratch : code::flat_scratch_gfx7;
  std::string found;
  for (const isa::Operand& o : isa::operands(inst)) {
    if (!found.empty() || o.role == isa::Role::stack)
      continue;
    // Of what a resource or M0 chooses, those that the instruction names.
    const int count = o.extent == isa::Extent::exact ? o.dwords : std::max(1, isa::dwords(o.type));
    const int last = o.first + count - 1;
    switch (o.file) {
    case isa::RegisterFile::scalar:
      if (o.first < special && last >= limits.sgprs)
        found = text('s', last, limits.sgprs, ".amdhsa_next_free_sgpr");
      break;
    case isa::RegisterFile::vgpr:
      if (last >= limits.vgprs)
        found = text('v', last, limits.vgprs, ".amdhsa_next_free_vgpr");
      break;
    case isa::RegisterFile::agpr:
      if (last >= limits.agprs)
        found = text('a', last, limits.agprs, ".amdhsa_next_free_vgpr");
      break;
    case isa::RegisterFile::special: break;
    }
  }
  return found;
}

} // namespace crosslane::engine
