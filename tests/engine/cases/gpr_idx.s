// VGPR indexing: MODE.GPR_IDX_EN, M0[7:0] the index, M0[15:12] the operands that it applies to.
// Source: Vega ISA manual, "VGPR Indexing" and "Out-of-Range behavior".
// case: each operand by its bit, and MODE shows that it is on
// targets: gfx803 gfx900 gfx906
// init: mode = 0x1f0, s4 = 0xabc02, m0 = 0xffff0fff, v20 = 20, v22 = 22, v30 = 30, v32 = 32, v40 = 40, v42 = 42
// expect: v10 = 52, v11 = 52, v13 = 50, v14 = 54, v50 = 1, s20 = 1, s21 = 0, m0 = 0xffff8f02, mode = 0x1f0
  s_set_gpr_idx_on s4, gpr_idx(SRC0)
  s_getreg_b32 s20, hwreg(HW_REG_MODE, 27, 1)
  v_or_b32 v50, 1, 1
  v_sad_u32 v10, v20, 0, v30
  s_set_gpr_idx_mode gpr_idx(SRC1)
  v_sad_u32 v11, v20, 0, v32
  s_set_gpr_idx_mode gpr_idx(DST)
  v_sad_u32 v11, v20, 0, v30
  s_set_gpr_idx_off
  s_getreg_b32 s21, hwreg(HW_REG_MODE, 27, 1)
  v_sad_u32 v14, v22, 0, v32
  s_endpgm
// case: branches carry it along, and the same code runs with and without
// targets: gfx803 gfx900
// init: mode = 0x1f0, s4 = 2, m0 = 0, s5 = 0, v20 = 20, v22 = 22
// expect: v10 = 20, v11 = 22, s5 = 2, m0 = 0x1002, mode = 0x1f0
// clobbers: scc, v12
idx_again:
  v_mov_b32 v12, v20
  s_cmp_eq_u32 s5, 1
  s_cbranch_scc1 idx_second
  v_mov_b32 v10, v12
  s_addk_i32 s5, 1
  s_set_gpr_idx_on s4, gpr_idx(SRC0)
  s_branch idx_again
idx_second:
  s_set_gpr_idx_off
  v_mov_b32 v11, v12
  s_addk_i32 s5, 1
  s_endpgm
// case: M0 written while it is on
// targets: gfx803 gfx900
// init: mode = 0x1f0, s4 = 2, m0 = 0, s7 = 0x8003, v20 = 20, v22 = 22, v23 = 23
// expect: v10 = 22, v11 = 23, v15 = 20, m0 = 0x8003, mode = 0x1f0
  s_set_gpr_idx_on s4, gpr_idx(SRC0)
  v_mov_b32 v10, v20
  s_mov_b32 m0, 0x1003
  v_mov_b32 v11, v20
  s_mov_b32 m0, s7
  v_mov_b32 v12, v20
  s_set_gpr_idx_off
  s_endpgm
// case: on and off by s_setreg
// targets: gfx803 gfx900
// init: mode = 0x1f0, m0 = 0x1002, s4 = 0x080001f0, v20 = 20, v22 = 22
// expect: v10 = 22, v11 = 20, mode = 0x1f0
  s_setreg_b32 hwreg(HW_REG_MODE), s4
  v_mov_b32 v10, v20
  s_setreg_imm32_b32 hwreg(HW_REG_MODE, 27, 1), 0
  v_mov_b32 v11, v20
  s_endpgm
// case: the sum of v_mac is the destination, the addend of v_madmk source 2, that of v_madak none
// targets: gfx803 gfx900
// init: mode = 0x1f0, s4 = 1, m0 = 0, v20 = 2.0f, v21 = 3.0f, v30 = 5.0f, v31 = 7.0f, v10 = 100.0f, v11 = 200.0f
// expect: v11 = 210.0f, v12 = 27.0f, v13 = 25.0f, v14 = 26.0f, m0 = 0x2001
  s_set_gpr_idx_on s4, gpr_idx(DST)
  v_mac_f32 v10, v20, v30
  s_set_gpr_idx_mode gpr_idx(SRC2)
  v_madmk_f32 v12, v20, 0x41200000, v30
  s_set_gpr_idx_mode gpr_idx(SRC1)
  v_madmk_f32 v13, v20, 0x41200000, v30
  v_madak_f32 v14, v20, v30, 0x41400000
  s_set_gpr_idx_off
  s_endpgm
// case: SDWA keeps the other bytes of the indexed destination, and DPP moves lanes of the indexed source
// targets: gfx803 gfx900
// init: mode = 0x1f0, s4 = 1, m0 = 0, v10 = 0x11223344, v11 = 0x55667788, v20 = 0xaa, v21 = 16*lane
// expect: v11 = 0x55aa7788, v12[0..14] = 16*lane+16, v12[15] = 0x77, v12[16..30] = 16*lane+16, m0 = 0x1001
// init: v12 = 0x77
// expect: v12[31] = 0x77, v12[32..46] = 16*lane+16, v12[47] = 0x77, v12[48..62] = 16*lane+16, v12[63] = 0x77
  s_set_gpr_idx_on s4, gpr_idx(DST)
  v_mov_b32_sdwa v10, v20 dst_sel:BYTE_2 dst_unused:UNUSED_PRESERVE src0_sel:DWORD
  s_set_gpr_idx_mode gpr_idx(SRC0)
  v_mov_b32_dpp v12, v20 row_shl:1 row_mask:0xf bank_mask:0xf
  s_set_gpr_idx_off
  s_endpgm
// case: lanes, compares and 64-bit operands
// targets: gfx803 gfx900
// init: mode = 0x1f0, s4 = 2, m0 = 0, v20 = lane, v22 = 3*lane, v23 = 7, v30 = 0, v32 = 5, v33 = 0, exec = 0xffff
// expect: s20 = 3, s21 = 0, v10[0..15] = 1*lane+5, vcc = 0x2, v43[0..15] = 7
// expect: v42[0..15] = 3*lane, v62[0..4] = 9, v62[5] = 60, v62[6..15] = 9, m0 = 0x8002
  s_set_gpr_idx_on s4, gpr_idx(SRC0)
  v_readlane_b32 s20, v20, 1
  v_readfirstlane_b32 s21, v20
  v_cmp_eq_u32 vcc, v20, 3
  s_set_gpr_idx_mode gpr_idx(SRC1)
  v_mbcnt_lo_u32_b32 v10, -1, v30
  s_set_gpr_idx_mode gpr_idx(SRC1,DST)
  v_lshlrev_b64 v[40:41], 0, v[20:21]
  s_set_gpr_idx_mode gpr_idx(DST)
  v_mov_b32 v60, 9
  v_writelane_b32 v60, 60, 5
  s_set_gpr_idx_off
  s_endpgm
// case: a pair is written as a whole or not at all, and sources out of range are v0
// targets: gfx803 gfx900
// init: mode = 0x1f0, s4 = 100, m0 = 0, v0 = 77, v155 = 1, v254 = 11, v255 = 12
// expect: v10 = 77, v11 = 12, m0 = 0x8064
  s_set_gpr_idx_on s4, gpr_idx(SRC0)
  v_mov_b32 v10, v156
  v_mov_b32 v11, v155
  s_set_gpr_idx_mode gpr_idx(DST)
  v_mov_b32 v160, 5
  v_lshlrev_b64 v[155:156], 0, 3
  s_set_gpr_idx_off
  s_endpgm
// case: v_swap by indexes
// targets: gfx900
// init: mode = 0x1f0, s4 = 1, m0 = 0, v10 = 10, v11 = 11, v20 = 20, v21 = 21
// expect: v11 = 21, v21 = 11, m0 = 0x9001
  s_set_gpr_idx_on s4, gpr_idx(SRC0,DST)
  v_swap_b32 v10, v20
  s_set_gpr_idx_off
  s_endpgm
// case: v_movrel takes all of M0
// targets: gfx803
// init: m0 = 2, v20 = 20, v22 = 22, v0 = 77, v30 = 30, v40 = 40
// expect: v10 = 22, v32 = 30, v42 = 22, v11 = 77, v12 = 22, m0 = 0x102
  v_movrels_b32 v10, v20
  v_movreld_b32 v30, v30
  v_movrelsd_b32 v40, v20
  v_movrels_b32_e64 v12, v20
  s_mov_b32 m0, 0x102
  v_movrels_b32 v11, v20
  v_movreld_b32 v30, v20
  s_endpgm
// case: relative scalar moves out of range
// targets: gfx803 gfx900
// init: m0 = 100, s0 = 55, s1 = 56, s20 = 20, s21 = 21, s99 = 1, s100 = 12, s101 = 13
// expect: s30 = 55, s31 = 13, s[32:33] = 0x0000003800000037, m0 = 100
  s_movrels_b32 s30, s2
  s_movrels_b32 s31, s1
  s_movreld_b32 s2, s20
  s_movreld_b64 s[2:3], s[20:21]
  s_movrels_b64 s[32:33], s[4:5]
  s_endpgm
// case: gfx6 and gfx7 have 104 SGPRs, and v_movrel
// targets: gfx600 gfx701
// init: m0 = 100, s0 = 55, s3 = 1, s103 = 9, v0 = 77, v100 = 8, v120 = 6
// expect: s30 = 9, s31 = 55, v10 = 6, m0 = 100, v110 = 8
  s_movrels_b32 s30, s3
  s_movrels_b32 s31, s4
  v_movrels_b32 v10, v20
  v_movreld_b32 v10, v100
  v_mov_b32 v10, v120
  s_endpgm
