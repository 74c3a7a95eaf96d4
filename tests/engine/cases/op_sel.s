// OP_SEL of packed and of 16-bit operations, neg_lo and neg_hi, and what becomes of the other half. Halves: v1 = (2, 1), v2 = (4, 3).
// targets: gfx900 gfx906
// case: packed halves
// init: v1 = 0x40003c00, v2 = 0x44004200, v3 = 0xc0003c00
// expect: v10 = 0x46004400, v11 = 0x45004500, v12 = 0x44004600, v13 = 0x44004400, v14 = 0x46004000, v15 = 0xc0004400
// expect: v16 = 0x46003c00, v17 = 0x48004200, v18 = 0x46004400, v19 = 0xc4004400, v20 = 0x38000000
  v_pk_add_f16 v10, v1, v2
  v_pk_add_f16 v11, v1, v2 op_sel:[1,0] op_sel_hi:[0,1]
  v_pk_add_f16 v12, v1, v2 op_sel:[1,1] op_sel_hi:[0,0]
  v_pk_add_f16 v13, v1, v2 op_sel_hi:[0,0]
  v_pk_add_f16 v14, v1, v2 neg_lo:[1,0]
  v_pk_add_f16 v15, v1, v2 neg_hi:[0,1]
  v_pk_add_f16 v16, v1, v2 op_sel:[1,0] neg_lo:[1,0]
  v_pk_mul_f16 v17, v1, v2
  v_pk_fma_f16 v18, v1, v2, v3
  v_pk_fma_f16 v19, v1, v2, v3 op_sel_hi:[1,0,1] neg_hi:[1,0,1]
  v_pk_fma_f16 v20, v1, 0.5, -0.5 op_sel_hi:[1,0,0] neg_lo:[1,0,1]
  s_endpgm
// case: packed integers and inline constants
// init: v1 = 0x00010002, v2 = 0x00100020, v3 = 0x80004000
// expect: v10 = 0x00110022, v11 = 0x00010003, v12 = 0x00020003, v13 = 0x00000001, v14 = 0x00100020, v15 = 0x00200010, v16 = 0xf8000400
// expect: v17 = 0x40003c00, v18 = 0x00003c00, v19 = 0x08000400, v20 = 0x00100040
  v_pk_add_u16 v10, v1, v2
  v_pk_add_u16 v11, v1, 1
  v_pk_add_u16 v12, v1, 1 op_sel_hi:[1,0]
  v_pk_add_u16 v13, v1, -1
  v_pk_lshlrev_b16 v14, 4, v1 op_sel_hi:[0,1]
  v_pk_lshlrev_b16 v15, 4, v1 op_sel:[0,1] op_sel_hi:[0,0]
  v_pk_ashrrev_i16 v16, 4, v3 op_sel_hi:[0,1]
  v_mov_b32 v17, 0x40003c00
  v_pk_mul_f16 v18, v17, 1.0
  v_pk_lshrrev_b16 v19, 4, v3 op_sel_hi:[0,1]
  v_pk_mul_lo_u16 v20, v1, v2
  s_endpgm
// case: packed with SGPRs, and destination over source
// init: v1 = 0x40003c00, s4 = 0x44004200
// expect: v10 = 0x46004400, v1 = 0x40004400
  v_pk_add_f16 v10, v1, s4
  v_pk_add_f16 v1, v1, v1 op_sel:[1,1] op_sel_hi:[0,0]
  s_endpgm
// case: packed clamp
// init: v1 = 0x4000b800, v2 = 0x00003400, mode = 0x1f0
// expect: v10 = 0x3c000000, v11 = 0x3c003400
  v_pk_add_f16 v10, v1, v2 clamp
  v_pk_max_f16 v11, v1, v2 clamp
  s_endpgm
// case: 16-bit operations that keep the other half
// init: v1 = 0x40003c00, v2 = 0x44004200, v3 = 0x00003c00, v10 = 0xaaaabbbb, v11 = 0xaaaabbbb, v12 = 0xaaaabbbb, v13 = 0xaaaabbbb
// init: v14 = 0xaaaabbbb, v15 = 0xaaaabbbb, v16 = 0xaaaabbbb
// expect: v10 = 0xaaaa4400, v11 = 0x4700bbbb, v12 = 0xaaaa4500, v13 = 0xbc00bbbb, v14 = 0xaaaa4400, v15 = 0x0007bbbb, v16 = 0xaaaa0007
  v_mad_f16 v10, v1, v2, v3
  v_mad_f16 v11, v1, v2, v3 op_sel:[1,0,0,1]
  v_fma_f16 v12, v1, v2, v3 op_sel:[0,1,0,0]
  v_fma_f16 v13, -v1, v2, v1 op_sel:[0,0,1,1]
  v_fma_f16 v14, v1, v2, |v3|
  v_mov_b32 v20, 0x00020003
  v_mad_u16 v15, v20, v20, 1 op_sel:[1,0,0,1]
  v_mad_i16 v16, v20, v20, 1 op_sel:[1,0,0,0]
// clobbers: v20
  s_endpgm
// case: destination half over source
// init: v1 = 0x40003c00, v2 = 0x44004200
// expect: v1 = 0x46003c00, v2 = 0x44004400
  v_fma_f16 v2, v1, v2, v1
  v_mov_b32 v2, 0x44004200
  v_fma_f16 v1, v1, v2, v1 op_sel:[0,1,1,1]
  v_fma_f16 v2, v2, 1.0, 1.0
  s_endpgm
// case: selected sources of operations that fill the register
// init: v1 = 0x40003c00, v2 = 0x44004200, v3 = 0x00070003, v4 = 0x0005fffe, v5 = 100
// expect: v10 = 0x42004000, v11 = 0x44003c00, v12 = 0x42004400, v13 = 121, v14 = 135, v15 = 94, v16 = 0xc2004000
  v_pack_b32_f16 v10, v1, v2 op_sel:[1,0]
  v_pack_b32_f16 v11, v1, v2 op_sel:[0,1]
  v_pack_b32_f16 v12, v2, v2 op_sel:[1,0]
  v_mad_u32_u16 v13, v3, v3, v5 op_sel:[1,0,0,0]
  v_mad_u32_u16 v14, v3, v4, v5 op_sel:[1,1,0,0]
  v_mad_i32_i16 v15, v3, v4, v5
  v_pack_b32_f16 v16, v1, -v2 op_sel:[1,0]
  s_endpgm
// case: high destination of sums
// init: v1 = 0x00050003, v2 = 0x00700010, v10 = 0xaaaabbbb, v11 = 0xaaaabbbb
// expect: v10 = 0x0013bbbb, v11 = 0x0075bbbb
  v_add_i16 v10, v1, v2 op_sel:[0,0,1]
  v_add_i16 v11, v1, v2 op_sel:[1,1,1]
  s_endpgm
// case: three-operand 16-bit minimum and median, low halves
// init: v1 = 0x00050003, v2 = 0x00700010, v3 = 0xfff0fff0, v4 = 0x40003c00, v5 = 0x44004200, v6 = 0xc400c200
// expect: v10 = 0xfff0, v11 = 5, v12 = 0x10, v13 = 0xc200, v14 = 0x4000
  v_min3_i16 v10, v1, v2, v3
  v_and_b32 v10, 0xffff, v10
  v_med3_i16 v11, v1, v2, v3 op_sel:[1,1,0,0]
  v_and_b32 v11, 0xffff, v11
  v_med3_u16 v12, v1, v2, v3
  v_and_b32 v12, 0xffff, v12
  v_min3_f16 v13, v4, v5, v6
  v_and_b32 v13, 0xffff, v13
  v_med3_f16 v14, v4, v5, v6 op_sel:[1,1,0,0]
  v_and_b32 v14, 0xffff, v14
  s_endpgm
