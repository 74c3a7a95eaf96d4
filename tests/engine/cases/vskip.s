// s_setvskip: vector instructions are not issued, the rest is. Source: Vega ISA manual, S_SETVSKIP.
// case: vector instructions do nothing, scalar ones go on
// targets: gfx701 gfx803 gfx900 gfx906
// init: mode = 0x1f0, v1 = 1, v2 = 2, s4 = 0x20, vcc = 0x1234
// expect: v1 = 7, s20 = 1, s21 = 0, s22 = 9, mode = 0x1f0
  s_setvskip 1, 0
  v_mov_b32 v1, 5
  v_cmp_eq_u32 vcc, v1, v1
  v_readfirstlane_b32 s22, v1
  flat_store_dword v[10:11], v12
  ds_write_b32 v1, v2
  buffer_load_dword v2, off, s[8:11], 0
  s_mov_b32 s22, 9
  s_getreg_b32 s20, hwreg(HW_REG_MODE, 28, 1)
  s_setvskip 0, 0
  s_getreg_b32 s21, hwreg(HW_REG_MODE, 28, 1)
  v_mov_b32 v1, 7
  s_endpgm
// case: the bit comes from a register, and branches keep the mode
// targets: gfx803
// init: mode = 0x1f0, v1 = 0, s4 = 0xa, s5 = 0, s6 = 4
// expect: v1 = 2, s5 = 4, mode = 0x100001f0
// clobbers: scc, vcc
vskip_loop:
  s_setvskip s4, s5
  s_branch vskip_add
vskip_add:
  v_add_u32 v1, vcc, 1, v1
  s_add_u32 s5, s5, 1
  s_cmp_lt_u32 s5, s6
  s_cbranch_scc1 vskip_loop
  s_endpgm
// case: the same, by s_setreg
// targets: gfx900
// init: mode = 0x1f0, v1 = 0, s4 = 0x10000000
// expect: v1 = 5, mode = 0x1f0
  s_setreg_imm32_b32 hwreg(HW_REG_MODE, 28, 1), 1
  v_add_u32 v1, 1, v1
  s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 32), 0x1f0
  v_add_u32 v1, 5, v1
  s_setreg_b32 hwreg(HW_REG_MODE, 16, 16), s4
  s_endpgm
