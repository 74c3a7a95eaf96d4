// FP16_OVFL, MODE bit 23 of gfx9: "an overflowed FP16 result is clamped to +/- MAX_FP16, regardless of round mode, while still
// preserving true INF values" (Vega ISA manual). MAX_FP16 is 65504 = 0x7bff.
// case: overflow becomes the largest number, infinity stays
// targets: gfx900 gfx906
// init: mode = 0x8001f0, v1 = 0x7bff, v2 = 2.0h, v3 = 0x7c00, v4 = 0xfbff, v5 = 1e6f, v6 = -1e6f, v7 = 0x7f800000, v8 = 0, v9 = 0x0001
// init: v30 = 0x7bff, v31 = 0xffff, v32 = 20.0h, v33 = 0xfc00, v34 = 15
// expect: v10 = 0x7bff, v11 = 0xfbff, v12 = 0x7c00, v13 = 0x7c00, v14 = 0x7bff, v15 = 0x7bff, v16 = 0xfbff, v17 = 0x7c00, v18 = 0x7bff
// expect: v19 = 0x7bff, v20 = 0xfc00, v21 = 0x7bff, v22 = 0xfc00, v23 = 0x7bff, v30 = 0x7bff, v24 = 0x7c00, v25 = 0x7e00
  v_add_f16 v10, v1, v1
  v_mul_f16 v11, v4, v2
  v_add_f16 v12, v1, v3
  v_rcp_f16 v13, v8
  v_rcp_f16 v14, v9
  v_cvt_f16_f32 v15, v5
  v_cvt_f16_f32 v16, v6
  v_cvt_f16_f32 v17, v7
  v_cvt_f16_u16 v18, v31
  v_exp_f16 v19, v32
  v_log_f16 v20, v8
  v_ldexp_f16 v21, v2, v34
  v_mul_f16 v22, v33, v2
  v_mad_legacy_f16 v23, v1, v2, v1
  v_mac_f16 v30, v1, v2
  v_max_f16 v24, v3, v1
  v_sub_f16 v25, v3, v3
  v_and_b32 v25, 0x7fff, v25
  s_endpgm
// case: halves that are kept, packed, mixed and selected
// targets: gfx900
// init: mode = 0x8001f0, v1 = 0x7c007bff, v2 = 0x40004000, v3 = 0x7bfffbff, v4 = 1e30f, v10 = 0xaaaabbbb, v13 = 0xaaaabbbb, v14 = 0xaaaabbbb
// expect: v10 = 0xaaaa7bff, v11 = 0x7c007bff, v12 = 0x7bfffbff, v13 = 0x7bffbbbb, v14 = 0xaaffbbbb, v15 = 0x3c003c00
  v_fma_f16 v10, v1, v2, v1
  v_pk_mul_f16 v11, v1, v2
  v_pk_add_f16 v12, v3, v3
  v_mad_mixhi_f16 v13, v4, v4, v4
  v_add_f16_sdwa v14, v1, v1 dst_sel:BYTE_2 dst_unused:UNUSED_PRESERVE src0_sel:WORD_0 src1_sel:WORD_0
  v_pk_mul_f16 v15, v1, v2 clamp
  v_lshrrev_b32 v14, 0, v14
  s_endpgm
// case: whatever the rounding, and with output modifiers
// targets: gfx900 gfx906
// init: mode = 0x800134, v1 = 0x7bff, v2 = 2.0h, v3 = 30000.0h
// expect: v10 = 0x7bff, v11 = 0x7bff, v12 = 0xfbff, v13 = 0x7bff, mode = 0x80013c
  v_mul_f16 v10, v1, v2
  v_mul_f16_e64 v11, v3, v2 mul:4
  s_setreg_imm32_b32 hwreg(HW_REG_MODE, 2, 2), 2
  v_mul_f16_e64 v12, v1, -v2
  s_setreg_imm32_b32 hwreg(HW_REG_MODE, 2, 2), 3
  v_mul_f16 v13, v1, v2
  s_endpgm
// case: from s_setreg on, across branches, and off again
// targets: gfx900
// init: mode = 0x1f0, v1 = 0x7bff, s4 = 0x800000
// expect: v10 = 0x7c00, v11 = 0x7bff, v12 = 0x7c00, v13 = 2.0f, mode = 0x1f0
  v_add_f16 v10, v1, v1
  s_setreg_imm32_b32 hwreg(HW_REG_MODE, 23, 1), 1
  s_branch ovfl_on
ovfl_on:
  v_add_f16 v11, v1, v1
  v_add_f32 v13, 1.0, 1.0
  s_setreg_imm32_b32 hwreg(HW_REG_MODE, 16, 8), 0
  v_add_f16 v12, v1, v1
  s_endpgm
// case: gfx8 has no such bit
// targets: gfx803
// init: mode = 0x8001f0, v1 = 0x7bff
// expect: v10 = 0x7c00
  v_add_f16 v10, v1, v1
  s_endpgm
