// What 16-bit operations leave in the high half of their destination: zeros on gfx8, and on gfx9 too but for v_mad_f16,
// v_mad_u16, v_mad_i16, v_fma_f16 and v_div_fixup_f16.
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
