// DS, FLAT/GLOBAL/SCRATCH, MUBUF, MTBUF, MIMG, EXP.
#include "isa/encode/output.h"

namespace crosslane::isa::detail {
namespace {

// The data register of a load or a store.
uint16_t either(const Instruction& i) { return i.data != code::none ? i.data : i.dst; }

void buffer_operands(Output& o) {
  const Instruction& i = o.inst;
  o.put(buffer::offset, unsigned(i.imm));
  o.put(buffer::offen, i.offen);
  o.put(buffer::idxen, i.idxen);
  o.put(buffer::glc, i.glc);
  if (!o.gfx8())
    o.put(buffer::addr64_gfx6, i.addr64);
  o.reg(buffer::vaddr, i.addr);
  o.reg(buffer::vdata, either(i));
  o.put(buffer::srsrc, i.srsrc / 4u);
  o.put(o.gfx90a() ? buffer::acc : buffer::tfe, o.gfx90a() ? is_agpr(either(i)) : i.tfe);
  o.reg(buffer::soffset, i.saddr);
}

} // namespace

void encode_ds(Output& o) {
  const Instruction& i = o.inst;
  o.start(ds::prefix, o.gfx8() ? ds::opcode : ds::opcode_gfx6, 2);
  o.put(ds::offset, unsigned(i.imm));
  o.put(ds::offset1, i.offset1);
  o.put(o.gfx8() ? ds::gds : ds::gds_gfx6, i.gds);
  o.put(ds::acc, o.gfx90a() && (is_agpr(i.dst) || is_agpr(i.data)));
  const bool gws = o.row.access == Access::gws; // which has its operand in the address field
  o.reg(ds::addr, gws ? i.data : i.addr);
  if (!gws)
    o.reg(ds::data0, i.data);
  o.reg(ds::data1, i.data1);
  o.reg(ds::vdst, i.dst);
}

void encode_flat(Output& o) {
  const Instruction& i = o.inst;
  const Encoding e = o.row.encoding;
  o.start(flat::prefix, flat::opcode, 2);
  o.put(flat::seg, e == Encoding::GLOBAL ? 2 : e == Encoding::SCRATCH ? 1 : 0);
  o.put(flat::offset, unsigned(i.imm));
  o.put(flat::lds, i.lds);
  o.put(flat::glc, i.glc);
  o.put(flat::slc, i.slc);
  if (o.gfx90a()) {
    o.put(flat::scc, i.scc);
    o.put(flat::acc, is_agpr(i.dst) || is_agpr(i.data));
  } else {
    o.put(flat::nv, i.nv);
  }
  o.reg(flat::addr, i.addr);
  o.reg(flat::data, i.data);
  o.put(flat::saddr, i.saddr == code::off ? flat::no_saddr : i.saddr == code::none ? 0 : i.saddr);
  o.reg(flat::vdst, i.dst);
}

void encode_mubuf(Output& o) {
  const Instruction& i = o.inst;
  o.start(mubuf::prefix, mubuf::opcode, 2);
  if (o.row.access == Access::cache)
    return;
  buffer_operands(o);
  o.put(mubuf::lds, i.lds);
  o.put(o.gfx8() ? mubuf::slc : mubuf::slc_gfx6, i.slc);
  if (o.gfx90a())
    o.put(mubuf::scc, i.scc);
}

void encode_mtbuf(Output& o) {
  const Instruction& i = o.inst;
  o.start(mtbuf::prefix, o.gfx8() ? mtbuf::opcode : mtbuf::opcode_gfx6, 2);
  buffer_operands(o);
  o.put(mtbuf::dfmt, i.dfmt);
  o.put(mtbuf::nfmt, i.nfmt);
  o.put(mtbuf::slc, i.slc);
  if (o.gfx90a())
    o.put(mtbuf::scc, i.scc);
}

void encode_mimg(Output& o) {
  const Instruction& i = o.inst;
  o.start(mimg::prefix, mimg::opcode, 2);
  o.put(mimg::dmask, i.dmask);
  o.put(mimg::unorm, i.unorm);
  o.put(mimg::glc, i.glc);
  o.put(mimg::da, i.da);
  o.put(o.gfx9() ? mimg::a16 : mimg::r128, o.gfx9() ? i.a16 : i.r128);
  o.put(o.gfx90a() ? mimg::acc : mimg::tfe, o.gfx90a() ? is_agpr(either(i)) : i.tfe);
  if (o.gfx90a())
    o.put(mimg::scc, i.scc);
  o.put(mimg::lwe, i.lwe);
  o.put(mimg::slc, i.slc);
  o.put(mimg::d16, i.d16);
  o.reg(mimg::vdata, either(i));
  o.reg(mimg::vaddr, i.addr);
  o.put(mimg::srsrc, i.srsrc / 4u);
  o.put(mimg::ssamp, i.saddr == code::none ? 0 : i.saddr / 4u);
}

void encode_exp(Output& o) {
  const Instruction& i = o.inst;
  o.start(o.gfx8() ? exp_::prefix : exp_::prefix_gfx6, exp_::tgt, 2, unsigned(i.imm));
  o.put(exp_::en, i.dmask);
  o.put(exp_::compr, i.compr);
  o.put(exp_::done, i.done);
  o.put(exp_::vm, i.vm);
  for (int k = 0; k < 3; ++k)
    o.reg(exp_::vsrc[k], i.src[k]);
  o.reg(exp_::vsrc3, i.data);
}

} // namespace crosslane::isa::detail
