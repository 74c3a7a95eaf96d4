// The rules behind isa/shape.h.
#include "isa/shape.h"
#include "isa/access.h"
#include "isa/table.h"

namespace crosslane::isa {
namespace {

enum class Exception : uint32_t {
  none = 0,
  integer_clamp = 1u << 0,
  no_omod = 1u << 1,
  op_sel = 1u << 2,
  modifiers = 1u << 3,
  first_source_only = 1u << 4,
  no_dpp = 1u << 5,
  no_sdwa = 1u << 6,
  no_sdwa_gfx9 = 1u << 7,
  no_vop3 = 1u << 8,
  scalar_dst = 1u << 9,
  scalar_src0 = 1u << 10,
  scalar_src1 = 1u << 11,
  vgpr_src0 = 1u << 12,
  vgpr_src2 = 1u << 13,
  vgpr_or_lds_src0 = 1u << 14,
  k_last = 1u << 15,
  sgpr_src0 = 1u << 16,
  no_d16 = 1u << 17,
  ignored_modifiers = 1u << 18,
  no_return_gfx908 = 1u << 19,
  scope_bits = 1u << 20,
  agpr_src0 = 1u << 21,
  agpr_dst = 1u << 22,
  reversed = 1u << 23,
};
constexpr Exception operator|(Exception a, Exception b) { return Exception(uint32_t(a) | uint32_t(b)); }

constexpr Exception exception(Op o) {
  using enum Exception;
  switch (o) {
#define FORM(mnemonic, exceptions)                                                                                     \
  case Op::mnemonic: return exceptions;
#include "isa/rows/forms.inc"
#undef FORM
  default: return none;
  }
}

constexpr bool scalar_float(Type t) { return t == Type::F16 || t == Type::F32 || t == Type::F64; }
constexpr bool wide(Type t) { return t != Type::Mask && dwords(t) > 1; }

// gfx6 and gfx7 have some of the VOP3 rows as VOP2 too, and v_readlane_b32 and v_writelane_b32 only so.
constexpr bool has_vop2_form(const Row& r, Generation g) {
  return r.encoding == Encoding::VOP3 && g <= Generation::gfx7 && r.opcodes.of(g) >= 0x100 && r.opcodes.of(g) < 0x140;
}

constexpr int first_matrix_opcode = 0x40; // of VOP3P

constexpr Shape derive(Op o, const Row& r, Generation g) {
  const auto is = [e = exception(o)](Exception bit) { return (uint32_t(e) & uint32_t(bit)) != 0; };
  const bool compact = r.encoding == Encoding::VOP1 || r.encoding == Encoding::VOP2 || r.encoding == Encoding::VOPC;
  Shape s;
  if (r.encoding <= Encoding::SOPP)
    s.kind[0] = s.kind[1] = RegisterKind::scalar;
  s.scope_bits = is(Exception::scope_bits);
  s.reversed = is(Exception::reversed);
  s.no_return_gfx908 = is(Exception::no_return_gfx908);
  s.image_d16 = r.encoding == Encoding::MIMG && !is_atomic(r.access) && !is(Exception::no_d16);
  if (is(Exception::sgpr_src0))
    s.kind[0] = RegisterKind::sgpr;
  if (!compact && r.encoding != Encoding::VOP3 && r.encoding != Encoding::VOP3P && r.encoding != Encoding::VINTRP)
    return s;

  bool any_float = false, any_wide = wide(r.dst);
  uint8_t floats = 0;
  for (int i = 0; i < 3; ++i) {
    if (r.src[i] == Type::Imm32)
      s.k = true;
    if (r.src[i] == Type::None || r.src[i] == Type::Imm32)
      continue;
    s.sources = i + 1;
    any_wide |= wide(r.src[i]);
    if (scalar_float(r.src[i])) {
      any_float = true;
      floats |= 1u << i;
    }
  }
  s.k |= is(Exception::k_last);
  // div_fmas reads VCC too, but in no encoding names it.
  s.mask_source = r.encoding == Encoding::VOP2 && has(r.implicit, Implicit::vcc_r);
  s.mask_dst = (r.encoding == Encoding::VOP2 && has(r.implicit, Implicit::vcc_w)) || r.sdst == Type::Mask;
  s.fields = s.sources + (s.mask_source ? 1 : 0);

  const uint8_t all = (1u << s.sources) - 1;
  s.modifiers = any_float || is(Exception::modifiers);
  if (s.modifiers) {
    s.abs = is(Exception::modifiers) ? all : floats;
    s.neg = is(Exception::first_source_only) ? floats : all;
    s.ignored = is(Exception::first_source_only) ? 0 : all;
  } else if (is(Exception::op_sel) || is(Exception::ignored_modifiers)) {
    s.ignored = all;
  }
  s.op_sel = is(Exception::op_sel);
  const bool to_float = scalar_float(r.dst);
  const bool before_gfx8 = g <= Generation::gfx7;
  s.clamp = before_gfx8 ? (to_float && !s.mask_dst) || r.dst == Type::PkF16
                        : to_float || (any_float && !is(Exception::first_source_only)) ||
                              is(Exception::integer_clamp) || s.mask_dst;
  s.omod = (to_float || any_float) && r.dst != Type::Mask && !is(Exception::no_omod);
  s.sdwa_omod = to_float;

  s.vop2 = has_vop2_form(r, g);
  s.vop3 = !s.k && !is(Exception::no_vop3) && !(s.vop2 && is(Exception::scalar_src1));
  const bool narrow = compact && !before_gfx8 && !any_wide && !s.k;
  s.dpp = narrow && r.encoding != Encoding::VOPC && !is(Exception::no_dpp);
  s.dpp64 =
      compact && !s.k && r.encoding != Encoding::VOPC && !is(Exception::no_dpp); // gfx90a: also on 64-bit operands
  s.sdwa_gfx8 = narrow && !is(Exception::no_sdwa);
  s.sdwa_gfx9 = s.sdwa_gfx8 && !is(Exception::no_sdwa_gfx9);

  s.matrix = r.encoding == Encoding::VOP3P && r.opcodes.of(Generation::gfx90a) >= first_matrix_opcode;
  s.agpr_dst = is(Exception::agpr_dst);
  if (s.matrix && s.sources == 3) {
    s.kind[0] = s.kind[1] = RegisterKind::vector;
    s.kind[2] = RegisterKind::vector_or_constant;
  }
  if (is(Exception::agpr_src0))
    s.kind[0] = RegisterKind::agpr;
  s.scalar_dst = is(Exception::scalar_dst);
  if (is(Exception::scalar_src0))
    s.kind[0] = s.vop2 ? RegisterKind::scalar_or_lds : RegisterKind::scalar;
  if (is(Exception::vgpr_src0))
    s.kind[0] = RegisterKind::vgpr;
  if (is(Exception::vgpr_or_lds_src0))
    s.kind[0] = RegisterKind::vgpr_or_lds;
  if (is(Exception::scalar_src1))
    s.kind[1] = RegisterKind::scalar;
  if (is(Exception::vgpr_src2))
    s.kind[2] = RegisterKind::vgpr;
  if (s.mask_source)
    s.kind[2] = RegisterKind::mask;
  return s;
}

template <Generation G>
constexpr auto shapes = [] {
  std::array<Shape, size_t(Op::count)> all{};
  for (size_t i = 0; i < all.size(); ++i)
    all[i] = derive(Op(i), table[i], G);
  return all;
}();

} // namespace

const Shape* const detail::first_shape[generation_count] = {
    shapes<Generation::gfx6>.data(), shapes<Generation::gfx7>.data(), shapes<Generation::gfx8>.data(),
    shapes<Generation::gfx8>.data(), shapes<Generation::gfx8>.data(), shapes<Generation::gfx8>.data(),
    shapes<Generation::gfx8>.data(), shapes<Generation::gfx8>.data()};

bool has_form(Op o, Form form, Target target) {
  const Row& r = row(o);
  const Generation g = info(target).generation;
  const Shape& s = shape(o, g);
  if (r.opcodes.of(g) == absent)
    return false;
  const bool compact = r.encoding == Encoding::VOP1 || r.encoding == Encoding::VOP2 || r.encoding == Encoding::VOPC;
  const bool vop3_only = r.encoding == Encoding::VOP3 || r.encoding == Encoding::VOP3P;
  switch (form) {
  case Form::base: return !vop3_only || s.vop2;
  case Form::vop3:
    return (vop3_only && s.vop3) ||
           (compact ? s.vop3 : r.encoding == Encoding::VINTRP && vop3_base(r.encoding, g) >= 0);
  case Form::dpp: return compact && g >= Generation::gfx8 && (g == Generation::gfx90a ? s.dpp64 : s.dpp);
  case Form::sdwa: return compact && g >= Generation::gfx8 && (g >= Generation::gfx9 ? s.sdwa_gfx9 : s.sdwa_gfx8);
  }
  return false;
}

} // namespace crosslane::isa
