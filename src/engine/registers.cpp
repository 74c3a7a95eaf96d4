// The registers that an instruction names, against those that its kernel was given.
#include "engine/registers.h"
#include "isa/op.h"
#include <algorithm>

namespace crosslane::engine {

namespace {

namespace code = isa::code;

struct Operand {
  uint16_t first;
  int count; // registers
};

// The registers that the instruction names, as far as its row says how many they are.
template <class Visit> void for_operands(const isa::Instruction& inst, const isa::Row& row, Visit visit) {
  using enum isa::Encoding;
  const auto registers = [](isa::Type t) { return std::max(1, isa::dwords(t)); };
  const bool smem = row.encoding == SMEM, flat = row.encoding == FLAT || row.encoding == GLOBAL;
  const int data = registers(row.memory);
  const auto is_image = row.encoding == MIMG;
  visit(Operand{inst.dst, is_image ? 1 : smem ? data : registers(row.dst)});
  visit(Operand{inst.sdst, registers(isa::Type::Mask)});
  for (int i = 0; i < 3; ++i)
    visit(Operand{inst.src[i], registers(row.src[size_t(i)])});
  visit(Operand{inst.data, is_image || row.encoding == EXP ? 1 : data});
  visit(Operand{inst.data1, row.encoding == DS ? data : 1});
  const bool wide = flat && !isa::is_scalar_register(inst.saddr);
  visit(Operand{inst.addr, wide || inst.addr64 || (inst.offen && inst.idxen) ? 2 : 1});
  visit(Operand{inst.saddr, flat ? 2 : 1});
  visit(Operand{inst.srsrc, is_image && !inst.r128 ? 8 : 4});
}

std::string text(char file, int n, int count, const char* directive) {
  const std::string name(1, file), kind = file == 's' ? "SGPRs" : file == 'v' ? "VGPRs" : "AccVGPRs";
  return name + std::to_string(n) + " is beyond the " + std::to_string(count) + " " + kind +
         " that the kernel was given: " + directive + " in the kernel descriptor must count it";
}

} // namespace

std::string beyond_registers(const isa::Instruction& inst, RegisterLimits limits) {
  const int special =
      isa::info(inst.target).generation >= isa::Generation::gfx8 ? code::flat_scratch : code::flat_scratch_gfx7;
  std::string found;
  for_operands(inst, isa::row(inst.op), [&](Operand o) {
    const int last = o.first + o.count - 1;
    if (!found.empty())
      return;
    if (o.first < special) {
      if (last >= limits.sgprs)
        found = text('s', last, limits.sgprs, ".amdhsa_next_free_sgpr");
    } else if (o.first >= code::vgpr0 && o.first < code::agpr0) {
      if (last - code::vgpr0 >= limits.vgprs)
        found = text('v', last - code::vgpr0, limits.vgprs, ".amdhsa_next_free_vgpr");
    } else if (o.first >= code::agpr0 && o.first < code::agpr0 + 256) {
      if (last - code::agpr0 >= limits.agprs)
        found = text('a', last - code::agpr0, limits.agprs, ".amdhsa_next_free_vgpr");
    }
  });
  return found;
}

} // namespace crosslane::engine
