// By operation, and by what stands beside it: a product whose upper half is computed too, and a sum whose carry is
// used, are parts of 64 bits, which do not leave 32 by mistake.
#include "check/numerics/code.h"
#include "check/slots.h"
#include "isa/access.h"
#include "isa/classify.h"
#include "isa/inline_constant.h"
#include "isa/matrix.h"
#include <algorithm>

namespace crosslane::check::numerics {

namespace {

using isa::Op;

Sum sum_of(Op op) {
  using enum Op;
  switch (op) {
  case v_add_u32:
  case v_add_i32:
  case v_add_co_u32:
  case s_add_u32:
  case s_add_i32:
  case s_addk_i32: return Sum::add;
  case v_sub_u32:
  case v_sub_i32:
  case v_sub_co_u32:
  case s_sub_u32:
  case s_sub_i32: return Sum::sub;
  case v_subrev_u32:
  case v_subrev_co_u32: return Sum::subrev;
  case v_mul_lo_u32:
  case v_mul_lo_i32:
  case s_mul_i32:
  case s_mulk_i32: return Sum::mul;
  case v_mul_u32_u24: return Sum::mul_u24;
  case v_mul_i32_i24: return Sum::mul_i24;
  case v_mad_u32_u24: return Sum::mad_u24;
  case v_mad_i32_i24: return Sum::mad_i24;
  case v_lshl_b32:
  case s_lshl_b32: return Sum::shl;
  case v_lshlrev_b32: return Sum::shlrev;
  case v_lshl_add_u32: return Sum::shl_add;
  case v_add_lshl_u32: return Sum::add_shl;
  case v_add3_u32: return Sum::add3;
  case s_lshl1_add_u32:
  case s_lshl2_add_u32:
  case s_lshl3_add_u32:
  case s_lshl4_add_u32: return Sum::shl_fixed_add;
  case v_ashr_i32:
  case v_ashr_i64:
  case s_ashr_i32:
  case s_ashr_i64: return Sum::sign;
  case v_ashrrev_i32:
  case v_ashrrev_i64: return Sum::signrev;
  case v_mad_i64_i32: return Sum::mad_signed;
  case v_addc_co_u32:
  case s_addc_u32:
  case v_mad_u64_u32:
  case v_lshl_b64:
  case v_lshlrev_b64:
  case s_lshl_b64:
  case v_lshl_or_b32: return Sum::either;
  default: return Sum::none;
  }
}

uint8_t aux_of(Op op) {
  return op == Op::s_lshl1_add_u32 ? 1 : op == Op::s_lshl2_add_u32 ? 2 : op == Op::s_lshl3_add_u32 ? 3 : 4;
}

Kind moving_kind(Op op) {
  using enum Op;
  switch (op) {
  case v_mov_b32:
  case v_accvgpr_read_b32:
  case v_accvgpr_write_b32:
  case v_accvgpr_mov_b32:
  case v_pk_mov_b32:
  case s_mov_b32:
  case s_mov_b64: return Kind::copy;
  case v_cndmask_b32:
  case s_cselect_b32:
  case s_cselect_b64: return Kind::choose;
  case v_readlane_b32:
  case v_readfirstlane_b32: return Kind::read_lane;
  case v_writelane_b32: return Kind::write_lane;
  case v_swap_b32: return Kind::swap;
  case v_and_b32:
  case v_or_b32:
  case v_xor_b32:
  case v_bfi_b32:
  case v_perm_b32:
  case v_alignbit_b32:
  case v_and_or_b32:
  case v_or3_b32:
  case v_pack_b32_f16:
  case s_or_b32:
  case s_pack_ll_b32_b16:
  case s_pack_lh_b32_b16:
  case s_pack_hh_b32_b16: return Kind::bits;
  default: return Kind::other;
  }
}

Exact exact_of(Op op) {
  using enum Op;
  switch (op) {
  case v_add_f16:
  case v_add_f32:
  case v_add_f64:
  case v_pk_add_f16:
  case v_pk_add_f32: return Exact::add;
  case v_sub_f16:
  case v_sub_f32: return Exact::sub;
  case v_subrev_f16:
  case v_subrev_f32: return Exact::subrev;
  case v_mul_f16:
  case v_mul_f32:
  case v_mul_f64:
  case v_pk_mul_f16:
  case v_pk_mul_f32: return Exact::mul;
  case v_mad_f16:
  case v_mad_legacy_f16:
  case v_mad_f32:
  case v_madmk_f16:
  case v_madmk_f32:
  case v_madak_f16:
  case v_madak_f32:
  case v_fma_f16:
  case v_fma_legacy_f16:
  case v_fma_f32:
  case v_fma_f64:
  case v_mad_mix_f32:
  case v_mad_mixlo_f16:
  case v_mad_mixhi_f16:
  case v_fma_mix_f32:
  case v_fma_mixlo_f16:
  case v_fma_mixhi_f16:
  case v_pk_fma_f16:
  case v_pk_fma_f32: return Exact::fma;
  case v_mac_f16:
  case v_mac_f32:
  case v_fmac_f32:
  case v_fmac_f64:
  case v_pk_fmac_f16: return Exact::mac;
  case v_cvt_f16_f32:
  case v_cvt_f32_f16:
  case v_cvt_f32_f64:
  case v_cvt_f64_f32: return Exact::convert;
  default: return Exact::none;
  }
}

bool always_flushes(Op op) {
  using enum Op;
  return op == v_mad_f32 || op == v_mac_f32 || op == v_madmk_f32 || op == v_madak_f32;
}

bool is_relative(const isa::Instruction& in, bool indexed) {
  if (indexed && isa::is_vector(isa::row(in.op).encoding))
    return true;
  return std::ranges::any_of(isa::operands(in), [](const isa::Operand& o) { return o.extent == isa::Extent::indexed; });
}

void classify(Instruction& i, bool indexed) {
  const isa::Row& row = isa::row(i.in->op);
  if (is_relative(*i.in, indexed)) {
    i.kind = Kind::relative;
    return;
  }
  if (row.encoding == isa::Encoding::SMEM || row.encoding >= isa::Encoding::DS) {
    i.kind = row.encoding == isa::Encoding::EXP ? Kind::other
             : isa::crosses_lanes(row.access)   ? Kind::lds_lanes
                                                : Kind::memory;
    return;
  }
  i.kind = moving_kind(i.in->op);
  if (i.kind != Kind::other)
    return;
  if (const isa::Matrix m = isa::matrix(i.in->op); m.item == isa::MatrixItem::none
                                                       ? isa::is_float(row.dst) && row.encoding != isa::Encoding::VINTRP
                                                       : m.is_float()) {
    i.kind = Kind::floats, i.exact = exact_of(i.in->op), i.flushes = always_flushes(i.in->op);
    return;
  }
  i.sum = sum_of(i.in->op);
  if (i.sum != Sum::none)
    i.kind = i.sum < Sum::sign && !i.in->clamp ? Kind::integer : Kind::widened;
  if (i.sum == Sum::shl_fixed_add)
    i.aux = aux_of(i.in->op);
}

bool same_sources(const isa::Instruction& a, const isa::Instruction& b) {
  return (a.src[0] == b.src[0] && a.src[1] == b.src[1]) || (a.src[0] == b.src[1] && a.src[1] == b.src[0]);
}

bool is_upper_product(Op op) {
  using enum Op;
  return op == v_mul_hi_u32 || op == v_mul_hi_i32 || op == s_mul_hi_u32 || op == s_mul_hi_i32;
}
// The amount of a shift, if it is a constant.
std::optional<unsigned> amount_of(const isa::Instruction& in, int source) {
  const auto c = isa::constant_source(in, in.src[source], isa::Type::U32);
  return c ? std::optional(unsigned(*c & 31)) : std::nullopt;
}
// What brings the upper bits of a shift to the left into another register: by 32 less the amount.
bool is_upper_shift(const isa::Instruction& of, const isa::Instruction& by) {
  using enum Op;
  const bool first = isa::row(of.op).encoding == isa::Encoding::SOP2 || of.op == v_lshl_b32;
  const uint16_t shifted = of.src[first ? 0 : 1];
  int value = 0, amount = 1;
  switch (by.op) {
  case v_alignbit_b32: value = 1, amount = 2; break;
  case v_lshrrev_b32:
  case v_ashrrev_i32: value = 1, amount = 0; break;
  case s_lshr_b32:
  case s_ashr_i32:
  case v_lshr_b32:
  case v_ashr_i32: break;
  default: return false;
  }
  const auto left = amount_of(of, first ? 1 : 0), right = amount_of(by, amount);
  return by.src[value] == shifted && left && right && *left + *right == 32;
}

bool takes_carry(Op op) {
  using enum Op;
  switch (op) {
  case v_addc_co_u32:
  case v_subb_co_u32:
  case v_subbrev_co_u32:
  case s_addc_u32:
  case s_subb_u32: return true;
  default: return false;
  }
}
// Operations that have a carry: whether it is used, or may be by what comes behind the block.
bool may_carry(const std::vector<Instruction>& all, size_t n) {
  const isa::Instruction& in = *all[n].in;
  const bool scalar = isa::row(in.op).encoding <= isa::Encoding::SOPP;
  if (scalar ? in.op != Op::s_add_u32 && in.op != Op::s_sub_u32 : in.sdst == isa::code::none)
    return false;
  const auto file = scalar ? isa::RegisterFile::special : isa::RegisterFile::scalar;
  const unsigned number = scalar ? unsigned(isa::special::scc) : in.sdst;
  for (size_t k = n + 1; k < all.size(); ++k) {
    if (all[k].operands.reads(file, number))
      return takes_carry(all[k].in->op);
    if (all[k].operands.writes(file, number))
      return false;
  }
  return true;
}

void leave_to_wider(std::vector<Instruction>& all) {
  for (size_t n = 0; n < all.size(); ++n) {
    Instruction& i = all[n];
    if (i.kind != Kind::integer)
      continue;
    const auto beside = [&](auto holds) { return std::ranges::any_of(all, holds); };
    bool part = false;
    if (i.sum == Sum::mul)
      part = beside([&](const Instruction& o) { return is_upper_product(o.in->op) && same_sources(*i.in, *o.in); });
    else if (i.sum == Sum::shl || i.sum == Sum::shlrev)
      part = beside([&](const Instruction& o) { return is_upper_shift(*i.in, *o.in); });
    else if (i.sum <= Sum::subrev)
      part = may_carry(all, n);
    if (part)
      i.kind = Kind::widened;
  }
}

} // namespace

unsigned slot_of(const isa::Operand& o) {
  switch (o.file) {
  case isa::RegisterFile::scalar: return o.first;
  case isa::RegisterFile::vgpr: return slot::vgpr + o.first;
  case isa::RegisterFile::agpr: return slot::accvgpr + o.first;
  case isa::RegisterFile::special: return slot::end;
  }
  return slot::end;
}

Format format_of(isa::Type t) {
  switch (t) {
  case isa::Type::F16:
  case isa::Type::PkF16: return Format::f16;
  case isa::Type::F32:
  case isa::Type::PkF32: return Format::f32;
  case isa::Type::F64: return Format::f64;
  default: return Format::none;
  }
}

const Block& Code::of(const events::Block& block, bool indexed) {
  return blocks_.of(block, [&] {
    Block known;
    known.instructions.reserve(block.sites.size());
    for (const events::Site& site : block.sites) {
      known.instructions.push_back(
          {.in = site.instruction, .pc = site.pc, .operands = isa::operands(*site.instruction)});
      classify(known.instructions.back(), indexed);
    }
    leave_to_wider(known.instructions);
    return known;
  });
}

} // namespace crosslane::check::numerics
