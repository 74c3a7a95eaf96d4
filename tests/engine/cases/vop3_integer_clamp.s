// CLAMP on integer operations: the result saturates.
// targets: gfx900 gfx906
// case: 32-bit sums
// init: v1 = 0xfffffff0, v2 = 0x20, v3 = 5, v4 = 7, v5 = 0x7fffffff, v6 = 0x80000000, v7 = 1
// expect: v10 = 0xffffffff, v11 = 0, v12 = 2, v13 = 0x7fffffff, v14 = 0x80000000, v15 = 0, v16 = 0x10, v17 = 0x7fffffff
  v_add_u32_e64 v10, v1, v2 clamp
  v_sub_u32_e64 v11, v3, v4 clamp
  v_subrev_u32_e64 v12, v3, v4 clamp
  v_add_i32 v13, v5, v7 clamp
  v_sub_i32 v14, v6, v7 clamp
  v_subrev_u32_e64 v15, v4, v3 clamp
  v_add_u32_e64 v16, v1, v2
  v_sub_i32 v17, v5, v6 clamp
  s_endpgm
// case: 16-bit sums
// init: v1 = 0xfff0, v2 = 0x20, v3 = 0x7fff, v4 = 0x8000, v5 = 1, v13 = 0xaaaabbbb, v14 = 0xaaaabbbb
// expect: v10 = 0xffff, v11 = 0, v12 = 0xffd0, v13 = 0xaaaa7fff, v14 = 0xaaaa8000
  v_add_u16_e64 v10, v1, v2 clamp
  v_sub_u16_e64 v11, v2, v1 clamp
  v_subrev_u16_e64 v12, v2, v1 clamp
  v_add_i16 v13, v3, v5 clamp
  v_sub_i16 v14, v4, v5 clamp
  s_endpgm
// case: packed sums
// init: v1 = 0xfff07fff, v2 = 0x00200001, v3 = 0x80000005, v4 = 0x00010007
// expect: v10 = 0xffff8000, v11 = 0x00107fff, v12 = 0x7fff0000, v13 = 0x8000fffe
  v_pk_add_u16 v10, v1, v2 clamp
  v_pk_add_i16 v11, v1, v2 clamp
  v_pk_sub_u16 v12, v3, v4 clamp
  v_pk_sub_i16 v13, v3, v4 clamp
  s_endpgm
// case: 16-bit multiply-add keeps the other half
// init: v1 = 0xffff, v2 = 2, v3 = 1, v4 = 0x7fff, v5 = 0x8000, v10 = 0xaaaabbbb, v11 = 0xaaaabbbb, v12 = 0xaaaabbbb
// expect: v10 = 0xaaaaffff, v11 = 0xaaaa7fff, v12 = 0xaaaa8000
  v_mad_u16 v10, v1, v2, v3 clamp
  v_mad_i16 v11, v4, v2, v3 clamp
  v_mad_i16 v12, v5, v2, v3 clamp
  s_endpgm
// case: 24-bit multiply-add
// init: v1 = 0xffffff, v2 = 0xffffff, v3 = 5, v4 = 0x7fffff, v5 = 0x800000
// expect: v10 = 0xffffffff, v11 = 0x7fffffff, v12 = 0x80000000, v13 = 0x1000004
  v_mad_u32_u24 v10, v1, v2, v3 clamp
  v_mad_i32_i24 v11, v4, v4, v3 clamp
  v_mad_i32_i24 v12, v4, v5, v3 clamp
  v_mad_u32_u24 v13, v1, 1, v3 clamp
  s_endpgm
// case: 24-bit multiply
// init: v1 = 0xffffff, v2 = 0x7fffff, v3 = 0x800000
// expect: v10 = 0xffffffff, v11 = 0x7fffffff, v12 = 0x80000000
  v_mul_u32_u24_e64 v10, v1, v1 clamp
  v_mul_i32_i24_e64 v11, v2, v2 clamp
  v_mul_i32_i24_e64 v12, v2, v3 clamp
  s_endpgm
// case: 16-bit factors, 32-bit sum
// init: v1 = 0xffff, v2 = 0xffffffff, v3 = 0x7fff, v4 = 0x7fffffff
// expect: v10 = 0xffffffff, v11 = 0x7fffffff
  v_mad_u32_u16 v10, v1, v1, v2 clamp
  v_mad_i32_i16 v11, v3, v3, v4 clamp
  s_endpgm
// case: packed multiply-add
// init: v1 = 0x7fff0002, v2 = 0x00020003, v3 = 0x00010001
// expect: v10 = 0xffff0007, v11 = 0x7fff0007
  v_pk_mad_u16 v10, v1, v2, v3
  v_pk_mad_i16 v11, v1, v2, v3 clamp
  s_endpgm
// case: dot products
// targets: gfx906
// init: v1 = 0x7f7f7f7f, v2 = 0x7fffffff, v3 = 0xffffffff, v4 = 0x80808080, v5 = 0x80000000, v6 = 0x7fff7fff, v7 = 0x77777777
// expect: v10 = 0x7fffffff, v11 = 0xffffffff, v12 = 0x80000000, v13 = 0x7fffffff, v14 = 0x7fffffff, v15 = 0xffffffff, v16 = 0x8000fc03, v17 = 0xffffffff
  v_dot4_i32_i8 v10, v1, v1, v2 clamp
  v_dot4_u32_u8 v11, v1, v1, v3 clamp
  v_dot4_i32_i8 v12, v1, v4, v5 clamp
  v_dot2_i32_i16 v13, v6, v6, v2 clamp
  v_dot8_i32_i4 v14, v7, v7, v2 clamp
  v_dot8_u32_u4 v15, v7, v7, v3 clamp
  v_dot4_i32_i8 v16, v1, v1, v2
  v_dot2_u32_u16 v17, v3, v3, v3 clamp
  s_endpgm
// case: sums of absolute differences
// init: v1 = 0xff000000, v2 = 0, v3 = 0xfffffff0, v4 = 0xffff0000
// expect: v10 = 0xffffffff, v11 = 0xffffffff, v12 = 0xffffffff, v13 = 0xffffffff, v14 = 0xef, v15 = 0x00ff0000
  v_sad_u8 v10, v1, v2, v3 clamp
  v_sad_u16 v11, v4, v2, v3 clamp
  v_sad_u32 v12, v4, v2, v3 clamp
  v_sad_hi_u8 v13, v1, v2, v3 clamp
  v_sad_u8 v14, v1, v2, v3
  v_sad_hi_u8 v15, v1, v2, v2 clamp
  s_endpgm
// case: a minimum is always in range
// init: v1 = 0x00050003, v2 = 0x00700010, v3 = 0xfff0fff0
// expect: v10 = 0xfff0
  v_min3_i16 v10, v1, v2, v3 clamp
  v_and_b32 v10, 0xffff, v10
  s_endpgm
