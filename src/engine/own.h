// Owns the list of rows that the engine executes itself, because they touch wave state (pc, EXEC, hardware registers,
// lane numbers, other lanes). Everywhere else own::name is semantics::name; see semantics/README.md.
#pragma once
#include "semantics/all.h"
#include <type_traits>

namespace crosslane::engine {
CROSSLANE_LEVEL_BEGIN
namespace own {
using namespace semantics;

#define CROSSLANE_ENGINE_OWNS(m) inline constexpr semantics::Unimplemented m{};
// scalar/flow.cpp, flow_fork.cpp, flow_state.cpp, flow_trap.cpp
CROSSLANE_ENGINE_OWNS(s_getpc_b64)
CROSSLANE_ENGINE_OWNS(s_setpc_b64)
CROSSLANE_ENGINE_OWNS(s_swappc_b64)
CROSSLANE_ENGINE_OWNS(s_rfe_b64)
CROSSLANE_ENGINE_OWNS(s_call_b64)
CROSSLANE_ENGINE_OWNS(s_and_saveexec_b64)
CROSSLANE_ENGINE_OWNS(s_or_saveexec_b64)
CROSSLANE_ENGINE_OWNS(s_xor_saveexec_b64)
CROSSLANE_ENGINE_OWNS(s_andn2_saveexec_b64)
CROSSLANE_ENGINE_OWNS(s_orn2_saveexec_b64)
CROSSLANE_ENGINE_OWNS(s_nand_saveexec_b64)
CROSSLANE_ENGINE_OWNS(s_nor_saveexec_b64)
CROSSLANE_ENGINE_OWNS(s_xnor_saveexec_b64)
CROSSLANE_ENGINE_OWNS(s_andn1_saveexec_b64)
CROSSLANE_ENGINE_OWNS(s_orn1_saveexec_b64)
CROSSLANE_ENGINE_OWNS(s_andn1_wrexec_b64)
CROSSLANE_ENGINE_OWNS(s_andn2_wrexec_b64)
CROSSLANE_ENGINE_OWNS(s_movrels_b32)
CROSSLANE_ENGINE_OWNS(s_movrels_b64)
CROSSLANE_ENGINE_OWNS(s_movreld_b32)
CROSSLANE_ENGINE_OWNS(s_movreld_b64)
CROSSLANE_ENGINE_OWNS(s_cbranch_join)
CROSSLANE_ENGINE_OWNS(s_cbranch_g_fork)
CROSSLANE_ENGINE_OWNS(s_cbranch_i_fork)
CROSSLANE_ENGINE_OWNS(s_set_gpr_idx_idx)
CROSSLANE_ENGINE_OWNS(s_set_gpr_idx_on)
CROSSLANE_ENGINE_OWNS(s_setvskip)
CROSSLANE_ENGINE_OWNS(s_getreg_b32)
CROSSLANE_ENGINE_OWNS(s_setreg_b32)
CROSSLANE_ENGINE_OWNS(s_setreg_imm32_b32)
CROSSLANE_ENGINE_OWNS(s_rfe_restore_b64)
// valu/lanes.cpp
CROSSLANE_ENGINE_OWNS(v_nop)
CROSSLANE_ENGINE_OWNS(v_clrexcp)
CROSSLANE_ENGINE_OWNS(v_readfirstlane_b32)
CROSSLANE_ENGINE_OWNS(v_readlane_b32)
CROSSLANE_ENGINE_OWNS(v_writelane_b32)
CROSSLANE_ENGINE_OWNS(v_mbcnt_lo_u32_b32)
CROSSLANE_ENGINE_OWNS(v_mbcnt_hi_u32_b32)
CROSSLANE_ENGINE_OWNS(v_swap_b32)
CROSSLANE_ENGINE_OWNS(v_movrels_b32)
CROSSLANE_ENGINE_OWNS(v_movreld_b32)
CROSSLANE_ENGINE_OWNS(v_movrelsd_b32)
CROSSLANE_ENGINE_OWNS(v_mov_fed_b32)
CROSSLANE_ENGINE_OWNS(v_interp_p1ll_f16)
CROSSLANE_ENGINE_OWNS(v_interp_p1lv_f16)
CROSSLANE_ENGINE_OWNS(v_interp_p2_legacy_f16)
CROSSLANE_ENGINE_OWNS(v_interp_p2_f16)
CROSSLANE_ENGINE_OWNS(v_interp_p1_f32_e64)
CROSSLANE_ENGINE_OWNS(v_interp_p2_f32_e64)
CROSSLANE_ENGINE_OWNS(v_interp_mov_f32_e64)
// valu/matrix.cpp: they look at all lanes
CROSSLANE_ENGINE_OWNS(v_mfma_f32_32x32x1f32)
CROSSLANE_ENGINE_OWNS(v_mfma_f32_16x16x1f32)
CROSSLANE_ENGINE_OWNS(v_mfma_f32_4x4x1f32)
CROSSLANE_ENGINE_OWNS(v_mfma_f32_32x32x2f32)
CROSSLANE_ENGINE_OWNS(v_mfma_f32_16x16x4f32)
CROSSLANE_ENGINE_OWNS(v_mfma_f32_32x32x4f16)
CROSSLANE_ENGINE_OWNS(v_mfma_f32_16x16x4f16)
CROSSLANE_ENGINE_OWNS(v_mfma_f32_4x4x4f16)
CROSSLANE_ENGINE_OWNS(v_mfma_f32_32x32x8f16)
CROSSLANE_ENGINE_OWNS(v_mfma_f32_16x16x16f16)
CROSSLANE_ENGINE_OWNS(v_mfma_i32_32x32x4i8)
CROSSLANE_ENGINE_OWNS(v_mfma_i32_16x16x4i8)
CROSSLANE_ENGINE_OWNS(v_mfma_i32_4x4x4i8)
CROSSLANE_ENGINE_OWNS(v_mfma_i32_32x32x8i8)
CROSSLANE_ENGINE_OWNS(v_mfma_i32_16x16x16i8)
CROSSLANE_ENGINE_OWNS(v_mfma_f32_32x32x4bf16_1k)
CROSSLANE_ENGINE_OWNS(v_mfma_f32_16x16x4bf16_1k)
CROSSLANE_ENGINE_OWNS(v_mfma_f32_4x4x4bf16_1k)
CROSSLANE_ENGINE_OWNS(v_mfma_f32_32x32x8bf16_1k)
CROSSLANE_ENGINE_OWNS(v_mfma_f32_16x16x16bf16_1k)
CROSSLANE_ENGINE_OWNS(v_mfma_f32_32x32x2bf16)
CROSSLANE_ENGINE_OWNS(v_mfma_f32_16x16x2bf16)
CROSSLANE_ENGINE_OWNS(v_mfma_f32_4x4x2bf16)
CROSSLANE_ENGINE_OWNS(v_mfma_f32_32x32x4bf16)
CROSSLANE_ENGINE_OWNS(v_mfma_f32_16x16x8bf16)
CROSSLANE_ENGINE_OWNS(v_mfma_f64_16x16x4f64)
CROSSLANE_ENGINE_OWNS(v_mfma_f64_4x4x4f64)
// values/valu.h: K makes them three-source
CROSSLANE_ENGINE_OWNS(v_madmk_f32)
CROSSLANE_ENGINE_OWNS(v_madak_f32)
CROSSLANE_ENGINE_OWNS(v_madmk_f16)
CROSSLANE_ENGINE_OWNS(v_madak_f16)
#undef CROSSLANE_ENGINE_OWNS

} // namespace own

template <class R> struct IsPair : std::false_type {};
template <class A, class B> struct IsPair<semantics::Pair<A, B>> : std::true_type {};

// SFINAE-friendly call of a row's semantics.
#define CROSSLANE_CALL(m) decltype([](auto... s) -> decltype(own::m(s...)) { return own::m(s...); })

CROSSLANE_LEVEL_END
} // namespace crosslane::engine
