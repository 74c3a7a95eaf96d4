// What 16-bit operations leave in the high half of their destination: zeros on gfx8, and on gfx9 too but for operations that have
// OP_SEL and the multiply-adds of VOP2. Source: LLVM, GCNSubtarget::zeroesHigh16BitsOfDest; Mesa ACO, instr_is_16bit.
// case: zeroed on every target
// targets: gfx803 gfx900 gfx906
// init: v1 = 0xdead3c00, v2 = 0xbeef4000, v3 = 0xffff0003, v4 = 1.5f, v10 = 0xaaaabbbb, v11 = 0xaaaabbbb, v12 = 0xaaaabbbb
// init: v13 = 0xaaaabbbb, v14 = 0xaaaabbbb, v15 = 0xaaaabbbb, v16 = 0xaaaabbbb, v17 = 0xaaaabbbb, v18 = 0xaaaabbbb, v19 = 0xaaaabbbb
// expect: v10 = 0x4200, v11 = 0x4000, v12 = 0x7c00, v13 = 0x0018, v14 = 0x1e00, v15 = 0x3e00, v16 = 3, v17 = 0x4200, v18 = 0xc000, v19 = 6
  v_add_f16_e32 v10, v1, v2
  v_mul_f16_e32 v11, v1, v2
  v_add_u16_e32 v12, v1, v2
  v_lshlrev_b16_e32 v13, v3, v3
  v_lshrrev_b16_e64 v14, 1, v1
  v_cvt_f16_f32_e32 v15, v4
  v_cvt_u16_f16_e32 v16, v17
  v_cvt_f16_u16_e32 v17, v3
  v_cvt_u16_f16_e32 v16, v17
  v_max_i16_e32 v18, v1, v2
  v_sub_u16_e32 v18, 0, v2
  v_mul_lo_u16_e32 v19, 2, v3
  s_endpgm
// case: multiply-adds on gfx8
// targets: gfx803
// init: v1 = 0xdead3c00, v2 = 0xbeef4000, v3 = 0xffff0003, v10 = 0xaaaabbbb, v11 = 0xaaaabbbb, v12 = 0xaaaabbbb, v13 = 0xaaaabbbb, v14 = 0xaaaa3c00
// expect: v10 = 0x4200, v11 = 0x000c, v12 = 0x000c, v13 = 0x4200, v14 = 0x4200
  v_mad_f16 v10, v1, v2, v1
  v_mad_u16 v11, v3, v3, v3
  v_mad_i16 v12, v3, v3, v3
  v_fma_f16 v13, v1, v2, v1
  v_mac_f16_e32 v14, v1, v2
  s_endpgm
// case: multiply-adds on gfx9
// targets: gfx900 gfx906
// init: v1 = 0xdead3c00, v2 = 0xbeef4000, v3 = 0xffff0003, v10 = 0xaaaabbbb, v11 = 0xaaaabbbb, v12 = 0xaaaabbbb, v13 = 0xaaaabbbb, v14 = 0xaaaabbbb, v15 = 0xaaaabbbb, v16 = 0xaaaabbbb
// expect: v10 = 0xaaaa4200, v11 = 0xaaaa000c, v12 = 0xaaaa000c, v13 = 0xaaaa4200, v14 = 0x4200, v15 = 0x000c, v16 = 0x4200
  v_mad_f16 v10, v1, v2, v1
  v_mad_u16 v11, v3, v3, v3
  v_mad_i16 v12, v3, v3, v3
  v_fma_f16 v13, v1, v2, v1
  v_mad_legacy_f16 v14, v1, v2, v1
  v_mad_legacy_u16 v15, v3, v3, v3
  v_fma_legacy_f16 v16, v1, v2, v1
  s_endpgm
// case: everything else of 16 bits zeroes it, on every target
// targets: gfx803 gfx900 gfx906
// init: v1 = 0xdead3c00, v2 = 0xbeef0003, v3 = 0xffff4200, v4 = 1.5f
// init: v10 = 0xaaaabbbb, v11 = 0xaaaabbbb, v12 = 0xaaaabbbb, v13 = 0xaaaabbbb, v14 = 0xaaaabbbb, v15 = 0xaaaabbbb
// init: v16 = 0xaaaabbbb, v17 = 0xaaaabbbb, v18 = 0xaaaabbbb, v19 = 0xaaaabbbb, v20 = 0xaaaabbbb, v21 = 0xaaaabbbb
// init: v22 = 0xaaaabbbb, v23 = 0xaaaabbbb, v24 = 0xaaaabbbb, v25 = 0xaaaabbbb, v26 = 0xaaaabbbb, v27 = 0xaaaabbbb
// init: v28 = 0xaaaabbbb, v29 = 0xaaaabbbb, v30 = 0xaaaabbbb, v31 = 0xaaaabbbb, v32 = 0xaaaabbbb, v33 = 0xaaaabbbb
// init: v34 = 0xaaaabbbb, v35 = 0xaaaabbbb, v36 = 0xaaaabbbb, v37 = 0xaaaabbbb, v38 = 0xaaaabbbb, v39 = 0xaaaabbbb
// init: v40 = 0xaaaabbbb, v41 = 0xaaaabbbb, v42 = 0xaaaabbbb, v43 = 0xaaaabbbb, v44 = 0xaaaabbbb, v45 = 0xaaaabbbb
// init: v46 = 0xaaaabbbb, v47 = 0xaaaabbbb, v48 = 0xaaaabbbb
// expect: v10 = 0, v11 = 0, v12 = 0, v13 = 0, v14 = 0, v15 = 0
// expect: v16 = 0, v17 = 0, v18 = 0, v19 = 0, v20 = 0, v21 = 0
// expect: v22 = 0, v23 = 0, v24 = 0, v25 = 0, v26 = 0, v27 = 0
// expect: v28 = 0, v29 = 0, v30 = 0, v31 = 0, v32 = 0, v33 = 0
// expect: v34 = 0, v35 = 0, v36 = 0, v37 = 0, v38 = 0, v39 = 0
// expect: v40 = 0, v41 = 0, v42 = 0, v43 = 0, v44 = 0, v45 = 0
// expect: v46 = 0, v47 = 0, v48 = 0
  v_cvt_f16_u16 v10, v1
  v_cvt_f16_i16 v11, v1
  v_cvt_u16_f16 v12, v1
  v_cvt_i16_f16 v13, v1
  v_rcp_f16 v14, v1
  v_sqrt_f16 v15, v1
  v_rsq_f16 v16, v1
  v_log_f16 v17, v1
  v_exp_f16 v18, v1
  v_frexp_mant_f16 v19, v1
  v_frexp_exp_i16_f16 v20, v1
  v_floor_f16 v21, v1
  v_ceil_f16 v22, v1
  v_trunc_f16 v23, v1
  v_rndne_f16 v24, v1
  v_fract_f16 v25, v1
  v_sin_f16 v26, v1
  v_cos_f16 v27, v1
  v_cvt_f16_f32 v28, v4
  v_add_f16 v29, v1, v2
  v_sub_f16 v30, v1, v2
  v_subrev_f16 v31, v1, v2
  v_mul_f16 v32, v1, v2
  v_add_u16 v33, v1, v2
  v_sub_u16 v34, v1, v2
  v_subrev_u16 v35, v1, v2
  v_mul_lo_u16 v36, v1, v2
  v_lshlrev_b16 v37, v1, v2
  v_lshrrev_b16 v38, v1, v2
  v_ashrrev_i16 v39, v1, v2
  v_max_f16 v40, v1, v2
  v_min_f16 v41, v1, v2
  v_max_u16 v42, v1, v2
  v_max_i16 v43, v1, v2
  v_min_u16 v44, v1, v2
  v_min_i16 v45, v1, v2
  v_ldexp_f16 v46, v1, v2
  v_add_f16_e64 v47, v1, v2
  v_max_i16_e64 v48, v1, v2
  v_lshrrev_b32 v10, 16, v10
  v_lshrrev_b32 v11, 16, v11
  v_lshrrev_b32 v12, 16, v12
  v_lshrrev_b32 v13, 16, v13
  v_lshrrev_b32 v14, 16, v14
  v_lshrrev_b32 v15, 16, v15
  v_lshrrev_b32 v16, 16, v16
  v_lshrrev_b32 v17, 16, v17
  v_lshrrev_b32 v18, 16, v18
  v_lshrrev_b32 v19, 16, v19
  v_lshrrev_b32 v20, 16, v20
  v_lshrrev_b32 v21, 16, v21
  v_lshrrev_b32 v22, 16, v22
  v_lshrrev_b32 v23, 16, v23
  v_lshrrev_b32 v24, 16, v24
  v_lshrrev_b32 v25, 16, v25
  v_lshrrev_b32 v26, 16, v26
  v_lshrrev_b32 v27, 16, v27
  v_lshrrev_b32 v28, 16, v28
  v_lshrrev_b32 v29, 16, v29
  v_lshrrev_b32 v30, 16, v30
  v_lshrrev_b32 v31, 16, v31
  v_lshrrev_b32 v32, 16, v32
  v_lshrrev_b32 v33, 16, v33
  v_lshrrev_b32 v34, 16, v34
  v_lshrrev_b32 v35, 16, v35
  v_lshrrev_b32 v36, 16, v36
  v_lshrrev_b32 v37, 16, v37
  v_lshrrev_b32 v38, 16, v38
  v_lshrrev_b32 v39, 16, v39
  v_lshrrev_b32 v40, 16, v40
  v_lshrrev_b32 v41, 16, v41
  v_lshrrev_b32 v42, 16, v42
  v_lshrrev_b32 v43, 16, v43
  v_lshrrev_b32 v44, 16, v44
  v_lshrrev_b32 v45, 16, v45
  v_lshrrev_b32 v46, 16, v46
  v_lshrrev_b32 v47, 16, v47
  v_lshrrev_b32 v48, 16, v48
  s_endpgm
// case: multiply-adds of VOP2 zero it on gfx8
// targets: gfx803
// init: v1 = 0xdead3c00, v2 = 0xbeef0003, v3 = 0xffff4200, v4 = 1.5f
// init: v10 = 0xaaaabbbb, v11 = 0xaaaabbbb, v12 = 0xaaaabbbb, v13 = 0xaaaabbbb
// expect: v10 = 0, v11 = 0, v12 = 0, v13 = 0
  v_mac_f16 v10, v1, v3
  v_mac_f16_e64 v11, v1, v3
  v_madmk_f16 v12, v1, 0x4000, v3
  v_madak_f16 v13, v1, v3, 0x4000
  v_lshrrev_b32 v10, 16, v10
  v_lshrrev_b32 v11, 16, v11
  v_lshrrev_b32 v12, 16, v12
  v_lshrrev_b32 v13, 16, v13
  s_endpgm
// case: multiply-adds of VOP2 keep it on gfx9
// targets: gfx900 gfx906
// init: v1 = 0xdead3c00, v2 = 0xbeef0003, v3 = 0xffff4200, v4 = 1.5f
// init: v10 = 0xaaaabbbb, v11 = 0xaaaabbbb, v12 = 0xaaaabbbb, v13 = 0xaaaabbbb
// expect: v10 = 0xaaaa, v11 = 0xaaaa, v12 = 0xaaaa, v13 = 0xaaaa
  v_mac_f16 v10, v1, v3
  v_mac_f16_e64 v11, v1, v3
  v_madmk_f16 v12, v1, 0x4000, v3
  v_madak_f16 v13, v1, v3, 0x4000
  v_lshrrev_b32 v10, 16, v10
  v_lshrrev_b32 v11, 16, v11
  v_lshrrev_b32 v12, 16, v12
  v_lshrrev_b32 v13, 16, v13
  s_endpgm
// case: operations with OP_SEL keep it
// targets: gfx900 gfx906
// init: v1 = 0xdead3c00, v2 = 0xbeef0003, v3 = 0xffff4200, v4 = 1.5f
// init: v10 = 0xaaaabbbb, v11 = 0xaaaabbbb, v12 = 0xaaaabbbb, v13 = 0xaaaabbbb, v14 = 0xaaaabbbb, v15 = 0xaaaabbbb
// init: v16 = 0xaaaabbbb, v17 = 0xaaaabbbb, v18 = 0xaaaabbbb, v19 = 0xaaaabbbb, v20 = 0xaaaabbbb, v21 = 0xaaaabbbb
// init: v22 = 0xaaaabbbb, v23 = 0xaaaabbbb, v24 = 0xaaaabbbb, v25 = 0xaaaabbbb
// expect: v10 = 0xaaaa, v11 = 0xaaaa, v12 = 0xaaaa, v13 = 0xaaaa, v14 = 0xaaaa, v15 = 0xaaaa
// expect: v16 = 0xaaaa, v17 = 0xaaaa, v18 = 0xaaaa, v19 = 0xaaaa, v20 = 0xaaaa, v21 = 0xaaaa
// expect: v22 = 0xaaaa, v23 = 0xaaaa, v24 = 0xaaaa, v25 = 0xaaaa
  v_mad_f16 v10, v1, v2, v3
  v_mad_u16 v11, v1, v2, v3
  v_mad_i16 v12, v1, v2, v3
  v_fma_f16 v13, v1, v2, v3
  v_div_fixup_f16 v14, v1, v2, v3
  v_min3_f16 v15, v1, v2, v3
  v_min3_i16 v16, v1, v2, v3
  v_min3_u16 v17, v1, v2, v3
  v_max3_f16 v18, v1, v2, v3
  v_max3_i16 v19, v1, v2, v3
  v_max3_u16 v20, v1, v2, v3
  v_med3_f16 v21, v1, v2, v3
  v_med3_i16 v22, v1, v2, v3
  v_med3_u16 v23, v1, v2, v3
  v_add_i16 v24, v1, v2
  v_sub_i16 v25, v1, v2
  v_lshrrev_b32 v10, 16, v10
  v_lshrrev_b32 v11, 16, v11
  v_lshrrev_b32 v12, 16, v12
  v_lshrrev_b32 v13, 16, v13
  v_lshrrev_b32 v14, 16, v14
  v_lshrrev_b32 v15, 16, v15
  v_lshrrev_b32 v16, 16, v16
  v_lshrrev_b32 v17, 16, v17
  v_lshrrev_b32 v18, 16, v18
  v_lshrrev_b32 v19, 16, v19
  v_lshrrev_b32 v20, 16, v20
  v_lshrrev_b32 v21, 16, v21
  v_lshrrev_b32 v22, 16, v22
  v_lshrrev_b32 v23, 16, v23
  v_lshrrev_b32 v24, 16, v24
  v_lshrrev_b32 v25, 16, v25
  s_endpgm
// case: their legacy forms zero it on gfx9
// targets: gfx900 gfx906
// init: v1 = 0xdead3c00, v2 = 0xbeef0003, v3 = 0xffff4200, v4 = 1.5f
// init: v10 = 0xaaaabbbb, v11 = 0xaaaabbbb, v12 = 0xaaaabbbb, v13 = 0xaaaabbbb, v14 = 0xaaaabbbb, v15 = 0xaaaabbbb
// init: v16 = 0xaaaabbbb
// expect: v10 = 0, v11 = 0, v12 = 0, v13 = 0, v14 = 0, v15 = 0
// expect: v16 = 0
  v_mad_legacy_f16 v10, v1, v2, v3
  v_mad_legacy_u16 v11, v1, v2, v3
  v_mad_legacy_i16 v12, v1, v2, v3
  v_fma_legacy_f16 v13, v1, v2, v3
  v_div_fixup_legacy_f16 v14, v1, v2, v3
  v_cvt_norm_i16_f16 v15, v1
  v_cvt_norm_u16_f16 v16, v1
  v_lshrrev_b32 v10, 16, v10
  v_lshrrev_b32 v11, 16, v11
  v_lshrrev_b32 v12, 16, v12
  v_lshrrev_b32 v13, 16, v13
  v_lshrrev_b32 v14, 16, v14
  v_lshrrev_b32 v15, 16, v15
  v_lshrrev_b32 v16, 16, v16
  s_endpgm
// case: and so do those of gfx8
// targets: gfx803
// init: v1 = 0xdead3c00, v2 = 0xbeef0003, v3 = 0xffff4200, v4 = 1.5f
// init: v10 = 0xaaaabbbb, v11 = 0xaaaabbbb, v12 = 0xaaaabbbb, v13 = 0xaaaabbbb, v14 = 0xaaaabbbb
// expect: v10 = 0, v11 = 0, v12 = 0, v13 = 0, v14 = 0
  v_mad_f16 v10, v1, v2, v3
  v_mad_u16 v11, v1, v2, v3
  v_mad_i16 v12, v1, v2, v3
  v_fma_f16 v13, v1, v2, v3
  v_div_fixup_f16 v14, v1, v2, v3
  v_lshrrev_b32 v10, 16, v10
  v_lshrrev_b32 v11, 16, v11
  v_lshrrev_b32 v12, 16, v12
  v_lshrrev_b32 v13, 16, v13
  v_lshrrev_b32 v14, 16, v14
  s_endpgm
