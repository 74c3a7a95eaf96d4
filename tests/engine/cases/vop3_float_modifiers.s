// VOP3 input modifiers (neg, abs), output modifiers (omod) and clamp on f32, f16 and f64.
// targets: gfx803 gfx900 gfx906
// case: neg and abs on f32
// init: v1 = 2.5f, v2 = -1.5f, s4 = 1.0f, s5 = -4.0f, s[8:9] = 1
// expect: v10 = -4.0f, v11 = 4.0f, v12 = 1.0f, v13 = -3.75f, v14 = -2.25f, v15 = 1.5f, v16 = 6.5f, v17[0] = 1.5f, v17[1..63] = -2.5f
// expect: v18 = -2.5f, v19 = 6.0f
  v_add_f32_e64 v10, -v1, v2
  v_add_f32_e64 v11, |v2|, v1
  v_add_f32_e64 v12, -|v2|, v1
  v_mul_f32_e64 v13, -v1, -v2
  v_subrev_f32_e64 v13, 0, v13
  v_sub_f32_e64 v13, v13, 0
  v_fma_f32 v14, -v1, |v2|, -v2
  v_add_f32_e64 v15, -s4, v1
  v_add_f32_e64 v16, |s5|, v1
  v_cndmask_b32_e64 v17, -v1, |v2|, s[8:9]
  v_max_f32_e64 v18, -v1, -|s5|
  v_fma_f32 v19, |s5|, -v2, 0
  s_endpgm

// case: neg and abs keep NaN payloads apart from the sign
// init: v1 = 0x7fc12345, v2 = 0, s[8:9] = 0
// expect: v10 = 0xffc12345, v11 = 0x7fc12345, v12 = 0x80000000
  v_cndmask_b32_e64 v10, -v1, v2, s[8:9]
  v_cndmask_b32_e64 v11, |v1|, v2, s[8:9]
  v_cndmask_b32_e64 v12, -v2, v2, s[8:9]
  s_endpgm

// case: neg and abs on f64
// init: v[2:3] = 2.5d, v[4:5] = -1.5d, s[4:5] = -4.0d
// expect: v[10:11] = -4.0d, v[12:13] = 1.0d, v[14:15] = -3.75d, v[16:17] = 6.5d, v[18:19] = 2.25d, v[2:3] = -2.5d
  v_add_f64 v[10:11], -v[2:3], v[4:5]
  v_add_f64 v[12:13], -|v[4:5]|, v[2:3]
  v_mul_f64 v[14:15], v[2:3], v[4:5]
  v_add_f64 v[16:17], |s[4:5]|, v[2:3]
  v_fma_f64 v[18:19], -v[2:3], v[4:5], v[4:5]
  v_add_f64 v[2:3], -v[2:3], 0
  s_endpgm

// case: neg and abs on f16
// init: v1 = 2.5h, v2 = 0xabcdbe00, s4 = 0xbc00
// expect: v10 = 0xc400, v11 = 4.0h, v12 = 1.0h, v13 = 3.5h, v2 = 1.5h
  v_add_f16_e64 v10, -v1, v2
  v_add_f16_e64 v11, |v2|, v1
  v_add_f16_e64 v12, -|v2|, v1
  v_add_f16_e64 v13, |s4|, v1
  v_add_f16_e64 v2, -v2, 0
  s_endpgm

// case: omod on f32 when denormals are flushed
// init: mode = 0x1c0, v1 = 2.5f, v2 = -1.5f, v3 = 0x80000000, v4 = 0x01000000, v5 = 3.0e38f
// expect: v10 = -7.5f, v11 = -15.0f, v12 = -1.875f, v13 = 0.5f, v14 = 1.0f, v15 = 0, v16 = 0, v17 = 0x7f800000, v18 = 5.0f
// expect: v19 = -0.75f
  v_mul_f32_e64 v10, v1, v2 mul:2
  v_mul_f32_e64 v11, v1, v2 mul:4
  v_mul_f32_e64 v12, v1, v2 div:2
  v_add_f32_e64 v13, v1, v2 clamp div:2
  v_add_f32_e64 v14, v1, v2 clamp mul:4
  v_mul_f32_e64 v15, v3, 1.0 mul:2
  v_mul_f32_e64 v16, 0.5, v4 div:2
  v_mul_f32_e64 v17, v5, 1.0 mul:2
  v_mad_f32 v18, v1, 1.0, 0 mul:2
  v_max_f32_e64 v19, v2, v2 div:2
  s_endpgm

// case: omod does nothing while f32 denormals are kept
// init: mode = 0x1f0, v1 = 2.5f, v2 = -1.5f, v3 = 0x80000000, v4 = 0.25f
// expect: v10 = -3.75f, v11 = -3.75f, v12 = 0x80000000, v13 = 0.5f
  v_mul_f32_e64 v10, v1, v2 mul:2
  v_mul_f32_e64 v11, v1, v2 div:2
  v_mul_f32_e64 v12, v3, 1.0 mul:4
  v_add_f32_e64 v13, v4, v4 clamp mul:4
  s_endpgm

// case: omod does nothing in IEEE mode
// init: mode = 0x3c0, v1 = 2.5f, v2 = -1.5f
// expect: v10 = -3.75f
  v_mul_f32_e64 v10, v1, v2 mul:2
  s_endpgm

// case: omod on f16 and f64 when their denormals are flushed
// init: mode = 0x130, v1 = 1.5h, v2 = 2.0h, v[4:5] = 2.5d, v[6:7] = -1.5d, v3 = 0x8000, v[8:9] = 0x8000000000000000
// expect: v10 = 6.0h, v11 = 12.0h, v12 = 1.5h, v[14:15] = -7.5d, v[16:17] = -1.875d, v18 = 0, v[20:21] = 0, v22 = 1.0h
  v_mul_f16_e64 v10, v1, v2 mul:2
  v_mul_f16_e64 v11, v1, v2 mul:4
  v_mul_f16_e64 v12, v1, v2 div:2
  v_mul_f64 v[14:15], v[4:5], v[6:7] mul:2
  v_mul_f64 v[16:17], v[4:5], v[6:7] div:2
  v_mul_f16_e64 v18, v3, 1.0 mul:2
  v_mul_f64 v[20:21], v[8:9], 1.0 mul:4
  v_mul_f16_e64 v22, v1, v2 clamp div:2
  s_endpgm

// case: clamp turns NaN into 0 with DX10_CLAMP
// init: mode = 0x1f0, v1 = 0.25f, v1[0..5] = {-1.0f 0.5f 2.0f 0x7fc00000 0x7f800000 0xff800000}
// expect: v10[0..5] = {0 0.5f 1.0f 0 1.0f 0}, v10[6..63] = 0.25f, v11[0..5] = {0 0.5f 1.0f 0 1.0f 0}, v11[6..63] = 0.25f
  v_mul_f32_e64 v10, 1.0, v1 clamp
  v_max_f32_e64 v11, v1, v1 clamp
  s_endpgm

// case: clamp passes NaN without DX10_CLAMP
// init: mode = 0x0f0, v1 = 0.25f, v1[0..5] = {-1.0f 0.5f 2.0f 0x7fc00000 0x7f800000 0xff800000}
// expect: v10[0..5] = {0 0.5f 1.0f 0x7fc00000 1.0f 0}, v10[6..63] = 0.25f
  v_mul_f32_e64 v10, 1.0, v1 clamp
  s_endpgm

// case: clamp on f16
// init: mode = 0x1f0, v1 = 0.25h, v1[0..5] = {-1.0h 0.5h 2.0h 0x7e00 0x7c00 0xfc00}
// expect: v10[0..5] = {0 0.5h 1.0h 0 1.0h 0}, v10[6..63] = 0.25h
  v_mul_f16_e64 v10, 1.0, v1 clamp
  s_endpgm

// case: clamp on f16 without DX10_CLAMP
// init: mode = 0x0f0, v1 = 0.25h, v1[0..5] = {-1.0h 0.5h 2.0h 0x7e00 0x7c00 0xfc00}
// expect: v10[0..5] = {0 0.5h 1.0h 0x7e00 1.0h 0}, v10[6..63] = 0.25h
  v_mul_f16_e64 v10, 1.0, v1 clamp
  s_endpgm

// case: clamp on f64
// init: mode = 0x1f0, v[2:3] = 0.25d, v[2:3][0..5] = {-1.0d 0.5d 2.0d 0x7ff8000000000000 0x7ff0000000000000 0xfff0000000000000}
// expect: v[10:11][0..5] = {0 0.5d 1.0d 0 1.0d 0}, v[10:11][6..63] = 0.25d
  v_mul_f64 v[10:11], 1.0, v[2:3] clamp
  s_endpgm

// case: clamp on f64 without DX10_CLAMP
// init: mode = 0x0f0, v[2:3] = 0.25d, v[2:3][0..3] = {-1.0d 0.5d 2.0d 0x7ff8000000000000}
// expect: v[10:11][0..3] = {0 0.5d 1.0d 0x7ff8000000000000}, v[10:11][4..63] = 0.25d
  v_mul_f64 v[10:11], 1.0, v[2:3] clamp
  s_endpgm

// case: modifiers and partial EXEC leave other lanes alone
// init: exec = 0x8000000000000001, v1 = 2.5f, v2 = -1.5f, v[4:5] = 2.5d
// expect: v10[0] = 1.0f, v10[63] = 1.0f, v[12:13][0] = -2.5d, v[12:13][63] = -2.5d, v14[0] = 0x80000000, v14[63] = 0x80000000
  v_add_f32_e64 v10, -|v2|, v1 clamp
  v_add_f64 v[12:13], -v[4:5], 0
  v_mul_f32_e64 v14, v2, 0
  s_endpgm
