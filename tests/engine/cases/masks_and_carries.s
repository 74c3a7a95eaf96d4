// Masks in SGPR pairs: carries, v_cndmask, compares, v_cmpx; EXEC partial and zero.
// case: carry chains through other pairs (gfx9)
// targets: gfx900 gfx906
// init: v0 = 0xffffffff, v1 = 0xffffffff, v2 = 1, v3 = 0, vcc = 0x5555, exec = 0x00000000ffffffff
// expect: v10[0..31] = 0, v11[0..31] = 0, v12[0..31] = 1, s[4:5] = 0x00000000ffffffff, s[6:7] = 0x00000000ffffffff, s[8:9] = 0, v13[0..31] = 0xfffffffe, v14[0..31] = 0xfffffffe, s[10:11] = 0, v15[0..31] = 2
// expect: s[12:13] = 0xffffffff, v16[0..31] = 1, s[14:15] = 0xffffffff
  v_add_co_u32_e64 v10, s[4:5], v0, v2
  v_addc_co_u32_e64 v11, s[6:7], v1, v3, s[4:5]
  v_addc_co_u32_e64 v12, s[8:9], v3, v3, s[6:7]
  v_sub_co_u32_e64 v13, s[10:11], v0, v2
  v_subb_co_u32_e64 v14, s[10:11], v1, v3, s[6:7]
  v_subrev_co_u32_e64 v15, s[12:13], v0, v2
  v_subbrev_co_u32_e64 v16, s[14:15], v0, v2, s[12:13]
  s_endpgm
// case: carry chains through VCC on gfx8
// targets: gfx803
// init: v0 = 0xffffffff, v1 = 0xffffffff, v2 = 1, v3 = 0, vcc = 0x5555, exec = 0x00000000ffffffff
// expect: v10[0..31] = 0, v11[0..31] = 0, v12[0..31] = 1, vcc = 0, s[4:5] = 0xffffffff, v13[0..31] = 0xfffffffe, v14[0..31] = 2, v15[0..31] = 1, s[6:7] = 0xffffffff
  v_add_u32_e32 v10, vcc, v0, v2
  v_addc_u32_e32 v11, vcc, v1, v3, vcc
  v_addc_u32_e32 v12, vcc, v3, v3, vcc
  v_sub_u32_e64 v13, s[4:5], v0, v2
  v_subrev_u32_e64 v14, s[4:5], v0, v2
  v_subbrev_u32_e64 v15, s[6:7], v0, v2, s[4:5]
  s_endpgm
// case: borrow at equality
// targets: gfx900
// init: v0 = 5, v1 = 5, vcc = 0xf, v2 = 0
// expect: v10[0..3] = 0xffffffff, v10[4..63] = 0, s[4:5] = 0xf, v11[0..3] = 11, v11[4..63] = 10, s[6:7] = 0
// expect: v12[0..3] = 0xffffffff, v12[4..63] = 0, v13[0..3] = 0, v13[4..63] = 0xffffffff, s[8:9] = 0xf
  v_subb_co_u32_e64 v10, s[4:5], v0, v1, vcc
  v_addc_co_u32_e64 v11, s[6:7], v0, v1, vcc
  v_subbrev_co_u32_e64 v12, s[8:9], v0, v1, vcc
  v_mov_b32 v3, -1
  v_addc_co_u32_e64 v13, s[10:11], v3, v2, vcc
// clobbers: v3, s[10:11]
  s_endpgm
// case: the carry out may be the carry in, a source pair or VCC of a lane that is off
// targets: gfx900
// init: v0 = 0xffffffff, v1 = 1, vcc = 0xffffffffffffffff, exec = 0xf0, v3 = 0, s[4:5] = 0x30
// expect: vcc = 0xf0, v10[4..7] = 0, v11[4..7] = 1, s[4:5] = 0, v12[4..5] = 1, v12[6..7] = 0
  v_add_co_u32_e32 v10, vcc, v0, v1
  v_addc_co_u32_e64 v12, s[4:5], v3, v3, s[4:5]
  v_addc_co_u32_e64 v11, s[6:7], v3, v3, vcc
// clobbers: s[6:7]
  s_endpgm
// case: v_cndmask
// targets: gfx803 gfx900 gfx906
// init: v1 = 1, v2 = 2, vcc = 0xff, s[4:5] = 0xff00000000000000
// expect: v10[0..7] = 2, v10[8..63] = 1, v11[0..55] = 1, v11[56..63] = 2, v15[0..7] = 7, v15[8..63] = 64
// expect: v1[0..7] = 2, v1[8..63] = 1
  v_cndmask_b32_e32 v10, v1, v2, vcc
  v_cndmask_b32_e64 v11, v1, v2, s[4:5]
  v_cndmask_b32_e64 v15, 64, 7, vcc
  v_cndmask_b32_e32 v1, v1, v2, vcc
  s_endpgm
// case: compares write zeros for lanes that are off
// targets: gfx803 gfx900 gfx906
// init: exec = 0x0000ffff0000ffff, v0 = lane, vcc = 0xffffffffffffffff, s[4:5] = 0xffffffffffffffff
// expect: vcc = 0x000000000000ffff, s[4:5] = 0x0000ffff00000000
  v_cmp_gt_u32_e32 vcc, 32, v0
  v_cmp_le_u32_e64 s[4:5], 32, v0
  s_endpgm
// case: v_cmpx narrows EXEC
// targets: gfx803 gfx900 gfx906
// init: v0 = lane, v1 = 0
// expect: vcc = 0xffff, exec = 0xff00, s[4:5] = 0xff00, v1[8..15] = 1
  v_cmpx_gt_u32_e32 vcc, 16, v0
  v_cmpx_le_u32_e64 s[4:5], 8, v0
  v_mov_b32_e32 v1, 1
  s_endpgm
// case: v_cmpx to nothing, and class tests
// targets: gfx803 gfx900 gfx906
// init: v0 = lane, v1 = 1.0f, v1[0..4] = {0x7fc00000 0x7f800000 0xff800000 0x80000000 0x00000001}, v3 = 0x3
// expect: s[4:5] = 0x1, s[6:7] = 0x2, s[8:9] = 0x4, s[10:11] = 0x8, s[12:13] = 0x10, s[14:15] = 0xffffffffffffffe0, exec = 0, vcc = 0
  v_cmp_class_f32_e64 s[4:5], v1, v3
  v_cmp_class_f32_e64 s[6:7], v1, s16
  v_mov_b32 v4, 0x4
  v_cmp_class_f32_e64 s[8:9], v1, v4
  v_mov_b32 v4, 0x20
  v_cmp_class_f32_e64 s[10:11], v1, v4
  v_mov_b32 v4, 0x80
  v_cmp_class_f32_e64 s[12:13], v1, v4
  v_mov_b32 v4, 0x100
  v_cmp_class_f32_e64 s[14:15], v1, v4
  v_cmpx_gt_u32_e32 vcc, 0, v0
// init: s16 = 0x200
// clobbers: v4
  s_endpgm
// case: unordered compares
// targets: gfx900
// init: v1 = 0x7fc00000, v2 = 1.0f
// expect: s[4:5] = 0, s[6:7] = 0xffffffffffffffff, s[8:9] = 0, s[10:11] = 0xffffffffffffffff, s[12:13] = 0xffffffffffffffff, s[14:15] = 0
  v_cmp_lt_f32_e64 s[4:5], v1, v2
  v_cmp_nlt_f32_e64 s[6:7], v1, v2
  v_cmp_lg_f32_e64 s[8:9], v1, v2
  v_cmp_neq_f32_e64 s[10:11], v1, v2
  v_cmp_u_f32_e64 s[12:13], v1, v2
  v_cmp_o_f32_e64 s[14:15], v1, v2
  s_endpgm
// case: compares with modifiers
// targets: gfx900
// init: v1 = -2.0f, v2 = 2.0f
// expect: s[4:5] = 0xffffffffffffffff, s[6:7] = 0xffffffffffffffff, s[8:9] = 0
  v_cmp_eq_f32_e64 s[4:5], -v1, v2
  v_cmp_eq_f32_e64 s[6:7], |v1|, v2
  v_cmp_eq_f32_e64 s[8:9], -|v1|, v2
  s_endpgm
// case: with EXEC zero nothing is written
// targets: gfx803 gfx900 gfx906
// init: exec = 0, v0 = lane, vcc = 0xffffffffffffffff, s[4:5] = 0xffffffffffffffff, v3 = 33*lane
// expect: vcc = 0, s[4:5] = 0, s6 = 0, s7 = 165
  v_mov_b32_e32 v1, 7
  v_add_f32_e32 v2, v0, v0
  v_add_f64 v[4:5], v[0:1], v[2:3]
  v_fma_f32 v6, v0, v0, v0
  v_mov_b32_dpp v7, v0 row_shr:1 row_mask:0xf bank_mask:0xf
  v_mov_b32_sdwa v8, v0 dst_sel:BYTE_1 dst_unused:UNUSED_PRESERVE src0_sel:BYTE_0
  v_mul_f32_e64 v9, v0, v0 clamp
  v_cmp_eq_u32_e32 vcc, v0, v0
  v_cmpx_eq_u32_e64 s[4:5], v0, v0
  v_readfirstlane_b32 s6, v3
  v_readlane_b32 s7, v3, 5
  s_endpgm
// case: v_div_fmas takes VCC of each lane
// targets: gfx803 gfx900 gfx906
// init: vcc = 0, v1 = 2.0f, v2 = 3.0f, v3 = 1.0f
// expect: v10 = 7.0f
  v_div_fmas_f32 v10, v1, v2, v3
  s_endpgm
// case: division as compilers write it
// targets: gfx803 gfx900 gfx906
// init: v0 = 10.0f, v0[0..5] = {1.0f 7.0f 0.0f 1e-30f 1e30f 3.0e38f}, v1 = 4.0f, v1[0..5] = {3.0f 0.0f 5.0f 1e10f 1e-5f 0.5f}
// expect: v9[0] = 0x3eaaaaab, v9[1] = 0x7f800000, v9[2] = 0, v9[4] = 0x799a130c, v9[5] = 0x7f800000, v9[6..63] = 2.5f
// clobbers: v2, v3, v4, v5, v6, v7, v8, v9, vcc, s[4:5]
  v_div_scale_f32 v2, s[4:5], v1, v1, v0
  v_div_scale_f32 v3, vcc, v0, v1, v0
  v_rcp_f32_e32 v4, v2
  v_fma_f32 v5, -v2, v4, 1.0
  v_fma_f32 v4, v5, v4, v4
  v_mul_f32_e32 v5, v3, v4
  v_fma_f32 v6, -v2, v5, v3
  v_fma_f32 v5, v6, v4, v5
  v_fma_f32 v2, -v2, v5, v3
  v_div_fmas_f32 v2, v2, v4, v5
  v_div_fixup_f32 v9, v2, v1, v0
  s_endpgm
// case: destinations over sources, 64-bit pairs shifted by one register
// targets: gfx803 gfx900 gfx906
// init: v[0:1] = 0x0000000100000000, v[2:3] = 0x3ff0000000000000, v4 = 7, v[6:7] = 0x3ff0000000000000, v[8:9] = 3, v[12:13] = 0x100000002, v14 = 0xffffffff, v[16:17] = 5
// init: v[20:21] = 1.0d, v[22:23] = 2.0d, v22 = 0, v21 = 0x3ff00000
// expect: v0 = 0, v[1:2] = 0x0000000200000000, v[4:5] = 7.0d, v8 = 3, v[9:10] = 6, v[12:13] = 0x100000004, v[16:17] = 0xfffffffe00000006, vcc = 0, v3 = 0x3ff00000
// expect: v[21:22] = 2.0d, v20 = 0
  v_lshlrev_b64 v[1:2], 1, v[0:1]
  v_cvt_f64_i32_e32 v[4:5], v4
  v_mov_b32 v9, 0
  v_lshlrev_b64 v[9:10], 1, v[8:9]
  v_mad_u64_u32 v[12:13], vcc, v12, v13, v[12:13]
  v_mad_u64_u32 v[16:17], vcc, v14, v14, v[16:17]
  v_add_f64 v[21:22], v[20:21], v[20:21]
  s_endpgm
