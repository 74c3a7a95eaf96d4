// gfx90a: two f32 operations at once, on register pairs. OP_SEL and OP_SEL_HI choose which dword of a source the low and the
// high result read, NEG_LO and NEG_HI negate it there.
// targets: gfx90a
// case: plain
// init: v0 = 1.5f, v1 = -2.0f, v2 = 4.0f, v3 = 0.5f, v4 = 10.0f, v5 = 20.0f, exec = 0xffff
// init: v6 = 1, v7 = 2, v8 = 1, v9 = 2, v10 = 1, v11 = 2
// expect: v6[0] = 16.0f, v7[15] = 19.0f, v6[16] = 1, v7[16] = 2, v8[3] = 6.0f, v9[3] = -1.0f, v10[1] = 5.5f, v11[1] = -1.5f
// expect: v8[20] = 1, v11[63] = 2
// clobbers: v6, v7, v8, v9, v10, v11
  v_pk_fma_f32 v[6:7], v[0:1], v[2:3], v[4:5]
  v_pk_mul_f32 v[8:9], v[0:1], v[2:3]
  v_pk_add_f32 v[10:11], v[0:1], v[2:3]
  s_endpgm
// case: chosen and negated
// init: v0 = 1.5f, v1 = -2.0f, v2 = 4.0f, v3 = 0.5f, v4 = 10.0f, v5 = 20.0f
// expect: v6 = -8.0f, v7 = 0.75f, v8 = 6.0f, v9 = 6.0f, v10 = -19.25f, v11 = 9.25f, v12 = 3.5f, v13 = -3.5f
  v_pk_mul_f32 v[6:7], v[0:1], v[2:3] op_sel:[1,0] op_sel_hi:[0,1]
  v_pk_mul_f32 v[8:9], v[0:1], v[2:3] op_sel_hi:[0,0]
  v_pk_fma_f32 v[10:11], v[0:1], v[2:3], v[4:5] op_sel:[0,1,1] op_sel_hi:[0,1,0] neg_lo:[1,1,1] neg_hi:[1,0,0]
  v_pk_add_f32 v[12:13], v[0:1], v[0:1] op_sel:[0,1] op_sel_hi:[0,1] neg_lo:[0,1] neg_hi:[1,0]
  s_endpgm
// case: scalars, constants and results over sources
// init: s4 = 3.0f, s5 = 7.0f, v0 = 1.0f, v1 = 2.0f, v2 = 5.0f, v3 = 6.0f
// expect: v4 = 3.0f, v5 = 14.0f, v6 = 7.0f, v7 = 6.0f, v8 = 2.0f, v9 = 4.0f, v0 = 10.0f, v1 = 5.0f
  v_pk_mul_f32 v[4:5], v[0:1], s[4:5]
  v_pk_mul_f32 v[6:7], s[4:5], v[0:1] op_sel:[1,0] op_sel_hi:[0,1]
  v_pk_mul_f32 v[8:9], v[0:1], 2.0 op_sel_hi:[1,0]
  v_pk_mul_f32 v[0:1], v[0:1], v[2:3] op_sel:[1,0] op_sel_hi:[0,0]
  s_endpgm
// case: clamp
// init: v0 = 1.5f, v1 = -2.0f, v2 = 4.0f, v3 = 0.5f
// expect: v4 = 1.0f, v5 = 0.0f
  v_pk_add_f32 v[4:5], v[0:1], v[2:3] clamp
  s_endpgm
// case: v_pk_mov_b32
// init: v0 = 10, v1 = 11, v2 = 20, v3 = 21, s4 = 40, s5 = 41, exec = 1, v4 = 1, v5 = 1
// expect: v4[0] = 10, v5[0] = 20, v4[1] = 1, v6[0] = 11, v7[0] = 21, v8[0] = 10, v9[0] = 21, v10[0] = 41, v11[0] = 10, v0[0] = 11, v1[0] = 10
// clobbers: v0, v1, v4, v5, v6, v7, v8, v9, v10, v11
  v_pk_mov_b32 v[4:5], v[0:1], v[2:3]
  v_pk_mov_b32 v[6:7], v[0:1], v[2:3] op_sel:[1,1]
  v_pk_mov_b32 v[8:9], v[0:1], v[2:3] op_sel:[0,1]
  v_pk_mov_b32 v[10:11], s[4:5], v[0:1] op_sel:[1,0]
  v_pk_mov_b32 v[0:1], v[0:1], v[0:1] op_sel:[1,0]
  s_endpgm
// case: v_mul_legacy_f32 has an opcode of its own
// init: v0 = 0.0f, v1 = 0x7f800000, v2 = 1.5f, v3 = -2.0f
// expect: v4 = 0, v5 = 3.0f
  v_mul_legacy_f32 v4, v0, v1
  v_mul_legacy_f32 v5, v2, -v3
  s_endpgm
// case: 64-bit DPP
// init: v[0:1] = 0x1000000000000*lane+0x4000000000000000, v[4:5] = 1.0d, v[6:7] = 1.0d, exec = 0xffff0000ffffff0f, v8 = 1.0f, v[10:11] = 1.0d
// expect: v[6:7][0..3] = {3.375d 3.375d 3.375d 3.375d}, v[6:7][4] = 1.0d, v[6:7][8] = 3.375d, v[6:7][16] = 5.75d, v[6:7][31] = 5.75d
// expect: v[6:7][32] = 1.0d, v[6:7][47] = 1.0d, v[6:7][48] = 20.0d, v8[0] = 2.375f, v8[5] = 1.0f, v8[63] = 19.0f
// expect: v[10:11][0] = 1.0d, v[10:11][16] = -6.0d, v[10:11][20] = 1.0d, v[10:11][24] = -6.0d, v[10:11][63] = -24.0d
// clobbers: v[6:7], v8, v[10:11]
  v_fmac_f64_dpp v[6:7], v[0:1], v[4:5] row_newbcast:3 row_mask:0xf bank_mask:0xf
  v_cvt_f32_f64_dpp v8, v[0:1] row_newbcast:3 row_mask:0xf bank_mask:0xf
  v_ceil_f64_dpp v[10:11], -v[0:1] row_newbcast:8 row_mask:0xe bank_mask:0xd
  s_endpgm
