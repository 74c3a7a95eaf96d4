// Which rule an operation follows, and what a block touches.
#include "check/init/code.h"
#include "isa/access.h"
#include "isa/classify.h"
#include "isa/flow.h"

namespace crosslane::check::init {

namespace {

using isa::Op;
using isa::RegisterFile;

Rule scalar_rule(Op op) {
  using enum Op;
  switch (op) {
  case s_mov_b32:
  case s_mov_b64:
  case s_movk_i32:
  case s_cmov_b32:
  case s_cmov_b64:
  case s_cmovk_i32:
  case s_movrels_b32:
  case s_movrels_b64:
  case s_movreld_b32:
  case s_movreld_b64: return Rule::copy;
  case s_not_b32:
  case s_not_b64: return Rule::inverted;
  case s_and_b32:
  case s_and_b64: return Rule::both;
  case s_andn2_b32:
  case s_andn2_b64: return Rule::both_n;
  case s_nand_b32:
  case s_nand_b64: return Rule::not_both;
  case s_or_b32:
  case s_or_b64: return Rule::either;
  case s_orn2_b32:
  case s_orn2_b64: return Rule::either_n;
  case s_nor_b32:
  case s_nor_b64: return Rule::not_either;
  case s_xor_b32:
  case s_xor_b64:
  case s_xnor_b32:
  case s_xnor_b64: return Rule::differ;
  case s_lshl_b32:
  case s_lshl_b64: return Rule::left;
  case s_lshr_b32:
  case s_lshr_b64: return Rule::right;
  case s_ashr_i32:
  case s_ashr_i64: return Rule::arithmetic;
  case s_brev_b32:
  case s_brev_b64: return Rule::reversed;
  case s_bfe_u32:
  case s_bfe_i32:
  case s_bfe_u64:
  case s_bfe_i64: return Rule::packed_field;
  case s_sext_i32_i8: return Rule::sign8;
  case s_sext_i32_i16: return Rule::sign16;
  case s_cselect_b32:
  case s_cselect_b64: return Rule::choose;
  case s_cmp_eq_i32:
  case s_cmp_eq_u32:
  case s_cmp_eq_u64:
  case s_cmp_lg_i32:
  case s_cmp_lg_u32:
  case s_cmp_lg_u64:
  case s_cmpk_eq_i32:
  case s_cmpk_eq_u32:
  case s_cmpk_lg_i32:
  case s_cmpk_lg_u32: return Rule::equal;
  case s_bitcmp0_b32:
  case s_bitcmp1_b32:
  case s_bitcmp0_b64:
  case s_bitcmp1_b64: return Rule::test;
  case s_bitset0_b32:
  case s_bitset1_b32:
  case s_bitset0_b64:
  case s_bitset1_b64: return Rule::set_bit;
  case s_pack_ll_b32_b16:
  case s_pack_lh_b32_b16:
  case s_pack_hh_b32_b16: return Rule::pack;
  case s_add_u32:
  case s_add_i32:
  case s_sub_u32:
  case s_sub_i32:
  case s_mul_i32:
  case s_addk_i32:
  case s_mulk_i32:
  case s_lshl1_add_u32:
  case s_lshl2_add_u32:
  case s_lshl3_add_u32:
  case s_lshl4_add_u32: return Rule::carried;
  default: return Rule::any;
  }
}

Rule vector_rule(Op op) {
  using enum Op;
  switch (op) {
  case v_mov_b32:
  case v_accvgpr_read_b32:
  case v_accvgpr_write_b32:
  case v_accvgpr_mov_b32:
  case v_movrels_b32:
  case v_movreld_b32:
  case v_movrelsd_b32: return Rule::copy;
  case v_not_b32: return Rule::inverted;
  case v_and_b32: return Rule::both;
  case v_or_b32: return Rule::either;
  case v_xor_b32:
  case v_xnor_b32: return Rule::differ;
  case v_and_or_b32: return Rule::either_both;
  case v_or3_b32: return Rule::either3;
  case v_lshl_or_b32: return Rule::either_left;
  case v_bfi_b32: return Rule::bit_select;
  case v_lshl_b32:
  case v_lshlrev_b32:
  case v_lshlrev_b16:
  case v_lshl_b64:
  case v_lshlrev_b64: return Rule::left;
  case v_lshr_b32:
  case v_lshrrev_b32:
  case v_lshrrev_b16:
  case v_lshr_b64:
  case v_lshrrev_b64: return Rule::right;
  case v_ashr_i32:
  case v_ashrrev_i32:
  case v_ashrrev_i16:
  case v_ashr_i64:
  case v_ashrrev_i64: return Rule::arithmetic;
  case v_bfrev_b32: return Rule::reversed;
  case v_bfe_u32:
  case v_bfe_i32: return Rule::field;
  case v_perm_b32: return Rule::perm;
  case v_alignbit_b32: return Rule::align_bit;
  case v_alignbyte_b32: return Rule::align_byte;
  case v_cvt_f32_ubyte0:
  case v_cvt_f32_ubyte1:
  case v_cvt_f32_ubyte2:
  case v_cvt_f32_ubyte3: return Rule::byte;
  case v_cndmask_b32: return Rule::choose;
  case v_cmp_eq_i16:
  case v_cmp_eq_u16:
  case v_cmp_eq_i32:
  case v_cmp_eq_u32:
  case v_cmp_eq_i64:
  case v_cmp_eq_u64:
  case v_cmp_ne_i16:
  case v_cmp_ne_u16:
  case v_cmp_ne_i32:
  case v_cmp_ne_u32:
  case v_cmp_ne_i64:
  case v_cmp_ne_u64: return Rule::equal;
  case v_add_u32:
  case v_add_i32:
  case v_sub_u32:
  case v_sub_i32:
  case v_subrev_u32:
  case v_add_co_u32:
  case v_sub_co_u32:
  case v_subrev_co_u32:
  case v_addc_co_u32:
  case v_subb_co_u32:
  case v_subbrev_co_u32:
  case v_add_u16:
  case v_sub_u16:
  case v_subrev_u16:
  case v_add_i16:
  case v_sub_i16:
  case v_mul_lo_u16:
  case v_mul_lo_u32:
  case v_mul_lo_i32:
  case v_mul_u32_u24:
  case v_mul_i32_i24:
  case v_mad_u32_u24:
  case v_mad_i32_i24:
  case v_mad_u16:
  case v_mad_i16:
  case v_mad_legacy_u16:
  case v_mad_legacy_i16:
  case v_mad_u64_u32:
  case v_mad_i64_i32:
  case v_mad_u32_u16:
  case v_mad_i32_i16:
  case v_lshl_add_u32:
  case v_add_lshl_u32:
  case v_add3_u32:
  case v_xad_u32: return Rule::carried;
  case v_pack_b32_f16:
  case v_cvt_pkrtz_f16_f32:
  case v_cvt_pk_u16_u32:
  case v_cvt_pk_i16_i32:
  case v_cvt_pknorm_i16_f32:
  case v_cvt_pknorm_u16_f32:
  case v_cvt_pknorm_i16_f16:
  case v_cvt_pknorm_u16_f16: return Rule::pack;
  case v_readlane_b32: return Rule::read_lane;
  case v_readfirstlane_b32: return Rule::read_first;
  case v_writelane_b32: return Rule::write_lane;
  case v_swap_b32: return Rule::swap;
  case v_pk_mov_b32: return Rule::move_pair;
  default: return Rule::any;
  }
}

bool is_packed(isa::Type t) { return t >= isa::Type::PkI16 && t <= isa::Type::PkB32; }

Rule rule_of(const isa::Instruction& in) {
  using enum isa::Encoding;
  const isa::Row& row = isa::row(in.op);
  switch (row.encoding) {
  case SOP1:
  case SOP2:
  case SOPK:
  case SOPC: return scalar_rule(in.op);
  case SOPP: return Rule::other_;
  case VOP1:
  case VOP2:
  case VOPC:
  case VOP3:
  case VOP3P: {
    if (const Rule rule = vector_rule(in.op); rule != Rule::any)
      return rule;
    if (row.encoding == VOP3P && !is_packed(row.dst) && isa::ignores_exec(in))
      return Rule::matrix;
    return is_packed(row.dst) && is_packed(row.src[0]) ? Rule::halves : Rule::any;
  }
  case VINTRP: return Rule::any;
  case DS: return isa::crosses_lanes(row.access) ? Rule::lds_lanes : Rule::memory;
  case SMEM:
  case FLAT:
  case GLOBAL:
  case SCRATCH:
  case MUBUF:
  case MTBUF:
  case MIMG: return Rule::memory;
  case EXP: return Rule::other_;
  }
  return Rule::any;
}

uint8_t aux_of(const isa::Instruction& in) {
  using enum Op;
  switch (in.op) {
  case v_cvt_f32_ubyte1: return 1;
  case v_cvt_f32_ubyte2: return 2;
  case v_cvt_f32_ubyte3: return 3;
  case s_pack_lh_b32_b16: return 2;
  case s_pack_hh_b32_b16: return 3;
  default: return 0;
  }
}

// v_lshlrev_b32 and its like have the amount first.
bool amount_is_first(Op op) {
  using enum Op;
  switch (op) {
  case v_lshlrev_b32:
  case v_lshrrev_b32:
  case v_ashrrev_i32:
  case v_lshlrev_b16:
  case v_lshrrev_b16:
  case v_ashrrev_i16:
  case v_lshlrev_b64:
  case v_lshrrev_b64:
  case v_ashrrev_i64: return true;
  default: return false;
  }
}

// The slot of a register that is followed; slot::end: it is not.
unsigned slot_of(const isa::Operand& o) {
  switch (o.file) {
  case RegisterFile::scalar: return o.first;
  case RegisterFile::vgpr: return slot::vgpr + o.first;
  case RegisterFile::agpr: return slot::accvgpr + o.first;
  case RegisterFile::special: return o.first == isa::special::scc ? slot::scc : slot::end;
  }
  return slot::end;
}

bool moves_by_m0(const isa::Instruction& in) {
  for (const isa::Operand& o : isa::operands(in))
    if (o.extent == isa::Extent::indexed)
      return true;
  return false;
}

// All of a register's bits, whatever happens, in lanes that take part.
bool kills(const isa::Operand& o) { return o.written && !o.partial && o.bits == ~0u; }

void take_in(Block& block, const Instruction& i) {
  for (const isa::Operand& o : i.operands) {
    const unsigned first = slot_of(o);
    if (first == slot::end || !o.read)
      continue;
    const bool vector = first >= slot::vgpr;
    for (unsigned n = first; n < first + o.dwords; ++n) {
      if (vector && !o.masked && i.rule != Rule::read_first)
        add(block.wide, n);
      else if (!holds(block.kills, n) && !holds(block.wide_kills, n))
        add(block.reads, n);
    }
  }
  for (const isa::Operand& o : i.operands) {
    const unsigned first = slot_of(o);
    if (first == slot::end || !o.written)
      continue;
    for (unsigned n = first; n < first + o.dwords; ++n) {
      const bool wide = first >= slot::vgpr && !o.masked;
      if (kills(o))
        add(wide ? block.wide_kills : block.kills, n);
      else if (wide) // v_writelane
        add(block.wide, n);
      else if (!holds(block.kills, n) && !holds(block.wide_kills, n))
        add(block.partial, n);
    }
  }
  block.dynamic |= i.dynamic;
  block.first_lane |= i.rule == Rule::read_first;
}

} // namespace

const Block& Code::of(const events::Block& block, bool indexed) {
  return blocks_.of(block, [&] {
    Block known;
    known.instructions.reserve(block.sites.size());
    for (const events::Site& site : block.sites) {
      const isa::Instruction& in = *site.instruction;
      known.instructions.push_back({.in = &in,
                                    .pc = site.pc,
                                    .operands = isa::operands(in),
                                    .rule = rule_of(in),
                                    .aux = aux_of(in),
                                    .reversed = amount_is_first(in.op),
                                    .dynamic = indexed || moves_by_m0(in)});
      take_in(known, known.instructions.back());
    }
    return known;
  });
}

} // namespace crosslane::check::init
