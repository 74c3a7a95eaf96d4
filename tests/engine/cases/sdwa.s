// SDWA: source selections and sign extension, destination selections and what becomes of the unused bits.
// case: source selections
// targets: gfx803 gfx900 gfx906
// init: v1 = 0x89abcdef
// expect: v10 = 0xef, v11 = 0xcd, v12 = 0xab, v13 = 0x89, v14 = 0xcdef, v15 = 0x89ab, v16 = 0x89abcdef
  v_mov_b32_sdwa v10, v1 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_0
  v_mov_b32_sdwa v11, v1 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_1
  v_mov_b32_sdwa v12, v1 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_2
  v_mov_b32_sdwa v13, v1 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_3
  v_mov_b32_sdwa v14, v1 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_0
  v_mov_b32_sdwa v15, v1 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
  v_mov_b32_sdwa v16, v1 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:DWORD
  s_endpgm
// case: sign extension of sources
// targets: gfx803 gfx900 gfx906
// init: v1 = 0x89ab7def, v2 = 0x01020304
// expect: v10 = 0xffffffef, v11 = 0x7d, v12 = 0xffffffab, v13 = 0xffffff89, v14 = 0x7def, v15 = 0xffff89ab, v16 = 0xffffffef
// expect: v17 = 0xffffeede
  v_mov_b32_sdwa v10, sext(v1) dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_0
  v_mov_b32_sdwa v11, sext(v1) dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_1
  v_mov_b32_sdwa v12, sext(v1) dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_2
  v_mov_b32_sdwa v13, sext(v1) dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_3
  v_mov_b32_sdwa v14, sext(v1) dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_0
  v_mov_b32_sdwa v15, sext(v1) dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
  v_max_i32_sdwa v16, sext(v1), sext(v1) dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_3 src1_sel:BYTE_0
  v_mul_i32_i24_sdwa v17, sext(v1), v2 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_0 src1_sel:WORD_1
  s_endpgm
// case: destination selections
// targets: gfx803 gfx900 gfx906
// init: v1 = 0x89abcdef, v2 = 4, v10 = 0x11223344, v11 = 0x11223344, v12 = 0x11223344, v13 = 0x11223344, v14 = 0x11223344
// init: v15 = 0x11223344, v16 = 0x11223344, v17 = 0x11223344, v18 = 0x11223344, v19 = 0x11223344, v20 = 0x11223344, v21 = 0x11223344
// expect: v10 = 0xeb, v11 = 0xeb00, v12 = 0xeb0000, v13 = 0xeb000000, v14 = 0x112233eb, v15 = 0x1122eb44, v16 = 0x11eb3344
// expect: v17 = 0xeb223344, v18 = 0xffffffeb, v19 = 0xffffeb00, v20 = 0xffeb0000, v21 = 0xeb000000
  v_xor_b32_sdwa v10, v1, v2 dst_sel:BYTE_0 dst_unused:UNUSED_PAD src0_sel:DWORD src1_sel:DWORD
  v_xor_b32_sdwa v11, v1, v2 dst_sel:BYTE_1 dst_unused:UNUSED_PAD src0_sel:DWORD src1_sel:DWORD
  v_xor_b32_sdwa v12, v1, v2 dst_sel:BYTE_2 dst_unused:UNUSED_PAD src0_sel:DWORD src1_sel:DWORD
  v_xor_b32_sdwa v13, v1, v2 dst_sel:BYTE_3 dst_unused:UNUSED_PAD src0_sel:DWORD src1_sel:DWORD
  v_xor_b32_sdwa v14, v1, v2 dst_sel:BYTE_0 dst_unused:UNUSED_PRESERVE src0_sel:DWORD src1_sel:DWORD
  v_xor_b32_sdwa v15, v1, v2 dst_sel:BYTE_1 dst_unused:UNUSED_PRESERVE src0_sel:DWORD src1_sel:DWORD
  v_xor_b32_sdwa v16, v1, v2 dst_sel:BYTE_2 dst_unused:UNUSED_PRESERVE src0_sel:DWORD src1_sel:DWORD
  v_xor_b32_sdwa v17, v1, v2 dst_sel:BYTE_3 dst_unused:UNUSED_PRESERVE src0_sel:DWORD src1_sel:DWORD
  v_xor_b32_sdwa v18, v1, v2 dst_sel:BYTE_0 dst_unused:UNUSED_SEXT src0_sel:DWORD src1_sel:DWORD
  v_xor_b32_sdwa v19, v1, v2 dst_sel:BYTE_1 dst_unused:UNUSED_SEXT src0_sel:DWORD src1_sel:DWORD
  v_xor_b32_sdwa v20, v1, v2 dst_sel:BYTE_2 dst_unused:UNUSED_SEXT src0_sel:DWORD src1_sel:DWORD
  v_xor_b32_sdwa v21, v1, v2 dst_sel:BYTE_3 dst_unused:UNUSED_SEXT src0_sel:DWORD src1_sel:DWORD
  s_endpgm
// case: word destinations
// targets: gfx803 gfx900 gfx906
// init: v1 = 0x89abcdef, v2 = 4, v10 = 0x11223344, v11 = 0x11223344, v12 = 0x11223344, v13 = 0x11223344, v14 = 0x11223344, v15 = 0x11223344, v16 = 0x11223344
// expect: v10 = 0xcdeb, v11 = 0xcdeb0000, v12 = 0x1122cdeb, v13 = 0xcdeb3344, v14 = 0xffffcdeb, v15 = 0xcdeb0000, v16 = 0x89abcdeb
  v_xor_b32_sdwa v10, v1, v2 dst_sel:WORD_0 dst_unused:UNUSED_PAD src0_sel:DWORD src1_sel:DWORD
  v_xor_b32_sdwa v11, v1, v2 dst_sel:WORD_1 dst_unused:UNUSED_PAD src0_sel:DWORD src1_sel:DWORD
  v_xor_b32_sdwa v12, v1, v2 dst_sel:WORD_0 dst_unused:UNUSED_PRESERVE src0_sel:DWORD src1_sel:DWORD
  v_xor_b32_sdwa v13, v1, v2 dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE src0_sel:DWORD src1_sel:DWORD
  v_xor_b32_sdwa v14, v1, v2 dst_sel:WORD_0 dst_unused:UNUSED_SEXT src0_sel:DWORD src1_sel:DWORD
  v_xor_b32_sdwa v15, v1, v2 dst_sel:WORD_1 dst_unused:UNUSED_SEXT src0_sel:DWORD src1_sel:DWORD
  v_xor_b32_sdwa v16, v1, v2 dst_sel:DWORD dst_unused:UNUSED_PRESERVE src0_sel:DWORD src1_sel:DWORD
  s_endpgm
// case: partial EXEC, and destination over source
// targets: gfx803 gfx900 gfx906
// init: exec = 0xff, v1 = 0x89abcdef, v2 = 0x00000001
// expect: v1[0..7] = 0x89abee89, v2[0..7] = 0x01010101
  v_xor_b32_sdwa v1, v1, v2 dst_sel:BYTE_1 dst_unused:UNUSED_PRESERVE src0_sel:BYTE_0 src1_sel:BYTE_0
  v_mov_b32_sdwa v1, v1 dst_sel:BYTE_0 dst_unused:UNUSED_PRESERVE src0_sel:BYTE_3
  v_mov_b32_sdwa v2, v2 dst_sel:BYTE_1 dst_unused:UNUSED_PRESERVE src0_sel:BYTE_0
  v_mov_b32_sdwa v2, v2 dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE src0_sel:WORD_0
  s_endpgm
// case: halves with modifiers
// targets: gfx803 gfx900 gfx906
// init: v1 = 0x40003c00, v2 = 0xc4004200, v10 = 0x11223344, v11 = 0x11223344, v13 = 0x11223344
// expect: v10 = 0x3c003344, v11 = 0x11224000, v12 = 2.0f, v13 = 0x1122c600, v14 = 3.0f
  v_add_f16_sdwa v10, -v1, v2 dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE src0_sel:WORD_1 src1_sel:WORD_0
  v_add_f16_sdwa v11, -v1, |v2| dst_sel:WORD_0 dst_unused:UNUSED_PRESERVE src0_sel:WORD_1 src1_sel:WORD_1
  v_cvt_f32_f16_sdwa v12, v1 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
  v_sub_f16_sdwa v13, v2, v1 dst_sel:WORD_0 dst_unused:UNUSED_PRESERVE src0_sel:WORD_1 src1_sel:WORD_1
  v_cvt_f32_f16_sdwa v14, v2 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_0
  s_endpgm
// case: bytes to floats, shifts
// targets: gfx803 gfx900 gfx906
// init: v1 = 0x89abcdef, v2 = 4
// expect: v10 = 205.0f, v12 = 0x89ab0, v13 = 0x9ab00000
  v_cvt_f32_u32_sdwa v10, v1 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_1
  v_lshlrev_b32_sdwa v12, v2, v1 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_0 src1_sel:WORD_1
  v_lshlrev_b32_sdwa v13, v2, v1 dst_sel:WORD_1 dst_unused:UNUSED_PAD src0_sel:BYTE_0 src1_sel:WORD_1
  s_endpgm
// case: carries on gfx8
// targets: gfx803
// init: v1 = 0x89abcdef, v2 = 0x01020311, v3 = 0, v10 = 0x11223344, vcc = 0xf
// expect: v10 = 0x11220044, v11 = 0xf2, v12[0..3] = 0x12, v12[4..63] = 0x11, vcc = 0
  v_add_u32_sdwa v10, vcc, v1, v2 dst_sel:BYTE_1 dst_unused:UNUSED_PRESERVE src0_sel:BYTE_0 src1_sel:BYTE_0
  v_add_u32_sdwa v11, vcc, v1, v2 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_0 src1_sel:BYTE_1
  s_mov_b64 vcc, 0xf
  v_addc_u32_sdwa v12, vcc, v2, v3, vcc dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_0 src1_sel:DWORD
  s_endpgm
// case: compares on gfx8
// targets: gfx803
// init: v1 = 0x89abcdef, v2 = 0xef, v3 = lane, v4 = 0xff08
// expect: vcc = 0xff, s[4:5] = 0xffffffffffffffff
  v_cmp_eq_u32_sdwa vcc, v1, v2 src0_sel:BYTE_0 src1_sel:DWORD
  s_mov_b64 s[4:5], vcc
  v_cmp_gt_u32_sdwa vcc, v4, v3 src0_sel:BYTE_0 src1_sel:BYTE_0
  s_endpgm
// case: gfx9 takes scalars, other destinations of compares, clamp and omod
// targets: gfx900 gfx906
// init: mode = 0x1c0, s6 = 0x89abcdef, v1 = 0x89abcdef, v2 = 0x11, v3 = lane, v5 = 1.5f, v6 = 2.0h, v10 = 0x11223344
// expect: v10 = 0x11220044, v11 = 0xffffff89, s[4:5] = 0xff, s[8:9] = 0xffffffffffffff00, v12 = 1.0f, v13 = 6.0f, v14 = 1.0h
  v_add_u32_sdwa v10, s6, v2 dst_sel:BYTE_1 dst_unused:UNUSED_PRESERVE src0_sel:BYTE_0 src1_sel:BYTE_0
  v_mov_b32_sdwa v11, sext(s6) dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_3
  v_mov_b32_e32 v4, 0xff08
  v_cmp_gt_u32_sdwa s[4:5], v4, v3 src0_sel:BYTE_0 src1_sel:BYTE_0
  v_cmp_le_u32_sdwa s[8:9], v4, v3 src0_sel:BYTE_0 src1_sel:BYTE_0
  v_add_f32_sdwa v12, v5, v5 clamp dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:DWORD src1_sel:DWORD
  v_add_f32_sdwa v13, v5, v5 mul:2 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:DWORD src1_sel:DWORD
  v_add_f16_sdwa v14, v6, v6 clamp dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_0 src1_sel:WORD_0
// clobbers: v4
  s_endpgm
// case: carries on gfx9
// targets: gfx900 gfx906
// init: v1 = 0x89abcdef, v2 = 0x01020311, v3 = 0, v10 = 0x11223344, vcc = 0xf
// expect: v10 = 0x11220044, v12[0..3] = 0x12, v12[4..63] = 0x11, v13[0..3] = 0x11220012, v13[4..63] = 0x11220011, vcc = 0
// init: v13 = 0x11223344
  v_add_co_u32_sdwa v10, vcc, v1, v2 dst_sel:BYTE_1 dst_unused:UNUSED_PRESERVE src0_sel:BYTE_0 src1_sel:BYTE_0
  s_mov_b64 vcc, 0xf
  v_addc_co_u32_sdwa v12, vcc, v2, v3, vcc dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_0 src1_sel:DWORD
  s_mov_b64 vcc, 0xf
  v_addc_co_u32_sdwa v13, vcc, v2, v3, vcc dst_sel:WORD_0 dst_unused:UNUSED_PRESERVE src0_sel:BYTE_0 src1_sel:DWORD
  s_endpgm
// case: cndmask
// targets: gfx900 gfx906
// init: v1 = 0x89abcdef, v2 = 0x01020311, vcc = 0xf0
// expect: v10[0..3] = 0xcdef, v10[4..7] = 0x11, v10[8..63] = 0xcdef
  v_cndmask_b32_sdwa v10, v1, v2, vcc dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_0 src1_sel:BYTE_0
  s_endpgm
// case: multiply-accumulate reads its destination
// targets: gfx803
// init: mode = 0x1c0, v1 = 0x4000, v2 = 0x42000000, v10 = 0x11223c00
// expect: v10 = 0x4700
  v_mac_f16_sdwa v10, v1, v2 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_0 src1_sel:WORD_1
  s_endpgm
