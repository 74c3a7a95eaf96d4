// The counts of isa/memory_registers.h.
#include "isa/memory_registers.h"
#include "isa/access.h"
#include "isa/image.h"
#include <algorithm>
#include <bit>

namespace crosslane::isa {

int buffer_data_registers(const Row& r, Target target, bool tfe) {
  const bool unpacked = is_d16_format(r.access) && !packed_d16(target);
  const Type data = r.src[0] != Type::None ? r.src[0] : r.dst;
  return (unpacked ? dwords(r.memory) : dwords(data)) + (tfe ? 1 : 0);
}

int buffer_data_registers(const Instruction& i) {
  return i.lds ? 0 : buffer_data_registers(row(i.op), i.target, i.tfe);
}

int buffer_address_registers(const Instruction& i) { return i.addr64 ? 2 : int(i.offen) + int(i.idxen); }

int flat_address_registers(const Instruction& i) {
  if (i.addr == code::off)
    return 0;
  const bool base = i.saddr != code::off && i.saddr != code::none;
  const bool offset = i.encoding == Encoding::SCRATCH || (i.encoding == Encoding::GLOBAL && base);
  return offset ? 1 : 2;
}

int image_component_registers(const Instruction& i) {
  const int n = has(image_traits(i.op), ImageTrait::gather) ? 4 : std::max(1, std::popcount(i.dmask));
  return i.d16 && packed_d16(i.target) ? (n + 1) / 2 : n;
}

int image_data_registers(const Instruction& i) { return image_component_registers(i) + (i.tfe ? 1 : 0); }

int image_base_registers(Op op) {
  return has(image_traits(op), ImageTrait::gather) ? 4 : is_compare_and_swap(row(op).access) ? 2 : 1;
}

int image_printed_registers(const Instruction& i) {
  const Row& r = row(i.op);
  const int base = image_base_registers(i.op);
  int n = image_data_registers(i);
  if (info(i.target).generation < Generation::gfx8) // where LLVM disassembles nothing
    return n;
  if (base == 4 && n == 3)
    n = base;
  if (is_compare_and_swap(r.access))
    n = n == 4 ? 4 : base;
  else if (is_atomic(r.access))
    n = n == 2 ? 2 : n == 4 ? 5 : base;
  const uint16_t data = i.data != code::none ? i.data : i.dst;
  return data % 256 + n > 256 ? base : n;
}

RegisterRange image_address_registers(Op op) {
  using enum ImageTrait;
  const ImageTrait traits = image_traits(op);
  const int least = dwords(row(op).src[0]);
  return {least, std::max(4, least + (has(traits, derivatives) ? 7 : 2) + (has(traits, lod | clamp) ? 1 : 0))};
}

int image_resource_registers(const Instruction& i) { return i.r128 ? 4 : 8; }

} // namespace crosslane::isa
