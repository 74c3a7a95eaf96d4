// The MODE register: rounding and denormals of 32-bit operations, and apart from them those of 16- and 64-bit ones; s_getreg and
// s_setreg of fields.
// case: rounding of f32 changes at once, f64 keeps its own
// targets: gfx803 gfx900 gfx906
// init: mode = 0x1f0, v1 = 1.0f, v2 = 0x33000000, v[4:5] = 1.0d, v[6:7] = 0x3c90000000000000
// expect: v10 = 0x3f800000, v11 = 0x3f800001, v12 = 0x3f800000, v13 = 0x3f800000, v[20:21] = 0x3ff0000000000000, v[22:23] = 0x3ff0000000000000, v[24:25] = 0x3ff0000000000001
// expect: v14 = 0x3f800000, v15 = 0xbf800001, mode = 0x1f4
  v_add_f32 v10, v1, v2
  v_add_f64 v[20:21], v[4:5], v[6:7]
  s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), 1
  v_add_f32 v11, v1, v2
  v_add_f64 v[22:23], v[4:5], v[6:7]
  s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), 2
  v_add_f32 v12, v1, v2
  v_sub_f32 v15, -1.0, v2
  s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), 3
  v_add_f32 v13, v1, v2
  s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 4
  v_add_f32 v14, v1, v2
  v_add_f64 v[24:25], v[4:5], v[6:7]
  s_endpgm
// case: rounding of f16 goes with f64
// targets: gfx803 gfx900 gfx906
// init: mode = 0x1f0, v1 = 1.0h, v2 = 0x1000, v3 = 0x3f801000
// expect: v10 = 0x3c00, v11 = 0x3c01, v12 = 0x3c00, v13 = 0x3c00, v14 = 0x3c01, v15 = 0xbc01, mode = 0x1f8
  v_add_f16 v10, v1, v2
  s_setreg_imm32_b32 hwreg(HW_REG_MODE, 2, 2), 1
  v_add_f16 v11, v1, v2
  v_cvt_f16_f32 v14, v3
  s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 1
  v_add_f16 v12, v1, v2
  v_cvt_f16_f32 v13, v3
  s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 8
  v_sub_f16 v15, -1.0, v2
  s_endpgm
// case: packed halves round as halves do
// targets: gfx900 gfx906
// init: mode = 0x1f4, v1 = 0x3c003c00, v2 = 0x8c001000, v3 = 0x10001000, v4 = 0x3c003c00
// expect: v10 = 0x3c003c01, v11 = 0x3c013c01
  v_pk_add_f16 v10, v1, v2
  v_pk_fma_f16 v11, v1, v4, v3
  s_endpgm
// case: denormals of f32
// targets: gfx803 gfx900 gfx906
// init: mode = 0x1f0, v1 = 0x00800000, v2 = 0x00000001, v3 = 1.0f
// expect: v10 = 0x00400000, v11 = 0x00000001, v12 = 0, v13 = 0, v14 = 0x00400000, v15 = 0, v16 = 0, v17 = 0x00000001, v18 = 0x01000000, mode = 0x1d0
  v_mul_f32 v10, 0.5, v1
  v_add_f32 v11, 0, v2
  s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 0
  v_mul_f32 v12, 0.5, v1
  v_add_f32 v13, 0, v2
  s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 2
  v_mul_f32 v14, 0.5, v1
  v_add_f32 v15, 0, v2
  s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 1
  v_mul_f32 v16, 0.5, v1
  v_mov_b32 v17, v2
  v_mul_f32 v18, 2.0, v1
  s_endpgm
// case: denormals of f64 and f16 are the other field
// targets: gfx803 gfx900 gfx906
// init: mode = 0x130, v[2:3] = 0x0010000000000000, v4 = 0x0400, v5 = 0x00800000
// expect: v[10:11] = 0, v12 = 0, v13 = 0x00400000, v[14:15] = 0x0008000000000000, v16 = 0x0200, v17 = 0, mode = 0x1c0
  v_mul_f64 v[10:11], v[2:3], 0.5
  v_mul_f16 v12, 0.5, v4
  v_mul_f32 v13, 0.5, v5
  s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 4), 12
  v_mul_f64 v[14:15], v[2:3], 0.5
  v_mul_f16 v16, 0.5, v4
  v_mul_f32 v17, 0.5, v5
  s_endpgm
// case: v_mad flushes, v_fma does not
// targets: gfx803 gfx900
// init: mode = 0x1f0, v1 = 0x00800000
// expect: v10 = 0, v11 = 0x00400000
  v_mad_f32 v10, v1, 0.5, 0
  v_fma_f32 v11, v1, 0.5, 0
  s_endpgm
// case: v_mad rounds twice, v_fma once
// targets: gfx803 gfx900
// init: mode = 0x1c0, v1 = 0x3f800001, v2 = 0x3f7ffffe, v3 = -1.0f
// expect: v10 = 0, v11 = 0xa8800000
  v_mad_f32 v10, v1, v2, v3
  v_fma_f32 v11, v1, v2, v3
  s_endpgm
// case: fields of hardware registers
// targets: gfx803 gfx900 gfx906
// init: mode = 0x1f0, s4 = 0xabcd, scc = 1, exec = 0xff
// expect: s20 = 0x1f0, s21 = 0xf, s22 = 1, s23 = 0x1d0, mode = 0x1d4, s24 = 1, s25 = 0
  s_getreg_b32 s20, hwreg(HW_REG_MODE)
  s_getreg_b32 s21, hwreg(HW_REG_MODE, 4, 4)
  s_getreg_b32 s22, hwreg(HW_REG_MODE, 8, 1)
  s_setreg_b32 hwreg(HW_REG_MODE, 4, 2), s4
  s_getreg_b32 s23, hwreg(HW_REG_MODE)
  s_setreg_imm32_b32 hwreg(HW_REG_MODE, 2, 1), 0xffffffff
  s_getreg_b32 s24, hwreg(HW_REG_STATUS, 0, 1)
  s_getreg_b32 s25, hwreg(HW_REG_STATUS, 9, 1)
  s_endpgm
// case: IEEE mode quiets what minimum and maximum pass on
// targets: gfx900
// init: mode = 0x1f0, v1 = 0x7f800001, v2 = 1.0f
// expect: v10 = 1.0f, v11 = 0x7fc00001, v12 = 1.0f, mode = 0x3f0
// init: v3 = 0x7fc00000
  v_min_f32 v10, v1, v2
  s_setreg_imm32_b32 hwreg(HW_REG_MODE, 9, 1), 1
  v_min_f32 v11, v1, v2
  v_max_f32 v12, v3, v2
  s_endpgm
// case: f64 to f32 rounds by the 64-bit field
// targets: gfx803 gfx900 gfx906
// init: mode = 0x1f4, v[2:3] = 0x3ff0000000000001
// expect: v10 = 0x3f800001, v11 = 0x3f800000, mode = 0x1f1
  v_cvt_f32_f64 v10, v[2:3]
  s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 1
  v_cvt_f32_f64 v11, v[2:3]
  s_endpgm
// case: denormals of f16 allowed in, not out
// targets: gfx803 gfx900 gfx906
// init: mode = 0x170, v1 = 0x0001, v2 = 0x0400, v3 = 0x35800000, v4 = 0, v5 = 1.0h
// expect: v10 = 0, v11 = 0x0400, v12 = 0, v13 = 0, v14 = 0, v15 = 0, v16 = 0x3c01, s[4:5] = 0xffffffffffffffff
// init: v6 = 0x1001
  v_add_f16 v10, v1, v4
  v_mul_f16 v11, 0x6400, v1
  v_mul_f16 v12, 0.5, v2
  v_cvt_f16_f32 v13, v3
  v_max_f16 v14, v1, v4
  v_fma_f16 v15, v1, 1.0, 0
  v_and_b32 v15, 0xffff, v15
  v_add_f16 v16, v5, v6
  v_cmp_gt_f16_e64 s[4:5], v1, 0
  s_endpgm
// case: denormals of f16 allowed out, not in
// targets: gfx803 gfx900 gfx906
// init: mode = 0x1b0, v1 = 0x0001, v2 = 0x0400, v3 = 0x35800000, v4 = 0
// expect: v10 = 0, v11 = 0, v12 = 0x0200, v13 = 0x0010, v14 = 0, v15 = 0x0200, s[4:5] = 0
  v_add_f16 v10, v1, v4
  v_mul_f16 v11, 0x6400, v1
  v_mul_f16 v12, 0.5, v2
  v_cvt_f16_f32 v13, v3
  v_max_f16 v14, v1, v4
  v_fma_f16 v15, v2, 0.5, 0
  v_and_b32 v15, 0xffff, v15
  v_cmp_gt_f16_e64 s[4:5], v1, 0
  s_endpgm
// case: denormals of f32 minima on one side
// targets: gfx900 gfx906
// init: mode = 0x1d0, v1 = 0x00000001, v2 = 0x80000001, v3 = 0x7fc00000
// expect: v10 = 0, v11 = 0x80000000, v12 = 0, v13 = 0, v14 = 0x80000000, mode = 0x1e0
  v_max_f32 v10, v1, v2
  v_min_f32 v11, v1, v2
  v_med3_f32 v12, v1, v2, 1.0
  s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 2
  v_max_f32 v13, v1, v2
  v_min_f32 v14, v1, v2
  s_endpgm
// case: rounding down makes no -0 of an integer 0, of a scalar neither
// targets: gfx701 gfx803 gfx900 gfx906 gfx90a
// init: mode = 0x1fa, s4 = 0x00ffffff, s5 = 0, s6 = 0xff000000, v1 = 0x00ffffff, v2 = 0
// expect: v10 = 0, v11 = 0, v12 = 0, v13 = 0, v14 = 0, v15 = 0, v[16:17] = 0, v[18:19] = 0, v20 = 255.0f, v21 = 0, v22 = 0
  v_cvt_f32_ubyte3 v10, s4
  v_cvt_f32_ubyte3 v11, v1
  v_cvt_f32_ubyte0 v12, s5
  v_cvt_f32_u32 v13, s5
  v_cvt_f32_u32 v14, v2
  v_cvt_f32_i32 v15, s5
  v_cvt_f64_u32 v[16:17], s5
  v_cvt_f64_u32 v[18:19], v2
  v_cvt_f32_ubyte3 v20, s6
  v_cvt_f32_ubyte1 v21, s5
  v_cvt_f32_ubyte2 v22, s6
  s_endpgm
