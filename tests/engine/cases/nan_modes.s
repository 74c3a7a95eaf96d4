// What the IEEE and DX10_CLAMP bits do to NaN, by type. Source: Vega ISA manual, V_MIN_F32 and its like ("if(IEEE_MODE && S0 ==
// sNaN) D = Quiet(S0)"), MODE.DX10_CLAMP ("when set, clamp NaN to zero; otherwise, pass NaN through").
// case: minimum and maximum in IEEE mode
// targets: gfx803 gfx900 gfx906
// init: mode = 0x3f0, v1 = 0x7d01, v2 = 1.0h, v3 = 0x7e00, v[4:5] = 0x7ff4000000000001, v[6:7] = 1.0d, v8 = 0x7f800001, v9 = 1.0f, v11 = 0x7fc00001
// expect: v20 = 0x7f01, v21 = 0x7f01, v22 = 1.0h, v[24:25] = 0x7ffc000000000001, v[26:27] = 0x7ffc000000000001, v28 = 0x7fc00001, v29 = 1.0f, v30 = 1.0f, v31 = 0x7fc00001
  v_min_f16 v20, v1, v2
  v_max_f16 v21, v2, v1
  v_max_f16 v22, v3, v2
  v_min_f64 v[24:25], v[4:5], v[6:7]
  v_max_f64 v[26:27], v[6:7], v[4:5]
  v_max_f32 v28, v9, v8
  v_max_f32 v29, v9, v11
  v_min3_f32 v30, v8, v9, v9
  v_min3_f32 v31, v9, v9, v8
  s_endpgm
// case: and without, where a NaN loses
// targets: gfx803 gfx900 gfx906
// init: mode = 0x1f0, v1 = 0x7d01, v2 = 1.0h, v[4:5] = 0x7ff4000000000001, v[6:7] = 1.0d, v8 = 0x7f800001, v9 = 1.0f
// expect: v20 = 1.0h, v21 = 1.0h, v[24:25] = 1.0d, v[26:27] = 1.0d, v28 = 1.0f, v30 = 1.0f
  v_min_f16 v20, v1, v2
  v_max_f16 v21, v2, v1
  v_min_f64 v[24:25], v[4:5], v[6:7]
  v_max_f64 v[26:27], v[6:7], v[4:5]
  v_max_f32 v28, v9, v8
  v_min3_f32 v30, v8, v9, v9
  s_endpgm
// case: packed halves clamp NaN to zero one by one, or pass it
// targets: gfx900 gfx906
// init: mode = 0x1f0, v1 = 0x7e004000, v2 = 0x3c003c00, v3 = 0x40007e00
// expect: v10 = 0x00003c00, v11 = 0x3c000000, v12 = 0x3c007e00, mode = 0x0f0
  v_pk_mul_f16 v10, v1, v2 clamp
  v_pk_mul_f16 v11, v3, v2 clamp
  s_setreg_imm32_b32 hwreg(HW_REG_MODE, 8, 1), 0
  v_pk_mul_f16 v12, v3, v2 clamp
  s_endpgm
// case: CLAMP of a compare is about exceptions, not about its result
// targets: gfx803 gfx900 gfx906
// init: v1 = 2.0f, v2 = 3.0f
// expect: s[4:5] = 0xffffffffffffffff, s[6:7] = 0
  v_cmp_lt_f32_e64 s[4:5], v1, v2 clamp
  v_cmp_gt_f32_e64 s[6:7], v1, v2 clamp
  s_endpgm
// case: output modifiers and clamp of SDWA before the destination is selected
// targets: gfx900 gfx906
// init: mode = 0x1c0, v1 = 1.5f, v2 = 0x7fc00000, v10 = 0x11223344, v11 = 0x11223344
// expect: v10 = 0x11220000, v11 = 0x00003344
  v_mul_f32_sdwa v10, v2, v2 clamp dst_sel:WORD_0 dst_unused:UNUSED_PRESERVE src0_sel:DWORD src1_sel:DWORD
  v_add_f32_sdwa v11, v1, v1 mul:2 dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE src0_sel:DWORD src1_sel:DWORD
  s_endpgm
