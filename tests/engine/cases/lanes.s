// Instructions that look at lanes: readlane, writelane, readfirstlane, mbcnt, swap; relative registers.
// case: readlane and writelane
// targets: gfx803 gfx900 gfx906
// init: v1 = 3*lane+5, v2 = 0, s4 = 63, s5 = 70, s6 = 0xabcd, m0 = 9, exec = 0x10
// expect: s8 = 5, s9 = 194, s10 = 23, s11 = 32, v2[7] = 0xabcd, v2[63] = 64, v2[6] = 0xfffffff0, v2[9] = 9, s12 = 17, s106 = 194
  v_readlane_b32 s8, v1, 0
  v_readlane_b32 s9, v1, s4
  v_readlane_b32 s10, v1, s5
  v_readlane_b32 s11, v1, m0
  v_writelane_b32 v2, s6, 7
  v_writelane_b32 v2, 64, s4
  v_writelane_b32 v2, -16, s5
  v_writelane_b32 v2, m0, m0
  v_readfirstlane_b32 s12, v1
  v_readlane_b32 vcc_lo, v1, 63
  s_endpgm
// case: readfirstlane
// targets: gfx803 gfx900 gfx906
// init: v1 = 3*lane+5, exec = 0x8000000000000000
// expect: s4 = 194, s5 = 194, exec = 0, s6 = 5
  v_readfirstlane_b32 s4, v1
  v_readlane_b32 s5, v1, 63
  s_mov_b64 exec, 0
  v_readfirstlane_b32 s6, v1
  s_endpgm
// case: writelane ignores EXEC
// targets: gfx803 gfx900 gfx906
// init: exec = 0, v1 = 0, s4 = 5
// expect: v1[3] = 5, v1[63] = 1
  v_writelane_b32 v1, s4, 3
  v_writelane_b32 v1, 1, 63
  s_endpgm
// case: mbcnt
// targets: gfx803 gfx900 gfx906
// init: s4 = 0x0000000f, s5 = 0x80000001, v5 = 100, exec = 0xfffffffffffffffe
// expect: v1[1..63] = lane, v2[1..3] = lane+100, v2[4..63] = 104, v3[1..32] = 100, v3[33..63] = 101, v4[1..63] = lane, v5[1..63] = 100, v6[1..31] = lane, v6[32..63] = 32, v7[1..31] = 0, v7[32..63] = lane-32
  v_mbcnt_lo_u32_b32 v1, -1, 0
  v_mbcnt_hi_u32_b32 v1, -1, v1
  v_mbcnt_lo_u32_b32 v2, s4, v5
  v_mbcnt_hi_u32_b32 v3, s5, v5
  v_mov_b32 v4, -1
  v_mbcnt_lo_u32_b32 v8, v4, 0
  v_mbcnt_hi_u32_b32 v4, v4, v8
  v_mbcnt_lo_u32_b32 v6, -1, 0
  v_mbcnt_hi_u32_b32 v7, -1, 0
// clobbers: v8
  s_endpgm
// case: swap
// targets: gfx900 gfx906
// init: v1 = lane, v2 = 2*lane+100, exec = 0xffff
// expect: v1[0..15] = 2*lane+100, v2[0..15] = lane
  v_swap_b32 v1, v2
  v_swap_b32 v3, v3
  s_endpgm
// case: relative vector moves
// targets: gfx803
// init: m0 = 3, v1 = 11, v2 = 22, v4 = 44, v5 = 55, v6 = 66, v7 = 77, v8 = 88, exec = 0xff
// expect: v10[0..7] = 44, v8[0..7] = 22, v14[0..7] = 55, v18[0..7] = 64
  v_movrels_b32_e32 v10, v1
  v_movreld_b32_e32 v5, v2
  v_movrelsd_b32_e32 v11, v2
  v_movreld_b32_e32 v15, 64
  s_endpgm
// case: relative scalar moves
// targets: gfx803 gfx900 gfx906
// init: m0 = 2, s4 = 4, s5 = 5, s6 = 6, s7 = 7, s8 = 8, s9 = 9
// expect: s20 = 6, s24 = 4, s[30:31] = 0x0000000700000006, s[42:43] = 0x0000000500000004
  s_movrels_b32 s20, s4
  s_movreld_b32 s22, s4
  s_movrels_b64 s[30:31], s[4:5]
  s_movreld_b64 s[40:41], s[4:5]
  s_endpgm
// case: vector indexing mode, source and destination
// targets: gfx803 gfx900 gfx906
// init: s4 = 3, m0 = 0, v1 = 11, v2 = 22, v4 = 44, v5 = 55, exec = 0xff
// expect: m0 = 0x8003, v10[0..7] = 44, v13[0..7] = 22, v14[0..7] = 11, v16[0..7] = 88
  s_set_gpr_idx_on s4, gpr_idx(SRC0)
  v_mov_b32_e32 v10, v1
  s_set_gpr_idx_off
  s_set_gpr_idx_on s4, gpr_idx(DST)
  v_mov_b32_e32 v10, v2
  v_mov_b32_e32 v11, v1
  s_set_gpr_idx_off
  v_lshlrev_b32 v16, 1, v4
  s_endpgm
// case: vector indexing mode, other sources, and changes of mode and index
// targets: gfx803 gfx900 gfx906
// init: s4 = 3, s5 = 0x704, m0 = 0xf00000, v1 = 1, v2 = 2, v3 = 3, v4 = 40, v5 = 50, v6 = 60, v7 = 70
// expect: m0 = 0xf03004, v10 = 51, v11 = 41, v12 = 58, v13 = 51, v14 = 110
  s_set_gpr_idx_on s4, gpr_idx(SRC1)
  v_or_b32_e32 v10, v1, v2
  s_set_gpr_idx_mode gpr_idx(SRC0)
  v_or_b32_e32 v11, v1, v3
  v_or_b32_e32 v11, v1, v1
  s_set_gpr_idx_mode gpr_idx(SRC0,SRC1)
  v_or_b32_e32 v12, v1, v2
  s_set_gpr_idx_idx s5
  v_sub_u16_e32 v13, v2, v1
  v_add_u16_e32 v13, 1, v1
  v_add_u16_e32 v14, v2, v1
  s_set_gpr_idx_off
  s_endpgm
// case: an indexed multiply-accumulate reads what it writes
// targets: gfx803 gfx900
// init: s4 = 3, mode = 0x1c0, v1 = 2.0f, v2 = 3.0f, v10 = 100.0f, v13 = 1.0f, m0 = 0
// expect: v13 = 7.0f, m0 = 0x8003
  s_set_gpr_idx_on s4, gpr_idx(DST)
  v_mac_f32_e32 v10, v1, v2
  s_set_gpr_idx_off
  s_endpgm
// case: lanes of indexed registers
// targets: gfx900
// init: s4 = 3, m0 = 0, v1 = lane, v4 = 2*lane+100, v13 = 0, s5 = 77
// expect: s8 = 110, s9 = 100, v13[5] = 77, m0 = 0x8003
  s_set_gpr_idx_on s4, gpr_idx(SRC0)
  v_readlane_b32 s8, v1, 5
  v_readfirstlane_b32 s9, v1
  s_set_gpr_idx_off
  s_set_gpr_idx_on s4, gpr_idx(DST)
  v_writelane_b32 v10, s5, 5
  s_set_gpr_idx_off
  s_endpgm
// case: indexing across a branch
// targets: gfx803 gfx900
// init: s4 = 3, m0 = 0, v1 = 11, v4 = 44, scc = 1
// expect: v10 = 44, v11 = 44, m0 = 0x1003
  s_set_gpr_idx_on s4, gpr_idx(SRC0)
  s_cbranch_scc1 lanes_over
  v_mov_b32_e32 v12, v1
lanes_over:
  v_mov_b32_e32 v10, v1
  v_mov_b32_e32 v11, v1
  s_set_gpr_idx_off
  s_endpgm
// case: 64-bit operands of an indexed operation
// targets: gfx900
// init: s4 = 4, m0 = 0, v[2:3] = 1.0d, v[6:7] = 2.0d, v[20:21] = 8.0d
// expect: v[10:11] = 10.0d, v[24:25] = 9.0d, m0 = 0x8004
  s_set_gpr_idx_on s4, gpr_idx(SRC0)
  v_add_f64 v[10:11], v[2:3], v[20:21]
  s_set_gpr_idx_off
  s_set_gpr_idx_on s4, gpr_idx(DST)
  v_add_f64 v[20:21], v[2:3], v[20:21]
  s_set_gpr_idx_off
  s_endpgm
