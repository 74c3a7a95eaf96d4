// See random_instructions.h.
#include "tests/engine/random_instructions.h"
#include "engine/executes.h"
#include "isa/flow.h"
#include "isa/op.h"
#include <bit>
#include <cstring>
#include <iterator>
#include <type_traits>

namespace crosslane::test {

using isa::Access;
using isa::Encoding;
using isa::Instruction;
using isa::Op;
using isa::Operand;
using isa::RegisterFile;
using isa::Role;
namespace code = isa::code;

namespace {
constexpr int lanes = 64;
}

bool executes_alone(const Instruction& i) {
  const isa::Row& r = isa::row(i.op);
  const auto kind = isa::flow(i).kind;
  const bool goes_on = kind == isa::FlowKind::next || kind == isa::FlowKind::branch ||
                       (kind == isa::FlowKind::fork && i.op == Op::s_cbranch_i_fork) || i.op == Op::s_call_b64;
  return goes_on && !i.reserved && !i.gds && r.access != Access::time && r.access != Access::gws &&
         !has(r.implicit, isa::Implicit::barrier) && i.op != Op::s_sleep && i.op != Op::s_icache_inv &&
         engine::executes(i);
}

Instruction RandomInstructions::varied(Instruction i) {
  const isa::Row& r = isa::row(i.op);
  const bool alu = r.encoding <= Encoding::SOPC || (r.encoding >= Encoding::VOP1 && r.encoding <= Encoding::VOP3P);
  static constexpr uint16_t scalars[] = {
      32,          40,        code::vcc, code::vcc + 1, code::m0,        code::exec,      code::vccz,
      code::execz, code::scc, 130,       242,           code::vgpr0 + 4, code::vgpr0 + 64};
  for (int n = 0; alu && n < 3; ++n) {
    const uint16_t c = scalars[number(std::size(scalars))];
    if (i.src[n] != code::none && i.src[n] != code::literal && number(2) &&
        (isa::dwords(r.src[n]) < 2 || c < 48 || c == code::vcc || c == code::exec || c > 127))
      i.src[n] = c;
  }
  if (i.dst != code::none && !number(4) && r.encoding <= Encoding::SOPK)
    i.dst = number(2) ? code::vcc : code::exec;
  else if (isa::is_vgpr(i.dst) && !number(4) && isa::is_vgpr(i.src[0]))
    i.dst = i.src[0];
  const auto bit = [&](auto& field, unsigned mask) {
    if (!number(3))
      field = static_cast<std::remove_reference_t<decltype(field)>>(field ^ (number(mask) + 1));
  };
  if (r.encoding >= Encoding::VOP1 && r.encoding <= Encoding::VOP3P) {
    bit(i.neg, 7), bit(i.abs, 7), bit(i.op_sel, 15);
    i.clamp = !number(3);
    i.omod = number(4) ? 0 : uint8_t(number(4));
  }
  if (i.form == isa::Form::dpp) {
    static constexpr uint16_t controls[] = {0x1b, 0x101, 0x111, 0x121, 0x130, 0x138, 0x140, 0x142, 0x143};
    if (i.dpp_ctrl < 0x150)
      i.dpp_ctrl = controls[number(std::size(controls))];
    i.bound_ctrl = number(2);
    i.row_mask = number(2) ? 0xf : uint8_t(number(16)), i.bank_mask = number(2) ? 0xf : uint8_t(number(16));
  }
  if (i.form == isa::Form::sdwa && r.dst != isa::Type::Mask) {
    i.dst_sel = isa::SdwaSel(number(7)), i.dst_unused = isa::SdwaUnused(number(3));
    i.src0_sel = isa::SdwaSel(number(7));
  }
  if (r.encoding == Encoding::MIMG)
    i.dmask = uint8_t(number(15) + 1), i.d16 = !number(3), i.da = !number(4);
  if (r.encoding == Encoding::MUBUF && isa::is_vgpr(i.addr) && number(2))
    i.idxen = true;
  return i;
}

void RandomInstructions::place(const Instruction& i, const Operand& o, const uint8_t* buffer, uint32_t bytes,
                               uint32_t* s, uint32_t* vgprs) {
  const isa::Row& r = isa::row(i.op);
  const auto at = reinterpret_cast<uint64_t>(buffer);
  const bool vector = o.file == RegisterFile::vgpr;
  switch (o.role) {
  case Role::addr:
    for (int lane = 0; vector && lane < lanes; ++lane) {
      uint32_t* v = vgprs + size_t(o.first) * lanes + size_t(lane);
      const uint32_t offset = number(2) ? uint32_t(lane) * 16 : number(512) * 16;
      switch (r.encoding) {
      case Encoding::FLAT:
      case Encoding::GLOBAL:
        v[0] = offset;
        if (o.dwords == 2)
          v[0] = uint32_t(at + offset), v[lanes] = uint32_t((at + offset) >> 32);
        break;
      case Encoding::SCRATCH: v[0] = number(12) * 16; break;
      case Encoding::MIMG:
        for (int d = 0; d < o.dwords; ++d)
          v[d * lanes] =
              r.src[1] == isa::Type::None ? number(d ? 5 : 70) : std::bit_cast<uint32_t>(float(number(100)) / 64);
        break;
      default: v[0] = offset; break;
      }
      if (o.dwords == 2 && (r.encoding == Encoding::MUBUF || r.encoding == Encoding::MTBUF))
        v[0] = i.addr64 ? offset : number(16), v[lanes] = i.addr64 ? 0 : number(64) * 16;
    }
    break;
  case Role::base: // of SMEM a resource, if it has four dwords
    if (o.dwords == 4)
      return resource(i, o, buffer, bytes, s);
    s[o.first] = r.encoding == Encoding::SCRATCH ? number(8) * 16 : uint32_t(at);
    if (o.dwords == 2)
      s[o.first + 1] = uint32_t(at >> 32);
    break;
  case Role::offset:
    if (o.file == RegisterFile::scalar)
      s[o.first] = number(32) * 16;
    break;
  case Role::resource: resource(i, o, buffer, bytes, s); break;
  case Role::sampler: std::memset(s + o.first, 0, 16); break;
  default: break;
  }
}

void RandomInstructions::resource(const Instruction& i, const Operand& o, const uint8_t* buffer, uint32_t bytes,
                                  uint32_t* scalars) {
  const auto at = reinterpret_cast<uint64_t>(buffer);
  uint32_t* s = scalars + o.first;
  const uint32_t select = 4 | 5 << 3 | 6 << 6 | 7 << 9;
  if (isa::row(i.op).encoding != Encoding::MIMG) {
    s[0] = uint32_t(at), s[1] = uint32_t(at >> 32) & 0xffff, s[2] = bytes / 2, s[3] = select | 7 << 12 | 4 << 15;
    if (i.idxen && i.saddr < 128)
      s[1] |= 64 << 16, s[2] = 64; // records of 64 bytes
    return;
  }
  const bool gfx9 = generation_ >= isa::Generation::gfx9;
  std::memset(s, 0, size_t(o.dwords) * 4);
  const auto set = [&](int bit, int width, uint64_t value) {
    for (int n = 0; n < width; ++n)
      if (value >> n & 1 && (bit + n) / 32 < o.dwords)
        s[(bit + n) / 32] |= 1u << (bit + n) % 32;
  };
  set(0, 40, at >> 8), set(52, 6, 4), set(58, 4, i.d16 || isa::row(i.op).src[1] != isa::Type::None ? 7 : 4);
  set(64, 14, 63), set(78, 14, 3), set(96, 12, select), set(124, 4, 9), set(116, 5, gfx9 ? 0 : 8);
  set(141, gfx9 ? 16 : 14, 63);
}

} // namespace crosslane::test
