// Vector operations that gfx8 dropped, in their encodings of gfx6 and gfx7.
// targets: gfx600 gfx602 gfx700 gfx705
// case: shifts with the value first
// init: v0 = 0x80000001, v2 = 33, v26 = 65, v[4:5] = 0x8000000000000001, s4 = 40, s[6:7] = 0x123456789
// expect: v10 = 2, v11 = 0x40000000, v12 = 0xc0000000, v13 = 20
// expect: v[14:15] = 0x0000010000000000, v[16:17] = 0x0000000000800000, v[18:19] = 0xffffffffff800000, v[20:21] = 0x0000000200000000, v[22:23] = 0x12345678, v24 = 0x80000003, v25 = 0x80000001
  v_lshl_b32_e32 v10, v0, v2
  v_lshr_b32_e32 v11, v0, v2
  v_ashr_i32_e32 v12, v0, v2
  v_lshr_b32_e32 v13, s4, v26
  v_lshl_b64 v[14:15], v[4:5], s4
  v_lshr_b64 v[16:17], v[4:5], s4
  v_ashr_i64 v[18:19], v[4:5], s4
  v_lshl_b64 v[20:21], v[4:5], v2
  v_lshr_b64 v[22:23], s[6:7], 4
  v_mul_lo_i32 v24, v0, 3
  v_mul_lo_i32 v25, v0, 1
  s_endpgm
// case: signaling compares
// init: v0 = 4*lane+0, v1 = 128, v2 = 0x7fc00000, v3 = 1.0f, v[4:5] = 1.0d, v[6:7] = 0x7ff8000000000000, exec = 0x00000000ffffffff
// expect: vcc = 0xffffffff, s[4:5] = 0xffffffff, s[6:7] = 0, s[8:9] = 0xffffffff, s[10:11] = 0, exec = 0, s[12:13] = 0xffffffff
  v_cmps_lt_f32_e32 vcc, v0, v3
  v_cmps_nlt_f32_e64 s[4:5], v2, v3
  v_cmps_eq_f64_e64 s[6:7], v[4:5], v[6:7]
  v_cmps_u_f64_e64 s[8:9], v[4:5], v[6:7]
  v_cmpsx_ge_f64_e64 s[12:13], v[4:5], v[4:5]
  v_cmpsx_gt_f32_e64 s[10:11], v2, v3
  s_endpgm
// case: cmpsx writes EXEC and VCC
// init: v0 = {1.0f 2.0f 3.0f 4.0f 1.0f 2.0f 3.0f 4.0f 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0}, v1 = 2.5f, v2 = 0
// expect: vcc = 0xcc, exec = 0xcc, v2[2] = 7, v2[3] = 7, v2[6] = 7, v2[7] = 7
  v_cmpsx_gt_f32_e32 vcc, v0, v1
  v_mov_b32_e32 v2, 7
  s_endpgm
// case: floats by Direct3D 9's rules
// init: v0 = 0, v1 = 0x7f800000, v2 = 0x7fc00000, v3 = 2.0f, v4 = 3.0f, v5 = -1.0f, v6 = 1.5f, v7 = 0.5f, v8 = 0x80000000, v[30:31] = 0
// expect: v10 = 2.0f, v11 = 0x7fc00000, v12 = 3.0f, v13 = 3.0f, v14 = 7.5f, v6 = 7.5f, v15 = 6.0f, v16 = 0xff7fffff, v17 = 0x7f7fffff, v18 = 0x80000000, v19 = 0x7f7fffff, v20 = 0, v21 = 0xff7fffff, v22 = 0.5f, v7 = 0.5f, v[24:25] = 0x7fefffffffffffff, v[26:27] = 0x7fefffffffffffff, v28 = 0
  v_min_legacy_f32_e32 v10, v2, v3
  v_min_legacy_f32_e32 v11, v3, v2
  v_max_legacy_f32_e32 v12, v2, v4
  v_max_legacy_f32_e32 v13, v4, v3
  v_mac_legacy_f32_e32 v6, v3, v4
  v_mac_legacy_f32_e32 v7, v0, v1
  v_mov_b32_e32 v14, v6
  v_mullit_f32 v15, v3, v4, v3
  v_mullit_f32 v16, v3, v4, v5
  v_mullit_f32 v28, v0, v1, v3
  v_rcp_clamp_f32_e32 v17, v0
  v_rcp_legacy_f32_e32 v18, v8
  v_rsq_clamp_f32_e32 v19, v0
  v_rsq_legacy_f32_e32 v20, v0
  v_log_clamp_f32_e32 v21, v0
  v_rcp_legacy_f32_e32 v22, v3
  v_rcp_clamp_f64_e32 v[24:25], v[30:31]
  v_rsq_clamp_f64_e32 v[26:27], v[30:31]
  s_endpgm
