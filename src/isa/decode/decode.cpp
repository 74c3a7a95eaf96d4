// Picks the decoder of the encoding, finds operations by opcode and reads operand fields. The opcode tables are built
// from the rows at compile time, one per generation, so decoding needs no set-up and no locks. Source: GCN3 and Vega
// ISA manuals, "Microcode Formats".
#include "isa/decode.h"
#include "isa/decode/input.h"
#include "isa/table.h"
#include <cstring>

namespace crosslane::isa {
namespace detail {
namespace {

// Opcode space of each encoding, in the order of enum Encoding.
constexpr int opcode_bits[] = {8, 7, 5, 7, 7, 8, 8, 6, 8, 10, 7, 2, 8, 7, 7, 7, 7, 4, 7, 0};
constexpr int encodings = std::size(opcode_bits);
constexpr auto opcode_base = [] {
  std::array<uint16_t, encodings + 1> base{};
  for (int e = 0; e < encodings; ++e)
    base[e + 1] = static_cast<uint16_t>(base[e] + (1 << opcode_bits[e]));
  return base;
}();
using Opcodes16 = std::array<uint16_t, opcode_base[encodings]>;

template <Generation G> consteval Opcodes16 build() {
  Opcodes16 ops{};
  for (uint16_t& o : ops)
    o = static_cast<uint16_t>(Op::invalid);
  for (size_t i = 0; i < std::size(table); ++i) {
    const int opcode = table[i].opcodes.of(G);
    if (opcode == absent)
      continue;
    const Encoding e = table[i].encoding;
    ops[opcode_base[size_t(e)] + opcode] = static_cast<uint16_t>(i);
    if (vop3_base(e, G) >= 0)
      ops[opcode_base[size_t(Encoding::VOP3)] + vop3_base(e, G) + opcode] = static_cast<uint16_t>(i);
    // gfx6 and gfx7: a VOP3 opcode in the range of VOP2 forms has one.
    const int vop2 = opcode - vop3_base(Encoding::VOP2, G);
    if (G < Generation::gfx8 && e == Encoding::VOP3 && vop2 >= 0 && vop2 < 1 << opcode_bits[size_t(Encoding::VOP2)])
      ops[opcode_base[size_t(Encoding::VOP2)] + vop2] = static_cast<uint16_t>(i);
  }
  return ops;
}
constexpr Opcodes16 tables[] = {
    build<Generation::gfx6>(),   build<Generation::gfx7>(),   build<Generation::gfx8>(),   build<Generation::gfx9>(),
    build<Generation::gfx904>(), build<Generation::gfx906>(), build<Generation::gfx908>(), build<Generation::gfx90a>(),
};
static_assert(std::size(tables) == generation_count);

// The SGPRs proper; before gfx8 FLAT_SCRATCH comes after two more of them.
constexpr unsigned sgprs(const Input& in) { return in.gfx8() ? code::flat_scratch : code::flat_scratch_gfx7; }

bool special(unsigned c) {
  return (c >= code::shared_base && c <= code::pops_exiting_wave_id) || (c >= code::vccz && c <= code::scc);
}

} // namespace

Op lookup(Generation g, Encoding e, unsigned opcode) { return Op(tables[size_t(g)][opcode_base[size_t(e)] + opcode]); }

bool scalar_register(const Input& in, unsigned c, int dwords, uint16_t& field, Instruction& out) {
  field = static_cast<uint16_t>(c);
  if (c >= 128)
    return false;
  if (c == code::null_) { // gfx10's null: LLVM accepts it everywhere
    out.reserved = true;
    return true;
  }
  if (!in.gfx8() && (c == code::flat_scratch_gfx7 || c == code::flat_scratch_gfx7 + 1u) &&
      in.generation != Generation::gfx7)
    return false;
  if (dwords <= 1)
    return true;
  const unsigned align = dwords == 2 ? 2 : 4;
  const unsigned ttmp = first_ttmp(in.generation);
  if (c < sgprs(in)) {
    out.reserved |= !in.gfx8() && c % align != 0;
    c &= ~(align - 1);
    field = static_cast<uint16_t>(c);
    return c + dwords <= 104;
  }
  if (c >= ttmp && c < code::m0) {
    out.reserved |= !in.gfx8() && (c - ttmp) % align != 0;
    c = ttmp + ((c - ttmp) & ~(align - 1));
    field = static_cast<uint16_t>(c);
    out.reserved |= c + dwords > code::m0; // LLVM gives gfx8 sixteen of them too
    return c + dwords <= ttmp + 16;
  }
  out.reserved |= dwords > 2; // VCC and its like are pairs
  return c % 2 == 0 && c != code::m0;
}

bool scalar_source(const Input& in, unsigned c, int dwords, uint16_t& field, Instruction& out) {
  if (c < 128)
    return scalar_register(in, c, dwords, field, out);
  field = static_cast<uint16_t>(c);
  if (is_inline_constant(static_cast<uint16_t>(c)))
    return c != code::inline_inv_2pi || in.gfx8();
  if (!special(c))
    return false;
  out.reserved |= !in.gfx9() && c <= code::pops_exiting_wave_id;
  return true;
}

bool source(const Input& in, unsigned c, int dwords, RegisterKind kind, uint16_t& field, Instruction& out) {
  if (c >= code::vgpr0) {
    if (!vgpr(c - code::vgpr0, dwords, field))
      return false;
  } else if (c == code::lds_direct && dwords <= 1) {
    field = static_cast<uint16_t>(c);
  } else if (!scalar_source(in, c, dwords, field, out)) {
    return false;
  }
  out.reserved |=
      !accepts(kind, field) || (!in.gfx8() && kind == RegisterKind::sgpr && dwords > 1 && !is_scalar_register(field));
  return true;
}

bool source_or_literal(const Input& in, unsigned c, int dwords, RegisterKind kind, uint16_t& field, Instruction& out) {
  if (c != code::literal)
    return source(in, c, dwords, kind, field, out);
  out.reserved |= !accepts(kind, code::literal);
  if (in.words < 2)
    return false;
  field = code::literal;
  out.literal = in.word1;
  out.size = 8;
  return true;
}

namespace {

int decode_words(const Input& in, Instruction& out) {
  const unsigned encoding = in.word0 >> 26;
  if (in.word0 >> 31 == 0)
    return decode_vop32(in, out);
  if (in.word0 >> 30 == 2)
    return decode_scalar(in, out);
  if (!in.gfx8() && (encoding == 0x30 || encoding == 0x31))
    return decode_smrd(in, out);
  if (encoding == (in.gfx8() ? 0x35 : 0x32))
    return decode_vintrp(in, out);
  if (in.words < 2)
    return 0; // all that remain are 64 bits long
  if (encoding == (in.gfx8() ? 0x31 : 0x3e))
    return decode_exp(in, out);
  switch (encoding) {
  case 0x30: return decode_smem(in, out);
  case 0x34: return in.word0 >> 23 == 0x1a7 && in.gfx9() ? decode_vop3p(in, out) : decode_vop3(in, out);
  case 0x36: return decode_ds(in, out);
  case 0x37: return decode_flat(in, out);
  case 0x38: return decode_mubuf(in, out);
  case 0x3a: return decode_mtbuf(in, out);
  case 0x3c: return decode_mimg(in, out);
  default: return 0;
  }
}

uint32_t load32(const uint8_t* p) {
  uint32_t w;
  std::memcpy(&w, p, sizeof w);
  return w;
}

} // namespace
} // namespace detail

int decode(Target target, std::span<const uint8_t> bytes, Instruction& out) {
  detail::Input in{info(target).generation, 0, 0, bytes.size() / 4};
  if (in.words == 0)
    return 0;
  in.word0 = detail::load32(bytes.data());
  if (in.words > 1)
    in.word1 = detail::load32(bytes.data() + 4);
  out = Instruction{};
  out.target = target;
  const int size = detail::decode_words(in, out);
  // LLVM disassembles nothing before gfx8, so there is no text to follow where the hardware defines none.
  return out.reserved && !in.gfx8() ? 0 : size;
}

} // namespace crosslane::isa
