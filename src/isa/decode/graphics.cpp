// MIMG and EXP: images, and what only graphics has.
#include "isa/access.h"
#include "isa/decode/input.h"
#include "isa/memory_registers.h"

namespace crosslane::isa::detail {

int decode_mimg(const Input& in, Instruction& out) {
  if (in[mimg::reserved] || !begin(lookup(in.generation, Encoding::MIMG, in[mimg::opcode]), Form::base, 8, out))
    return 0;
  const Row& r = row(out.op);
  out.dmask = static_cast<uint8_t>(in[mimg::dmask]);
  out.unorm = in[mimg::unorm];
  out.glc = in[mimg::glc];
  out.da = in[mimg::da];
  (in.gfx9() ? out.a16 : out.r128) = in[in.gfx9() ? mimg::a16 : mimg::r128];
  const bool accumulator = in.gfx90a() && in[mimg::acc];
  out.tfe = in[mimg::tfe] && !in.gfx90a();
  out.scc = in.gfx90a() && in[mimg::scc];
  out.lwe = in[mimg::lwe];
  out.slc = in[mimg::slc];
  out.d16 = in.gfx8() && in[mimg::d16];
  if (out.d16 && !shape(out.op).image_d16)
    return 0;
  uint16_t data;
  if (!data_register(in[mimg::vdata], image_base_registers(out.op), accumulator, data))
    return 0;
  const bool stores = is_store(r.access) || is_atomic(r.access);
  (stores ? out.data : out.dst) = data;
  if (!in.gfx8() && data + image_printed_registers(out) > code::agpr0)
    return 0;
  if (!vgpr(in[mimg::vaddr], dwords(r.src[0]), out.addr) ||
      !scalar_register(in, in[mimg::srsrc] * 4, 8, out.srsrc, out))
    return 0;
  if (r.src[1] != Type::None)
    return scalar_register(in, in[mimg::ssamp] * 4, 4, out.saddr, out) ? out.size : 0;
  return in[mimg::ssamp] == 0 ? out.size : 0;
}

int decode_exp(const Input& in, Instruction& out) {
  if (!begin(lookup(in.generation, Encoding::EXP, 0), Form::base, 8, out))
    return 0;
  out.dmask = static_cast<uint8_t>(in[exp_::en]);
  out.imm = int(in[exp_::tgt]);
  out.reserved |= !in.gfx8() && ((out.imm > 9 && out.imm < 12) || (out.imm > 15 && out.imm < 32));
  out.compr = in[exp_::compr];
  out.done = in[exp_::done];
  out.vm = in[exp_::vm];
  // A source that no enabled component takes is absent. With COMPR each source has two components.
  uint16_t* const sources[] = {&out.src[0], &out.src[1], &out.src[2], &out.data};
  for (int i = 0; i < 4; ++i) {
    const unsigned components = out.compr ? (i < 2 ? 3u << 2 * i : 0) : 1u << i;
    *sources[i] = out.dmask & components ? static_cast<uint16_t>(code::vgpr0 + in[exp_::vsrc[i]]) : code::off;
  }
  return out.size;
}

} // namespace crosslane::isa::detail
