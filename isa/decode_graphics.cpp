// MIMG and EXP: decoded so that graphics code can be read; nothing executes them.
#include "isa/decode_input.h"
#include "isa/image.h"

namespace crosslane::isa::detail {

int decode_mimg(const Input& in, Instruction& out) {
  if (in.bit0(0) || !begin(lookup(in.generation, Encoding::MIMG, in.bits0(18, 7)), Form::base, 8, out))
    return 0;
  const Row& r = row(out.op);
  out.dmask = static_cast<uint8_t>(in.bits0(8, 4));
  out.unorm = in.bit0(12);
  out.glc = in.bit0(13);
  out.da = in.bit0(14);
  (in.gfx9() ? out.a16 : out.r128) = in.bit0(15);
  const bool accumulator = in.gfx90a() && in.bit0(16);
  out.tfe = in.bit0(16) && !in.gfx90a();
  out.scc = in.gfx90a() && in.bit0(7);
  out.lwe = in.bit0(17);
  out.slc = in.bit0(25);
  out.d16 = in.bit1(31);
  if (out.d16 && !shape(out.op).image_d16)
    return 0;
  uint16_t data;
  if (!data_register(in.bits1(8, 8), image_base_dwords(r), accumulator, data))
    return 0;
  const bool stores = r.access == Access::store || r.access >= Access::atomic_swap;
  (stores ? out.data : out.dst) = data;
  if (!vgpr(in.bits1(0, 8), dwords(r.src[0]), out.addr) || !scalar_register(in, in.bits1(16, 5) * 4, 8, out.srsrc, out))
    return 0;
  if (r.src[1] != Type::None)
    return scalar_register(in, in.bits1(21, 5) * 4, 4, out.saddr, out) ? out.size : 0;
  return in.bits1(21, 5) == 0 ? out.size : 0;
}

int decode_exp(const Input& in, Instruction& out) {
  // EN 3:0, TGT 9:4, COMPR 10, DONE 11, VM 12.
  if (!begin(lookup(in.generation, Encoding::EXP, 0), Form::base, 8, out))
    return 0;
  out.dmask = static_cast<uint8_t>(in.bits0(0, 4));
  out.imm = int(in.bits0(4, 6));
  out.compr = in.bit0(10);
  out.done = in.bit0(11);
  out.vm = in.bit0(12);
  for (int i = 0; i < 3; ++i)
    out.src[i] = static_cast<uint16_t>(code::vgpr0 + in.bits1(8 * i, 8));
  out.data = static_cast<uint16_t>(code::vgpr0 + in.bits1(24, 8));
  return out.size;
}

} // namespace crosslane::isa::detail
