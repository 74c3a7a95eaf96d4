// Owns the staging of vector operands: everything that stands between a plain VGPR and what an encoding can ask for.
// Each function emits Uops that leave the operand in a temporary VGPR; they compose in any order the encoding needs.
#pragma once
#include "engine/decode/lowering.h"

namespace crosslane::engine {
CROSSLANE_LEVEL_BEGIN

// All take and return byte offsets of VGPRs (or temporaries) in the Wave; `tmp` is where the result goes.
void stage_broadcast(Lowering&, ScalarOperand from, uint32_t tmp, int dwords);
void stage_mask(Lowering&, ScalarOperand from, uint32_t to); // a 64-bit constant into scalar temporaries
void stage_copy(Lowering&, uint32_t from, uint32_t tmp);
void stage_bits(Lowering&, uint32_t from, uint32_t tmp, uint32_t and_mask, uint32_t xor_mask);      // abs, neg
void stage_field(Lowering&, uint32_t from, uint32_t tmp, int offset, int width, bool sign_extend);  // SDWA, op_sel
void stage_halves(Lowering&, uint32_t from, uint32_t tmp, bool low_from_high, bool high_from_high); // packed op_sel
void stage_half_to_float(Lowering&, uint32_t from, uint32_t tmp);                                   // v_mad_mix
// v[n + M0[7:0]], and with all of M0 what v_movrel reads.
enum class Index : uint32_t { low_byte = 0xff, whole = ~0u };
void stage_indexed(Lowering&, uint32_t first_vgpr, uint32_t tmp, int dword, Index = Index::low_byte);

// DPP: the permuted source of so many dwords into `tmp`, EXEC narrowed to the lanes that have one; end restores EXEC.
void stage_dpp(Lowering&, uint32_t from, uint32_t tmp, int dwords);
void finish_dpp(Lowering&);
// v_mov_b32 by DPP in one go. False: not such a one.
bool lower_dpp_mov(Lowering&);

// Results: from `tmp` to the destination, under EXEC.
void finish_copy(Lowering&, uint32_t tmp, uint32_t to);
void finish_field(Lowering&, uint32_t tmp, uint32_t to, int offset, int width, isa::SdwaUnused unused);
// One dword of a result of `dwords`; none is written if any of them is out of range.
void finish_indexed(Lowering&, uint32_t tmp, uint32_t first_vgpr, int dword, int dwords, Index = Index::low_byte);
void finish_indexed_all(Lowering&, uint32_t tmp, uint32_t first_vgpr); // whatever EXEC says
// FP16_OVFL: between these two results are rounded towards zero, so that what overflows stays finite; then f16 (or
// packed) results in `at` that are infinite, but not so in `truncated`, become the largest finite number.
void begin_truncation(Lowering&);
void end_truncation(Lowering&);
void finish_overflow(Lowering&, uint32_t at, uint32_t truncated);
void finish_float(Lowering&, uint32_t at, isa::Type type, int omod, bool clamp); // in place

// v_readlane and the like (engine/valu/lanes.cpp). True when the instruction was one of them.
bool lower_lanes(Lowering&);
// 64-bit shifts by a scalar (engine/valu/shift64.cpp). False: not such a one.
bool lower_shift64(Lowering&);

CROSSLANE_LEVEL_END
} // namespace crosslane::engine
