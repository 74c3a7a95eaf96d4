// The scalar ALU: results and SCC, flow, and the conditions that both read.
// case: sums and SCC
// targets: gfx803 gfx900 gfx906
// init: s4 = 0xffffffff, s5 = 1, s6 = 0x7fffffff, s7 = 0x80000000, scc = 0
// expect: s20 = 0, s21 = 1, s22 = 0x80000000, s23 = 1, s24 = 0, s25 = 0, s26 = 0x7fffffff, s27 = 1, s28 = 2, s29 = 1, s30 = 0, s31 = 0, s32 = 0xffffffff, s33 = 1, scc = 1
  s_add_u32 s20, s4, s5
  s_cselect_b32 s21, 1, 0
  s_add_i32 s22, s6, s5
  s_cselect_b32 s23, 1, 0
  s_add_i32 s24, s4, s5
  s_cselect_b32 s25, 1, 0
  s_sub_i32 s26, s7, s5
  s_cselect_b32 s27, 1, 0
  s_sub_u32 s28, s5, s4
  s_cselect_b32 s29, 1, 0
  s_sub_u32 s30, s4, s4
  s_cselect_b32 s31, 1, 0
  s_sub_u32 s32, 0, 1
  s_cselect_b32 s33, 1, 0
  s_endpgm
// case: carries
// targets: gfx803 gfx900 gfx906
// init: s4 = 0xffffffff, s5 = 0xffffffff, s6 = 1, s7 = 0, scc = 0
// expect: s20 = 0, s21 = 0, s22 = 1, s23 = 0xffffffff, s24 = 0xffffffff, s25 = 0, s26 = 0xffffffff, s27 = 0, s28 = 0xffffffff, s29 = 1, scc = 1
  s_add_u32 s20, s4, s6
  s_addc_u32 s21, s5, s7
  s_addc_u32 s22, s7, s7
  s_sub_u32 s23, s7, s6
  s_subb_u32 s24, s7, s7
  s_cmp_lg_u32 s7, 0
  s_addc_u32 s25, s7, s7
  s_cmp_eq_u32 s7, 0
  s_addc_u32 s26, s4, s5
  s_cmp_lg_u32 s7, 0
  s_subb_u32 s27, s4, s4
  s_cmp_eq_u32 s7, 0
  s_subb_u32 s28, s4, s4
  s_cselect_b32 s29, 1, 0
  s_endpgm
// case: minimum, maximum, absolute values
// targets: gfx803 gfx900 gfx906
// init: s4 = 0xfffffffe, s5 = 1, s6 = 0x80000000
// expect: s20 = 0xfffffffe, s21 = 1, s22 = 1, s23 = 0, s24 = 1, s25 = 0xfffffffe, s26 = 2, s27 = 0x80000000, s28 = 3, s29 = 0, s30 = 0, scc = 0
  s_min_i32 s20, s4, s5
  s_cselect_b32 s21, 1, 0
  s_min_u32 s22, s4, s5
  s_cselect_b32 s23, 1, 0
  s_max_i32 s24, s4, s5
  s_max_u32 s25, s4, s5
  s_abs_i32 s26, s4
  s_abs_i32 s27, s6
  s_absdiff_i32 s28, s4, s5
  s_absdiff_i32 s29, s4, s4
  s_cselect_b32 s30, 1, 0
  s_endpgm
// case: logic and SCC
// targets: gfx803 gfx900 gfx906
// init: s[4:5] = 0x0000000000000001, s[6:7] = 0x8000000000000000
// expect: s[20:21] = 0, s22 = 0, s[24:25] = 0x8000000000000001, s26 = 1, s[28:29] = 0x7fffffffffffffff, s[30:31] = 1, s[32:33] = 0x7fffffffffffffff, s[34:35] = 0xffffffffffffffff
// expect: s[36:37] = 0x7ffffffffffffffe, s[38:39] = 0x7ffffffffffffffe, s40 = 0xfffffffe, s41 = 0, s42 = 0, scc = 0
  s_and_b64 s[20:21], s[4:5], s[6:7]
  s_cselect_b32 s22, 1, 0
  s_or_b64 s[24:25], s[4:5], s[6:7]
  s_cselect_b32 s26, 1, 0
  s_not_b64 s[28:29], s[6:7]
  s_andn2_b64 s[30:31], s[4:5], s[6:7]
  s_orn2_b64 s[32:33], s[4:5], s[6:7]
  s_nand_b64 s[34:35], s[4:5], s[6:7]
  s_nor_b64 s[36:37], s[4:5], s[6:7]
  s_xnor_b64 s[38:39], s[4:5], s[6:7]
  s_not_b32 s40, s4
  s_xor_b32 s41, s4, 1
  s_cselect_b32 s42, 1, 0
  s_endpgm
// case: shifts and fields
// targets: gfx803 gfx900 gfx906
// init: s4 = 0x80000001, s5 = 33, s[6:7] = 0x8000000000000001, s8 = 0x00080004, s9 = 0x12345678, s10 = 0x00100030, s[12:13] = 0x8765432112345678
// expect: s20 = 2, s21 = 0x40000000, s22 = 0xc0000000, s[24:25] = 0x0000000200000000, s[26:27] = 0x40000000, s[28:29] = 0xffffffffc0000000, s30 = 0x67, s31 = 0x67, s32 = 0x00000ff0
// expect: s[34:35] = 0x00000000fffffff0, s[36:37] = 0x8765, s[38:39] = 0xffffffffffff8765, s40 = 0xffffffff, s41 = 0, s42 = 0, scc = 0
  s_lshl_b32 s20, s4, s5
  s_lshr_b32 s21, s4, 1
  s_ashr_i32 s22, s4, 1
  s_lshl_b64 s[24:25], s[6:7], s5
  s_lshr_b64 s[26:27], s[6:7], s5
  s_ashr_i64 s[28:29], s[6:7], s5
  s_bfe_u32 s30, s9, s8
  s_bfe_i32 s31, s9, s8
  s_bfm_b32 s32, 8, 4
  s_bfm_b64 s[34:35], 28, 4
  s_bfe_u64 s[36:37], s[12:13], s10
  s_bfe_i64 s[38:39], s[12:13], s10
  s_bfe_i32 s40, s9, 0x00040003
  s_bfe_u32 s41, s9, 0
  s_cselect_b32 s42, 1, 0
  s_endpgm
// case: counts and searches
// targets: gfx803 gfx900 gfx906
// init: s[4:5] = 0x0000100000000000, s6 = 0, s7 = 0xffff0000, s8 = 0x00001234, s9 = 0xfff01234
// expect: s20 = 44, s21 = 0xffffffff, s22 = 19, s23 = 63, s24 = 1, s25 = 0, s26 = 16, s27 = 16, s28 = 15, s29 = 0xffffffff, s30 = 0x2c480000, s31 = 0x34, s32 = 0x1234, s33 = 11, s34 = 1, scc = 1
// expect: s[36:37] = 0x0000000000080000, s38 = 0xffffff80, s39 = 0xffff8001, s40 = 0xffffffff
  s_ff1_i32_b64 s20, s[4:5]
  s_ff1_i32_b32 s21, s6
  s_flbit_i32_b64 s22, s[4:5]
  s_bcnt0_i32_b64 s23, s[4:5]
  s_cselect_b32 s24, 1, 0
  s_bcnt1_i32_b32 s25, s6
  s_bcnt1_i32_b32 s26, s7
  s_bcnt0_i32_b32 s27, s7
  s_flbit_i32 s28, s7
  s_add_u32 s28, s28, -1
  s_ff0_i32_b32 s29, -1
  s_brev_b32 s30, s8
  s_sext_i32_i8 s31, s8
  s_sext_i32_i16 s32, s8
  s_flbit_i32 s33, s9
  s_add_u32 s33, s33, -1
  s_brev_b64 s[36:37], s[4:5]
  s_movk_i32 s38, 0x80
  s_sext_i32_i8 s38, s38
  s_sext_i32_i16 s39, 0x8001
  s_flbit_i32 s40, -1
  s_bcnt1_i32_b32 s34, 4
  s_endpgm
// case: bits
// targets: gfx803 gfx900 gfx906
// init: s4 = 0xf0f0, s5 = 35, s[6:7] = 0, s8 = 0, scc = 0, s[10:11] = 0x8000000000000000
// expect: s4 = 0xf0e8, s[6:7] = 0x0000000800000000, s8 = 1, s9 = 0, s12 = 1, scc = 1
  s_bitset1_b32 s4, s5
  s_bitset0_b32 s4, 4
  s_bitset1_b64 s[6:7], s5
  s_bitcmp1_b32 s4, s5
  s_cselect_b32 s8, 1, 0
  s_bitcmp0_b32 s4, 3
  s_cselect_b32 s9, 1, 0
  s_bitcmp1_b64 s[10:11], 63
  s_cselect_b32 s12, 1, 0
  s_endpgm
// case: compares
// targets: gfx803 gfx900 gfx906
// init: s4 = 0xffffffff, s5 = 1, s[6:7] = 0x100000000, s[8:9] = 0
// expect: s20 = 1, s21 = 0, s22 = 0, s23 = 1, s24 = 1, s25 = 0, s26 = 1, s27 = 0, s28 = 1, s29 = 0, s30 = 1, scc = 1
  s_cmp_lt_i32 s4, s5
  s_cselect_b32 s20, 1, 0
  s_cmp_lt_u32 s4, s5
  s_cselect_b32 s21, 1, 0
  s_cmp_gt_i32 s4, s5
  s_cselect_b32 s22, 1, 0
  s_cmp_gt_u32 s4, s5
  s_cselect_b32 s23, 1, 0
  s_cmpk_eq_i32 s4, 0xffff
  s_cselect_b32 s24, 1, 0
  s_cmpk_eq_u32 s4, 0xffff
  s_cselect_b32 s25, 1, 0
  s_cmp_lg_u64 s[6:7], s[8:9]
  s_cselect_b32 s26, 1, 0
  s_cmp_eq_u64 s[6:7], s[8:9]
  s_cselect_b32 s27, 1, 0
  s_cmpk_lt_i32 s4, 0
  s_cselect_b32 s28, 1, 0
  s_cmpk_lt_u32 s4, 0
  s_cselect_b32 s29, 1, 0
  s_cmpk_ge_i32 s5, 0x8000
  s_cselect_b32 s30, 1, 0
  s_endpgm
// case: conditional moves
// targets: gfx803 gfx900 gfx906
// init: scc = 0, s4 = 7, s[6:7] = 0x900000008, s20 = 1, s21 = 1, s[22:23] = 1, s24 = 1, s25 = 5, s26 = 5
// expect: s20 = 1, s21 = 7, s[22:23] = 0x900000008, s24 = 0xffffff00, s25 = 0x8005, s26 = 0xfffffff6, scc = 0
  s_cmov_b32 s20, s4
  s_cmp_eq_u32 s4, s4
  s_cmov_b32 s21, s4
  s_cmov_b64 s[22:23], s[6:7]
  s_cmovk_i32 s24, 0xff00
  s_addk_i32 s25, 0x7fff
  s_addk_i32 s25, 1
  s_mulk_i32 s26, 0xfffe
  s_endpgm
// case: multiplies and packs
// targets: gfx900 gfx906
// init: s4 = 0xffffffff, s5 = 3, s6 = 0x40000001, s7 = 0xaaaabbbb, s8 = 0xccccdddd
// expect: s20 = 0xfffffffd, s21 = 2, s22 = 0xffffffff, s23 = 4, s24 = 1, s25 = 13, s26 = 0, s27 = 0xddddbbbb, s28 = 0xccccbbbb, s29 = 0xccccaaaa, s[30:31] = 0xc000000000000003, scc = 0
  s_mul_i32 s20, s4, s5
  s_mul_hi_u32 s21, s4, s5
  s_mul_hi_i32 s22, s4, s5
  s_lshl2_add_u32 s23, s6, 0
  s_cselect_b32 s24, 1, 0
  s_lshl2_add_u32 s25, s5, 1
  s_cselect_b32 s26, 1, 0
  s_pack_ll_b32_b16 s27, s7, s8
  s_pack_lh_b32_b16 s28, s7, s8
  s_pack_hh_b32_b16 s29, s7, s8
  s_bitreplicate_b64_b32 s[30:31], 0x80000001
  s_endpgm
// case: quads
// targets: gfx803 gfx900 gfx906
// init: s[4:5] = 0x1000000000000020
// expect: s[20:21] = 0xf0000000000000f0, s[22:23] = 0x8002, s24 = 0xf0, s25 = 2, scc = 1
  s_wqm_b64 s[20:21], s[4:5]
  s_quadmask_b64 s[22:23], s[4:5]
  s_wqm_b32 s24, s4
  s_quadmask_b32 s25, s4
  s_endpgm
// case: saveexec, the eight of every target
// targets: gfx803 gfx900 gfx906
// init: exec = 0xff00, s[4:5] = 0x0ff0
// expect: s[20:21] = 0xff00, s[22:23] = 0x0f00, s[24:25] = 0xff00, s[26:27] = 0xfff0, s[28:29] = 0xff00, s[30:31] = 0xf0f0, s[32:33] = 0xff00, s[34:35] = 0x00f0
// expect: s[36:37] = 0xff00, s[38:39] = 0xffffffffffff0fff, s[40:41] = 0xff00, s[42:43] = 0xfffffffffffff0ff, s[44:45] = 0xff00, s[46:47] = 0xffffffffffff000f
// expect: s[48:49] = 0xff00, s[50:51] = 0xffffffffffff0f0f, scc = 1
  s_and_saveexec_b64 s[20:21], s[4:5]
  s_mov_b64 s[22:23], exec
  s_mov_b64 exec, 0xff00
  s_or_saveexec_b64 s[24:25], s[4:5]
  s_mov_b64 s[26:27], exec
  s_mov_b64 exec, 0xff00
  s_xor_saveexec_b64 s[28:29], s[4:5]
  s_mov_b64 s[30:31], exec
  s_mov_b64 exec, 0xff00
  s_andn2_saveexec_b64 s[32:33], s[4:5]
  s_mov_b64 s[34:35], exec
  s_mov_b64 exec, 0xff00
  s_orn2_saveexec_b64 s[36:37], s[4:5]
  s_mov_b64 s[38:39], exec
  s_mov_b64 exec, 0xff00
  s_nand_saveexec_b64 s[40:41], s[4:5]
  s_mov_b64 s[42:43], exec
  s_mov_b64 exec, 0xff00
  s_nor_saveexec_b64 s[44:45], s[4:5]
  s_mov_b64 s[46:47], exec
  s_mov_b64 exec, 0xff00
  s_xnor_saveexec_b64 s[48:49], s[4:5]
  s_mov_b64 s[50:51], exec
  s_mov_b64 exec, 0xff00
  s_endpgm
// case: saveexec, the four of gfx9
// targets: gfx900 gfx906
// init: exec = 0xff00, s[4:5] = 0x0ff0
// expect: s[20:21] = 0xff00, s[22:23] = 0xf000, s[24:25] = 0xff00, s[26:27] = 0xffffffffffffff0f, s[28:29] = 0xf000, s[30:31] = 0xf000, s[32:33] = 0x00f0, s[34:35] = 0x00f0, scc = 1
  s_andn1_saveexec_b64 s[20:21], s[4:5]
  s_mov_b64 s[22:23], exec
  s_mov_b64 exec, 0xff00
  s_orn1_saveexec_b64 s[24:25], s[4:5]
  s_mov_b64 s[26:27], exec
  s_mov_b64 exec, 0xff00
  s_andn1_wrexec_b64 s[28:29], s[4:5]
  s_mov_b64 s[30:31], exec
  s_mov_b64 exec, 0xff00
  s_andn2_wrexec_b64 s[32:33], s[4:5]
  s_mov_b64 s[34:35], exec
  s_mov_b64 exec, 0xff00
  s_endpgm
// case: saveexec sets SCC from the new EXEC, and may save over its source
// targets: gfx803 gfx900 gfx906
// init: exec = 0xf, s[4:5] = 0xf0, vcc = 0x3
// expect: s[4:5] = 0xf, exec = 0, scc = 0, s20 = 0, vcc = 0x3
  s_and_saveexec_b64 s[4:5], s[4:5]
  s_cselect_b32 s20, 1, 0
  s_endpgm
// case: every conditional branch
// targets: gfx803 gfx900 gfx906
// init: s20 = 0, scc = 0, vcc = 0
// expect: s20 = 0x3f, vcc = 0x100000000, exec = 0x8000000000000000, scc = 1
  s_cbranch_scc0 salu_a
  s_endpgm
salu_a:
  s_bitset1_b32 s20, 0
  s_cbranch_scc1 salu_bad
  s_cbranch_vccz salu_b
  s_endpgm
salu_b:
  s_bitset1_b32 s20, 1
  s_cbranch_vccnz salu_bad
  s_mov_b64 vcc, 0
  s_mov_b32 vcc_hi, 1
  s_cbranch_vccz salu_bad
  s_cbranch_vccnz salu_c
  s_endpgm
salu_c:
  s_bitset1_b32 s20, 2
  s_cmp_eq_u32 s20, 7
  s_cbranch_scc0 salu_bad
  s_cbranch_scc1 salu_d
  s_endpgm
salu_d:
  s_bitset1_b32 s20, 3
  s_cbranch_execz salu_bad
  s_mov_b32 exec_lo, 0
  s_mov_b32 exec_hi, 0x80000000
  s_cbranch_execz salu_bad
  s_cbranch_execnz salu_e
  s_endpgm
salu_e:
  s_bitset1_b32 s20, 4
  s_mov_b32 s21, exec_hi
  s_mov_b32 exec_hi, 0
  s_cbranch_execnz salu_bad
  s_cbranch_execz salu_f
  s_endpgm
salu_f:
  s_bitset1_b32 s20, 5
  s_mov_b32 exec_hi, s21
// clobbers: s21
  s_endpgm
salu_bad:
  s_mov_b32 s20, -1
  s_endpgm
// case: calls and computed jumps
// targets: gfx803 gfx900 gfx906
// init: s20 = 0
// expect: s20 = 0x7, s22 = 0, scc = 0
// clobbers: s[10:11], s[12:13], s[14:15], s[16:17]
  s_getpc_b64 s[10:11]
salu_g:
  s_add_u32 s10, s10, salu_function-salu_g
  s_addc_u32 s11, s11, 0
  s_swappc_b64 s[12:13], s[10:11]
  s_bitset1_b32 s20, 1
  s_swappc_b64 s[10:11], s[10:11]
  s_bitset1_b32 s20, 2
  s_getpc_b64 s[14:15]
salu_h:
  s_add_u32 s16, s12, salu_h-salu_after
  s_sub_u32 s22, s16, s14
  s_cmp_lg_u32 s22, 0
  s_endpgm
salu_function:
  s_cmp_eq_u32 s20, 2
  s_bitset1_b32 s20, 0
  s_cbranch_scc0 salu_first
  s_setpc_b64 s[10:11]
salu_first:
  s_bitcmp1_b32 s20, 1
  s_cbranch_scc1 salu_second
  s_setpc_b64 s[12:13]
salu_second:
  s_setpc_b64 s[10:11]
.set salu_after, salu_g+16
// case: s_call
// targets: gfx900 gfx906
// init: s20 = 0
// expect: s20 = 11
// clobbers: s[12:13], scc
  s_call_b64 s[12:13], salu_call
  s_add_u32 s20, s20, 1
  s_endpgm
salu_call:
  s_add_u32 s20, s20, 10
  s_setpc_b64 s[12:13]
// case: s_memtime goes forward
// targets: gfx803 gfx900 gfx906
// clobbers: s[10:11], s[12:13], s[14:15], s[16:17]
// expect: s20 = 1, s21 = 1, scc = 1
  s_memtime s[10:11]
  s_waitcnt lgkmcnt(0)
  s_memrealtime s[14:15]
  s_waitcnt lgkmcnt(0)
  s_nop 15
  s_memtime s[12:13]
  s_waitcnt lgkmcnt(0)
  s_memrealtime s[16:17]
  s_waitcnt lgkmcnt(0)
  s_sub_u32 s12, s12, s10
  s_subb_u32 s13, s13, s11
  s_cmp_ge_i32 s13, 0
  s_cselect_b32 s20, 1, 0
  s_sub_u32 s16, s16, s14
  s_subb_u32 s17, s17, s15
  s_cmp_ge_i32 s17, 0
  s_cselect_b32 s21, 1, 0
  s_endpgm
