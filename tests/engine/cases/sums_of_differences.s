// Sums of absolute differences over windows of eight bytes: v_mqsad_u32_u8 has operands of four registers. CLAMP on these and on
// carries and 64-bit sums.
// case: four sums in four registers
// targets: gfx803 gfx900 gfx906
// init: v[2:3] = 0x0807060504030201, v4 = 0x04000201, v5 = 0x04030201, v20 = 100, v21 = 200, v22 = 300, v23 = 0xfffffffe, s[6:7] = 0x0807060504030201, exec = 0xff
// expect: v10[0..7] = 100, v11[0..7] = 203, v12[0..7] = 306, v13[0..7] = 7, v14[0..7] = 100, v15[0..7] = 204, v16[0..7] = 308, v17[0..7] = 0xffffffff
// expect: v24[0..7] = 4, v25[0..7] = 8, v26[0..7] = 12, v27[0..7] = 16
  v_mqsad_u32_u8 v[10:13], v[2:3], v4, v[20:23]
  v_mqsad_u32_u8 v[14:17], s[6:7], v5, v[20:23] clamp
  v_mov_b32 v24, 4
  v_mov_b32 v25, 4
  v_mov_b32 v26, 4
  v_mov_b32 v27, 4
  v_mqsad_u32_u8 v[24:27], v[2:3], v5, v[24:27]
  s_endpgm
// case: quad sums saturate their 16 bits
// targets: gfx803 gfx900 gfx906
// init: v[2:3] = 0x0807060504030201, v5 = 0x04030201, v[20:21] = 0xfff8fff8fff80001
// expect: v[10:11] = 0xfffffffffffc0001, v[12:13] = 0x00040000fffc0001, v[14:15] = 0xfffffffefffb0001
// init: v6 = 0x04000201
  v_qsad_pk_u16_u8 v[10:11], v[2:3], v5, v[20:21] clamp
  v_qsad_pk_u16_u8 v[12:13], v[2:3], v5, v[20:21]
  v_mqsad_pk_u16_u8 v[14:15], v[2:3], v6, v[20:21] clamp
  v_mov_b32 v6, 0x04000201
  s_endpgm
// case: carries and borrows saturate
// targets: gfx900 gfx906
// init: v1 = 0xffffffff, v2 = 0, v3 = 5, s[4:5] = 0x00000000ffffffff
// expect: v10[0..31] = 0xffffffff, v10[32..63] = 0xffffffff, s[6:7] = 0x00000000ffffffff, v11[0..31] = 0, v11[32..63] = 0, s[8:9] = 0x00000000ffffffff, v12[0..31] = 0, v12[32..63] = 0, s[10:11] = 0x00000000ffffffff
// expect: v13[0..31] = 6, v13[32..63] = 5, s[12:13] = 0
  v_addc_co_u32_e64 v10, s[6:7], v1, v2, s[4:5] clamp
  v_subb_co_u32_e64 v11, s[8:9], v2, v2, s[4:5] clamp
  v_subbrev_co_u32_e64 v12, s[10:11], v2, v2, s[4:5] clamp
  v_addc_co_u32_e64 v13, s[12:13], v3, v2, s[4:5] clamp
  s_endpgm
// case: 64-bit sums saturate
// targets: gfx803 gfx900 gfx906
// init: v1 = 0xffffffff, v2 = 0x7fffffff, v3 = 0x80000000, v[4:5] = 0xffffffffffffffff, v[6:7] = 0x7fffffffffffffff, v[8:9] = 0x8000000000000000, v20 = 2
// expect: v[10:11] = 0xffffffffffffffff, v[12:13] = 0x7fffffffffffffff, v[14:15] = 0x8000000000000000, v[16:17] = 0x7ffffffffffffffd, vcc = 0
  v_mad_u64_u32 v[10:11], vcc, v1, v1, v[4:5] clamp
  v_mad_i64_i32 v[12:13], vcc, v2, v2, v[6:7] clamp
  v_mad_i64_i32 v[14:15], vcc, v2, v3, v[8:9] clamp
  v_mad_i64_i32 v[16:17], vcc, v1, v20, v[6:7] clamp
  s_mov_b64 vcc, 0
  s_endpgm
// case: conversions are in range as they are
// targets: gfx803 gfx900 gfx906
// init: v1 = 1e20f, v2 = -3.5f
// expect: v10 = 0x7fffffff, v11 = 0, v12 = 0xfffffffd, v13 = 0xffffffff
  v_cvt_i32_f32_e64 v10, v1 clamp
  v_cvt_u32_f32_e64 v11, v2 clamp
  v_cvt_i32_f32_e64 v12, v2 clamp
  v_cvt_u32_f32_e64 v13, v1 clamp
  s_endpgm
// case: 24-bit operations ignore the upper bits
// targets: gfx803 gfx900 gfx906
// init: v1 = 0xab000003, v2 = 0xcd000005, v3 = 0x12ffffff, v4 = 0x34800000, v5 = 10
// expect: v10 = 15, v11 = 0xfffffffb, v12 = 0xff800000, v13 = 25, v14 = 5, v15 = 0xfffffffd, v16 = 0xffff, v17 = 0
  v_mul_u32_u24 v10, v1, v2
  v_mul_i32_i24 v11, v3, v2
  v_mul_i32_i24 v12, v4, 1
  v_mad_u32_u24 v13, v1, v2, v5
  v_mad_i32_i24 v14, v3, v2, v5
  v_mul_i32_i24 v15, v3, v1
  v_mul_hi_u32_u24 v16, v3, v3
  v_mul_hi_i32_i24 v17, v3, v3
  s_endpgm
